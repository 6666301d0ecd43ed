public let name = "CZlib"

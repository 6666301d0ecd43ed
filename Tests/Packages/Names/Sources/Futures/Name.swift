public let name = "Futures"

public let name = "Stores"

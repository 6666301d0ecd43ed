public let name = "Services"

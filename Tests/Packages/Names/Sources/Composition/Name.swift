public let name = "Composition"

public let name = "Articles"

public let name = "quickstart"

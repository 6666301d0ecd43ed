/// The target's name.
public let name = "Traffic"

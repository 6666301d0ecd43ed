// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct Selector: Equatable, Sendable {}

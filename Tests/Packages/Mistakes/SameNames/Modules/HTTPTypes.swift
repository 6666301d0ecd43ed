// swift-format-ignore-file
// A stand-in with the names that matter here.

public struct HTTPRequest: Sendable {
    public var path: String?
    public init() {}
}
public struct HTTPResponse: Sendable {
    public init() {}
}

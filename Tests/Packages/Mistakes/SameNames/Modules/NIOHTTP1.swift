// swift-format-ignore-file
// A stand-in with the names that matter here.

public struct HTTPHeaders: Sendable {
    public init() {}
    public mutating func add(name: String, value: String) {}
}
public enum HTTPMethod: Sendable { case GET }

public import Pledge

/// A request as a ``LoopbackServer`` received it.
public struct LoopbackRequest {
    /// The method, such as `GET`.
    public let method: String

    /// The request's target as it was sent, escapes and all: `/products/7?expand=price`.
    public let target: String

    /// The protocol's version: `HTTP/1.1`.
    public let version: String

    /// The header fields, in order and spelled as they were sent, repeated ones repeated.
    public internal(set) var headers: HTTPHeaders = [:]

    /// The body, without its transfer coding.
    public internal(set) var body = Data()

    /// Which connection it came over, counted from 0: equal numbers mean a reused connection.
    public internal(set) var connection = 0

    init(method: String, target: String, version: String) {
        self.method = method
        self.target = target
        self.version = version
    }

    /// The body read as UTF-8, with U+FFFD for each part that is not valid UTF-8.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a header, by name in any case.
    package func header(_ name: String) -> String? { headers(name).first }

    /// The values of a header, by name in any case.
    package func headers(_ name: String) -> [String] { headers.values(for: name) }

    /// Whether the client keeps the connection open for another request.
    var keepsConnection: Bool {
        version == "HTTP/1.1" && header("Connection")?.lowercased() != "close"
    }
}

extension LoopbackRequest: CustomStringConvertible {
    /// The method and the target without its query, like "GET /products/7".
    public var description: String { "\(method) \(target.prefix { $0 != "?" })" }
}

extension LoopbackRequest: Hashable {}

extension LoopbackRequest: Sendable {}

/// The connection of a response, and the time of each step, as the transport measured it.
///
/// Each time counts from the moment at which the transport began with the call. nil if a transport cannot
/// measure it, and for a step that a reused connection does not need.
public struct ConnectionMetrics {
    /// The version of HTTP: "HTTP/1.1", "HTTP/2", "HTTP/3".
    public var protocolVersion: String?

    /// Whether the connection was made by an earlier call.
    public var isReused: Bool?

    /// The address and the port of the server, or of the proxy: "127.0.0.1:8080", "[::1]:8080".
    public var remoteAddress: String?

    /// Until the host's name was looked up.
    public var untilNameLookup: Duration?

    /// Until the connection was made.
    public var untilConnected: Duration?

    /// Until TLS was agreed on.
    public var untilSecure: Duration?

    /// Until the first byte of the response came.
    public var untilFirstByte: Duration?

    /// Makes an empty report.
    public init() {}
}

extension ConnectionMetrics: Hashable, Sendable {}

extension ConnectionMetrics: CustomStringConvertible {
    /// The known parts, in a line: "HTTP/1.1 127.0.0.1:8080, new, connected 0.4, first byte 1.2 ms".
    public var description: String {
        [place, times].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The connection: "HTTP/1.1 127.0.0.1:8080, reused".
    package var place: String {
        let name = [protocolVersion, remoteAddress].compactMap { $0 }.joined(separator: " ")
        let reuse = isReused.map { $0 ? "reused" : "new" } ?? ""
        return [name, reuse].filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// The time of each step: "connected 0.4, first byte 1.2 ms".
    package var times: String {
        let marks = [
            ("name", untilNameLookup), ("connected", untilConnected), ("TLS", untilSecure),
            ("first byte", untilFirstByte),
        ].compactMap { name, time in time.map { "\(name) \(Self.milliseconds($0))" } }
        return marks.isEmpty ? "" : marks.joined(separator: ", ") + " ms"
    }

    /// With one digit behind the point.
    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int64((time / .microseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

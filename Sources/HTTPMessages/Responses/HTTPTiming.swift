/// The duration of an exchange, as measured by the transport.
public struct HTTPTiming: Hashable, Sendable {
    /// The time from the call until the headers had arrived; nil if the transport cannot measure it.
    public var untilHeaders: Duration?

    /// The time from the call until the body was complete; nil before that.
    public var total: Duration?

    /// The connection and the time of each step; nil if the transport cannot measure them.
    public var connection: ConnectionMetrics? {
        get { boxed?.report }
        set { boxed = newValue.map(BoxedReport.init) }
    }

    /// An object, so that each middleware that copies a response copies only a reference.
    private var boxed: BoxedReport?

    /// Creates a timing.
    public init(untilHeaders: Duration? = nil, total: Duration? = nil) {
        self.untilHeaders = untilHeaders
        self.total = total
    }
}

extension HTTPTiming {
    private final class BoxedReport: Hashable, Sendable {
        let report: ConnectionMetrics

        init(_ report: ConnectionMetrics) { self.report = report }

        static func == (left: BoxedReport, right: BoxedReport) -> Bool {
            left.report == right.report
        }

        func hash(into hasher: inout Hasher) { report.hash(into: &hasher) }
    }
}

/// The connection of a response, and the time of each step, as measured by the transport.
///
/// Each time counts from the moment at which the transport started the call. It is nil if the transport cannot measure
/// it, or if a reused connection skips the step.
public struct ConnectionMetrics: Hashable, Sendable {
    /// The version of HTTP: "HTTP/1.1", "HTTP/2" or "HTTP/3".
    public var protocolVersion: String?

    /// True if an earlier call made the connection.
    public var isReused: Bool?

    /// The address and port of the server, or of the proxy: "127.0.0.1:8080", "[::1]:8080".
    public var remoteAddress: String?

    /// The time until the host's name was resolved.
    public var untilNameLookup: Duration?

    /// The time until the connection was made.
    public var untilConnected: Duration?

    /// The time until the TLS handshake was complete.
    public var untilSecure: Duration?

    /// The time until the first byte of the response arrived.
    public var untilFirstByte: Duration?

    /// Creates an empty report.
    package init() {}
}

extension ConnectionMetrics: CustomStringConvertible {
    /// The known parts in one line: "HTTP/1.1 127.0.0.1:8080, new, connected 0.4, first byte 1.2 ms".
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

    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int64((time / .microseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

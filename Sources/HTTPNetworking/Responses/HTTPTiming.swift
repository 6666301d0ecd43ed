/// The duration of an exchange, as the transport measured it.
public struct HTTPTiming {
    /// From the call until the headers had arrived; nil if the transport cannot measure it.
    public var untilHeaders: Duration?

    /// From the call until the body was complete; nil before that.
    public var total: Duration?

    /// The connection, and the time of each step; nil if the transport cannot measure it.
    public var connection: ConnectionMetrics? {
        get { boxed?.report }
        set { boxed = newValue.map(BoxedReport.init) }
    }

    /// In an object: each middleware copies a response.
    private var boxed: BoxedReport?

    /// Makes a timing.
    public init(untilHeaders: Duration? = nil, total: Duration? = nil) {
        self.untilHeaders = untilHeaders
        self.total = total
    }
}

extension HTTPTiming {
    private final class BoxedReport: Sendable {
        let report: ConnectionMetrics

        init(_ report: ConnectionMetrics) { self.report = report }
    }
}

extension HTTPTiming: Hashable {
    /// Whether the times and the connections are equal.
    public static func == (left: HTTPTiming, right: HTTPTiming) -> Bool {
        left.untilHeaders == right.untilHeaders && left.total == right.total
            && left.connection == right.connection
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        untilHeaders.hash(into: &hasher)
        total.hash(into: &hasher)
        connection.hash(into: &hasher)
    }
}

extension HTTPTiming: Sendable {}

/// How long an exchange took, as the transport saw it.
public struct HTTPTiming {
    /// From the call until the headers had come, nil where the transport cannot tell.
    public var untilHeaders: Duration?

    /// From the call until the body was whole, nil while it is on its way.
    public var total: Duration?

    /// By what connection it came, and how long each step took; nil where the transport cannot tell.
    public var connection: HTTPConnectionReport? {
        get { boxed?.report }
        set { boxed = newValue.map(BoxedReport.init) }
    }

    /// In an object: a response is copied by each middleware.
    private var boxed: BoxedReport?

    /// Makes a timing.
    public init(untilHeaders: Duration? = nil, total: Duration? = nil) {
        self.untilHeaders = untilHeaders
        self.total = total
    }
}

extension HTTPTiming {
    private final class BoxedReport: Sendable {
        let report: HTTPConnectionReport

        init(_ report: HTTPConnectionReport) { self.report = report }
    }
}

extension HTTPTiming: Hashable {
    /// Whether the times and the connections are equal.
    public static func == (left: HTTPTiming, right: HTTPTiming) -> Bool {
        left.untilHeaders == right.untilHeaders && left.total == right.total
            && left.connection == right.connection
    }

    /// Feeds the hasher what `==` compares.
    public func hash(into hasher: inout Hasher) {
        untilHeaders.hash(into: &hasher)
        total.hash(into: &hasher)
        connection.hash(into: &hasher)
    }
}

extension HTTPTiming: Sendable {}

/// How long an exchange took, as the transport saw it.
public struct HTTPTiming {
    /// From the call until the headers had come, nil where the transport cannot tell.
    public var untilHeaders: Duration?

    /// From the call until the body was whole, nil while it is on its way.
    public var total: Duration?

    /// Makes a timing.
    public init(untilHeaders: Duration? = nil, total: Duration? = nil) {
        self.untilHeaders = untilHeaders
        self.total = total
    }
}

extension HTTPTiming: Hashable {}

extension HTTPTiming: Sendable {}

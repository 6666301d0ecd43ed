public import PledgeServices

extension TraceContext {
    /// Reads the trace context of a received request.
    ///
    /// ```swift
    /// CallContext.current.with(traceContext: TraceContext(request.headers)).run { client.send(next) }
    /// ```
    ///
    /// - Parameter headers: The headers of a request. Lines of `tracestate` are joined in their order.
    /// - Returns: Nil if they have no `traceparent`, an invalid one, or several.
    public init?(_ headers: HTTPHeaders) {
        let parents = headers.values(for: TraceHeader.parent)
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: headers.values(for: TraceHeader.state))
    }
}

/// The names of the headers of W3C Trace Context, as it writes them.
enum TraceHeader {
    static let parent = "traceparent"
    static let state = "tracestate"
}

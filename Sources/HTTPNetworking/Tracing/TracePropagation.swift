public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Sends the trace context of a request to servers, as `traceparent` and `tracestate` (W3C Trace
    /// Context).
    ///
    /// ```swift
    /// let service = stack(
    ///     .newTrace(), .redirect(), .retry(), .tracePropagation(to: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// **Place.** Beneath all parts that send again, `.redirect`, `.authorize`, `.retry` and `.hedge`: each
    /// sent request is then a span of its own, as OpenTelemetry requires of HTTP clients. Also beneath
    /// `.cache` and `.coalesce`: a stored answer is not a span, and requests with different headers share no
    /// call.
    ///
    /// **What is sent.** The trace of the `CallContext`, with a new span ID. The parts beneath have that span in
    /// their context, and the observers of the call are notified of it by `PolicyEvent.Kind.traced`. A call
    /// without a trace sends no header, and costs one check of the context; `.newTrace` begins one.
    ///
    /// **Existing headers.** A request with a header `traceparent` is sent unchanged, whatever its origin:
    /// other code has traced it. A `tracestate` without `traceparent` has no meaning, and is replaced.
    ///
    /// **Other origins.** A request to an origin that is not listed gets neither header, also after a redirect.
    ///
    /// - Parameters:
    ///   - origins: The origins that the headers are sent to; by default all. By `traceparent` a server can
    ///     relate requests to each other, and by `tracestate` it gets the entries of other tracing systems.
    ///   - random: The source of span IDs, which draws one number for each request.
    public static func tracePropagation(
        to origins: HTTPOrigins = .all, random: RandomSource = .system
    ) -> Middleware {
        let name = "tracePropagation"
        return Middleware(named: name) { service in
            { request in
                let context = CallContext.current
                guard let parent = context.traceContext,
                    request.headers[TraceHeader.parent] == nil, origins.contains(request.url)
                else { return service(request) }
                let span = parent.child(random: random)
                context.report(.traced(span, parent: parent.spanID), by: name)
                let sent = request.traced(by: span)
                return context.with(traceContext: span).run { service(sent).naming(sent) }
            }
        }
    }
}

extension HTTPRequest {
    /// The same with the headers of a trace context, which replace its earlier ones.
    fileprivate func traced(by context: TraceContext) -> HTTPRequest {
        var request = self
        request.headers.set(context.traceparent, for: TraceHeader.parent)
        request.headers[TraceHeader.state] = context.tracestate
        return request
    }
}

public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Sends the trace context of a request to servers, as `traceparent` and `tracestate`.
    ///
    /// The format is W3C Trace Context.
    ///
    /// ```swift
    /// let service = stack(
    ///     .newTrace(), .redirect(), .retry(), .tracePropagation(to: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// **Place.** Put it below all middleware that sends a request again, such as `.redirect`, `.authorize`, `.retry`
    /// and `.hedge`: each request that is sent then has a span of its own, as OpenTelemetry requires of HTTP clients.
    /// Put it below `.cache` and `.coalesce` too, because a stored response must not have a span, and requests with
    /// different headers share no call.
    ///
    /// **What is sent.** The trace of the `CallContext`, with a new span ID. Middleware below this one sees the new
    /// span in its context, and the call's observers get a `PolicyEvent.Kind.traced`. A call without a trace sends no
    /// header and costs one check of the context; `.newTrace` begins a trace.
    ///
    /// **Existing headers.** A request that already has a `traceparent` is sent unchanged, to any origin, because other
    /// code has traced it. A `tracestate` without `traceparent` has no meaning, and is replaced.
    ///
    /// **Other origins.** A request to an origin that is not listed gets neither header, even after a redirect.
    ///
    /// - Parameters:
    ///   - origins: The origins that receive the headers; all by default. With `traceparent`, a server can relate
    ///     requests to each other; with `tracestate`, it learns what other tracing systems have written there.
    ///   - random: The source of span IDs. It draws one number per request.
    public static func tracePropagation(
        to origins: HTTPOrigins = .all, random: RandomSource = .system
    ) -> Middleware {
        let name = "tracePropagation"
        return Middleware(changing: name) { next in
            { request in
                let context = CallContext.current
                guard let parent = context.traceContext,
                    request.headers[TraceHeader.parent] == nil, origins.contains(request.url)
                else { return next(request) }
                let span = parent.child(random: random)
                context.report(.traced(span, parent: parent.spanID), by: name)
                let sent = request.traced(by: span)
                return context.with(traceContext: span).run { next(sent) }
            }
        }
    }
}

extension HTTPRequest {
    /// Returns the request with the headers of a trace context, which replace earlier ones.
    fileprivate func traced(by context: TraceContext) -> HTTPRequest {
        var request = self
        request.headers.set(context.traceparent, for: TraceHeader.parent)
        request.headers[TraceHeader.state] = context.tracestate
        return request
    }
}

extension TraceContext {
    /// Reads the trace context of a received request.
    ///
    /// ```swift
    /// CallContext.current.with(traceContext: TraceContext(request.headers)).run { client.futures.send(next) }
    /// ```
    ///
    /// - Parameter headers: The headers of a request. Several lines of `tracestate` are joined in order.
    /// - Returns: Nil if the headers hold no `traceparent`, an invalid one, or several.
    public init?(_ headers: HTTPHeaders) {
        let parents = headers.values(for: TraceHeader.parent)
        guard parents.count == 1 else { return nil }
        self.init(traceparent: parents[0], tracestate: headers.values(for: TraceHeader.state))
    }
}

/// The names of the headers, in the spelling of W3C Trace Context.
enum TraceHeader {
    static let parent = "traceparent"
    static let state = "tracestate"
}

#if Observability
public import PledgeFutures
public import PledgeHTTPNetworking
public import Metrics
public import PledgeServices
public import Tracing

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Makes a CLIENT span of each request that is sent, and measures it, following OpenTelemetry's semantic
    /// conventions for HTTP clients.
    ///
    /// ```swift
    /// let service = stack(
    ///     .openTelemetryCall(), .redirect(), .retry(), .openTelemetry(), over: transport.send)
    /// ```
    ///
    /// **Place.** Next to the transport, beneath all middleware that sends requests again: each attempt has
    /// its own span and measurement. Middleware above finds the tracer's headers only in the response's
    /// `request`.
    ///
    /// **The span.** Its name is the request's method, or "HTTP" for a method that OpenTelemetry does not
    /// define. Its parent is the span of `openTelemetryCall`. Without that middleware, its parent is the
    /// `ServiceContext` of the code that makes the request; a retry makes the request from a timer, which has
    /// no such context. The span ends with the body, or when the body is given up. Its status is an error if
    /// the server answers 400 or more, and if the exchange fails; for a cancelled request the status is not
    /// set.
    ///
    /// **Secrets.** In the URL, "…" replaces the user and the query's values, as in the description of an
    /// `HTTPRequest`. The span contains no header and no body, and only the code or the type of an error.
    ///
    /// **What is sent.** The tracer's headers, such as `traceparent`, replace those of the request. Without a
    /// tracer, the instruments of `InstrumentationSystem` write the headers. Use this or `tracePropagation`,
    /// not both.
    ///
    /// **The metric.** ``RequestDuration`` is recorded with the time until the end of the body.
    ///
    /// - Parameters:
    ///   - tracer: The tracer of the spans; nil for that of `InstrumentationSystem`, which is looked up for
    ///     each request. `NoOpTracer()` makes no spans.
    ///   - metrics: The factory of the metric; nil for that of `MetricsSystem`. `NOOPMetricsHandler.instance`
    ///     makes no metric.
    ///   - origins: The origins that the tracer's headers are sent to. The headers show a server which
    ///     requests belong together.
    ///   - scheduler: The clock of the metric. The tracer's clock dates the spans.
    public static func openTelemetry(
        tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil,
        propagatingTo origins: HTTPOrigins = .all, on scheduler: some Scheduler = .live
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        return Middleware(named: "openTelemetry") { service in
            { request in
                let span = ClientSpan(request, tracer: tracer, metrics: metrics, now: now)
                var sent = request
                if origins.contains(request.url) {
                    (tracer ?? InstrumentationSystem.instrument).inject(
                        span.context, into: &sent.headers, using: HeaderInjector())
                }
                return ServiceContext.withValue(span.context) { service(sent).naming(sent) }
                    .notifying(span)
            }
        }
    }
}

/// Writes a tracer's headers.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        headers.set(value, for: key)
    }
}
#endif

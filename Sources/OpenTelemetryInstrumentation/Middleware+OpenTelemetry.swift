#if Observability
public import Futures
public import HTTPNetworking
public import Metrics
public import Services
public import Tracing

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Makes a CLIENT span of each request that is sent, and measures it, after OpenTelemetry's semantic
    /// conventions for HTTP clients.
    ///
    /// ```swift
    /// let service = stack(
    ///     .openTelemetryCall(), .redirect(), .retry(), .openTelemetry(), over: transport.send)
    /// ```
    ///
    /// **Place.** Nearest to the transport, beneath all that sends again: each attempt has a span and a
    /// measurement of its own. Middleware above finds the tracer's headers only in the response's `request`.
    ///
    /// **The span.** Its name is the request's method, and "HTTP" for a method that OpenTelemetry does not
    /// know. Its parent is the span of `openTelemetryCall`, and without that the `ServiceContext` of the code that
    /// makes the request; a retry makes it from a timer, where there is none. It ends with the body, or where
    /// the body is given up. Its status is an error where the server answered 400 or more, and where the
    /// exchange failed; of a request that was cancelled it is not set.
    ///
    /// **Secrets.** Of the URL, the user and the query's values are replaced by "…", as in the description of an
    /// `HTTPRequest`. No header, no body, and of an error nothing but its code or type is told.
    ///
    /// **What is sent.** The tracer adds its headers, such as `traceparent`, in the place of those that the
    /// request has, and the instruments of `InstrumentationSystem` do where no tracer is given. Use this or
    /// `tracePropagation`, not both.
    ///
    /// **The metric.** ``RequestDuration`` is recorded with the time until the end of the body.
    ///
    /// - Parameters:
    ///   - tracer: What makes the spans; nil for that of `InstrumentationSystem`, which is looked up for each
    ///     request. `NoOpTracer()` makes none.
    ///   - metrics: What makes the metric; nil for that of `MetricsSystem`. `NOOPMetricsHandler.instance` makes
    ///     none.
    ///   - origins: To whom the tracer's headers are sent. They tell a server which requests belong together.
    ///   - scheduler: The clock that the metric is measured by. Spans are dated by the tracer's clock.
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
                    .told(to: span)
            }
        }
    }
}

/// What writes a tracer's headers.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        headers.set(value, for: key)
    }
}
#endif

#if Observability
public import Metrics
public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
import PledgeHTTPTransportKit
public import PledgeServices
public import Tracing

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Creates a CLIENT span for each sent request, and measures its duration.
    ///
    /// ```swift
    /// let service = stack(
    ///     .openTelemetryCall(), .redirect(), .retry(), .openTelemetry(), over: transport.send)
    /// ```
    ///
    /// It follows OpenTelemetry's semantic conventions for HTTP clients.
    ///
    /// **Place.** Put it next to the transport, below all middleware that repeats requests, so that each attempt has
    /// its own span and measurement. Middleware above finds the tracer's headers only in the response's `request`.
    ///
    /// **The span.** Its name is the request's method, or "HTTP" for a method that OpenTelemetry doesn't define. Its
    /// parent is the span of `openTelemetryCall`. Without that middleware, the parent is the `ServiceContext` of the
    /// code that makes the request. A retry makes the request from a timer, so its span then has no parent. The span
    /// ends when the body ends or is cancelled. Its status is an error if the server answers 400 or more, or if the
    /// exchange fails. If the request is cancelled, the status isn't set.
    ///
    /// **Secrets.** In the URL, "…" replaces the user and the query's values, as in the description of an
    /// `HTTPRequest`. The span holds no header and no body. An error appears only as its code or type.
    ///
    /// **What is sent.** The tracer's headers, such as `traceparent`, replace the request's own. If `tracer` is nil, all
    /// instruments of `InstrumentationSystem` write headers. Use this middleware or `tracePropagation`, not both.
    ///
    /// **The metric.** ``RequestDuration`` records the time until the end of the body.
    ///
    /// - Parameters:
    ///   - tracer: The tracer of the spans. With nil, the tracer of `InstrumentationSystem`, looked up for each
    ///     request. `NoOpTracer()` creates no spans.
    ///   - metrics: The factory of the metric. With nil, the factory of `MetricsSystem`.
    ///     `NOOPMetricsHandler.instance` records no metric.
    ///   - origins: The origins that get the tracer's headers. The headers show a server which requests belong
    ///     together.
    ///   - scheduler: The clock of the metric. The spans get their times from the tracer's clock.
    public static func openTelemetry(
        tracer: (any Tracer)? = nil, metrics: (any MetricsFactory)? = nil,
        propagatingTo origins: HTTPOrigins = .all, on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        return Middleware(changing: "openTelemetry") { service in
            { request in
                let span = ClientSpan(request, tracer: tracer, metrics: metrics, now: now)
                var sent = request
                if origins.contains(request.url) {
                    (tracer ?? InstrumentationSystem.instrument).inject(
                        span.context, into: &sent.headers, using: HeaderInjector())
                }
                return ServiceContext.withValue(span.context) { service(sent) }
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

/// The span and the measurement of one sent request, until both end.
final class ClientSpan: ExchangeListener {
    /// The context of this span; a span that starts in this context is a child of this span.
    var context: ServiceContext { span.context }

    private struct State {
        var status: Int?
        var connection: ConnectionMetrics?
        var hasEnded = false
    }

    private let span: any Span
    private let request: RequestAttributes
    private let metrics: (any MetricsFactory)?
    private let start: SchedulerInstant
    private let now: @Sendable () -> SchedulerInstant
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, tracer: (any Tracer)?, metrics: (any MetricsFactory)?,
        now: @escaping @Sendable () -> SchedulerInstant
    ) {
        let call = CallContext.current
        let attributes = RequestAttributes(request)
        let parent = call.carried as? ServiceContext ?? .current ?? .topLevel
        span = (tracer ?? InstrumentationSystem.tracer).startSpan(
            attributes.spanName, context: parent, ofKind: .client)
        self.request = attributes
        self.metrics = metrics
        self.now = now
        start = now()
        guard span.isRecording else { return }
        span.updateAttributes { attributes.add(to: &$0, request, attempt: call.attempt) }
    }

    /// Notes the head of the response.
    func answer(_ response: some HTTPResponseHead) {
        state.withLock {
            $0.status = response.status
            $0.connection = response.timing.connection
        }
    }

    /// Ends the span and records the duration; only the first call has an effect.
    func endExchange(with error: (any Error)?) {
        let last = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let last else { return }
        let answered = (error as? HTTPError)?.response
        let ending = RequestEnding(
            status: last.status ?? answered?.status,
            connection: last.connection ?? answered?.timing.connection, error: error)
        if span.isRecording {
            span.updateAttributes { ending.add(to: &$0) }
            if ending.isFailure { span.setStatus(SpanStatus(code: .error)) }
        }
        span.end()
        RequestDuration.record(
            start.duration(to: now()), request.dimensions + ending.dimensions, by: metrics)
    }
}

/// The attributes that are known when a request is sent.
struct RequestAttributes: Sendable {
    private let method: HTTPMethod
    private let origin: HTTPOrigin?

    init(_ request: HTTPRequest) {
        method = request.method
        origin = HTTPOrigin(request.url)
    }

    /// The span's name: the method if it is a known one, otherwise "HTTP".
    var spanName: String { isKnown ? method.rawValue : "HTTP" }

    /// The dimensions of the metric, which have few values if the client calls few servers.
    var dimensions: [(String, String)] {
        [("http.request.method", methodName)]
            + (origin.map {
                [("server.address", $0.host.withoutBrackets), ("server.port", "\($0.port)")]
            } ?? [])
    }

    /// Adds the attributes to a span.
    func add(to attributes: inout SpanAttributes, _ request: HTTPRequest, attempt: Int) {
        attributes["http.request.method"] = methodName
        if !isKnown {
            attributes["http.request.method_original"] = SafeText.escaped(method.rawValue)
        }
        if let origin {
            attributes["server.address"] = origin.host.withoutBrackets
            attributes["server.port"] = origin.port
        }
        attributes["url.full"] = SafeText.redacted(request.url)
        if attempt > 1 { attributes["http.request.resend_count"] = attempt - 1 }
    }

    private var methodName: String { isKnown ? method.rawValue : "_OTHER" }

    private var isKnown: Bool { Self.known.contains(method.rawValue) }

    /// The methods of RFC 9110, and PATCH and QUERY.
    private static let known: Set = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]
}

/// The end of a sent request.
struct RequestEnding {
    let status: Int?
    let connection: ConnectionMetrics?
    let error: (any Error)?

    /// True if the span's status is an error; cancelling a request isn't an error.
    var isFailure: Bool { errorType != nil && !(error is CancellationError) }

    /// The dimensions of the metric.
    var dimensions: [(String, String)] {
        [
            status.map { ("http.response.status_code", "\($0)") },
            errorType.map { ("error.type", $0) },
            protocolVersion.map { ("network.protocol.version", $0) },
        ].compactMap { $0 }
    }

    /// Adds the attributes to a span.
    func add(to attributes: inout SpanAttributes) {
        if let status { attributes["http.response.status_code"] = status }
        if let errorType { attributes["error.type"] = errorType }
        if let protocolVersion { attributes["network.protocol.version"] = protocolVersion }
        guard let peer = connection?.remoteAddress,
            let colon = peer.lastIndex(of: ":"), let port = Int(peer[colon...].dropFirst())
        else { return }
        attributes["network.peer.address"] = peer[..<colon].withoutBrackets
        attributes["network.peer.port"] = port
    }

    /// What went wrong: the error's code, or its type if it has no code, as in log lines.
    ///
    /// The type is given without its module. If there is no error, this is the response's status if it is 400 or more,
    /// and nil otherwise.
    private var errorType: String? {
        if let error {
            return (error as? any CodedError)?.loggedCode ?? "\(type(of: error))"
        }
        return status.flatMap { $0 >= 400 ? "\($0)" : nil }
    }

    /// The protocol's version without its name: "1.1" for "HTTP/1.1".
    private var protocolVersion: String? {
        guard let version = connection?.protocolVersion, version.hasPrefix("HTTP/") else {
            return nil
        }
        return String(version.dropFirst("HTTP/".count))
    }
}
#endif

public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Reports each exchange when it ends.
    ///
    /// ```swift
    /// let service = stack(
    ///     .retry(),
    ///     .exchangeLog { exchange in
    ///         logger.log(level: exchange.isFailure ? .error : .info, "\(exchange.logLine)")
    ///     },
    ///     over: transport.send)
    /// ```
    ///
    /// Below a retry, it reports each attempt; above a retry, it reports each call once. An exchange with a streamed
    /// body ends when the body ends. A cancelled exchange ends at once, with a `CancellationError`. For similar lines
    /// about a stack's policies, see `ServiceObserver.logging`.
    ///
    /// - Parameters:
    ///   - scheduler: The clock that measures durations.
    ///   - write: Called once for each exchange, on the thread where the exchange ended. Several threads may call it at
    ///     the same time. It should return quickly, because the call waits for it.
    public static func exchangeLog(
        on scheduler: some FutureScheduler = .live,
        _ write: @escaping @Sendable (HTTPExchange) -> Void
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        return Middleware(named: "exchangeLog") { service in
            { request in
                // Created before the call, so that the duration includes all of it.
                let entry = ExchangeEntry(request, now: now, write)
                return service(request).notifying(entry)
            }
        }
    }
}

/// One exchange that has ended: its request, its result, and its duration.
///
/// The middleware `exchangeLog` creates it.
public struct HTTPExchange: Sendable {
    /// The request as it was sent.
    ///
    /// If neither the response nor the error contains the sent request, this is the request that reached `exchangeLog`.
    public let request: HTTPRequest

    /// The number of the exchange's call, as in `PolicyEvent.call`; nil without observers.
    package let call: UInt64?

    /// The exchange's span, as in `PolicyEvent.span`; nil without observers.
    package let span: Int?

    /// The exchange's span in a distributed trace; nil if the call is not traced.
    ///
    /// Below the middleware `tracePropagation`, this is the span that the request was sent with. Otherwise it is
    /// the call's span.
    package let traceContext: TraceContext?

    /// The number of the attempt, counted from one by the nearest retry above `exchangeLog`.
    package let attempt: Int

    /// The response's status; nil if no response arrived.
    public let status: Int?

    /// The response's headers; empty if no response arrived.
    public let headers: HTTPHeaders

    /// The number of bytes of the response's body that arrived.
    public let bytes: Int64

    /// The time from the beginning of the exchange to its end.
    ///
    /// An exchange with a streamed body ends when the body has been read, has failed or was cancelled.
    public let duration: Duration

    /// The error that ended the exchange; nil without one.
    ///
    /// A status counts as an error only if `acceptStatus` below has turned it into one.
    public let error: (any Error)?
}

extension HTTPExchange {
    /// True if the status is 400 or above, or the exchange failed; a cancelled exchange has not failed.
    public var isFailure: Bool {
        if let status, status >= 400 { return true }
        return error.map { !($0 is CancellationError) } ?? false
    }

    /// The exchange as one line of keys and values.
    ///
    /// It reads like this, without the line break:
    ///
    /// ```text
    /// call=7 span=2 method=GET url="https://api.example.com/products?page=2&token=…"
    /// attempt=1 status=200 bytes=512 duration_ms=35
    /// ```
    ///
    /// The keys keep this order. In `PolicyEvent.logLine`, the events of this call have the same `call` and `span`. The
    /// line of a call that is not observed has neither `call` nor `span`. The line of a traced call also has `trace_id`
    /// and `span_id`, after `span`. `status` is left out if there is no response. The line of a failed exchange ends
    /// with `error` and `code`.
    ///
    /// Values are written as in `PolicyEvent.logLine`, and the URL as in `HTTPRequest`'s description. The line
    /// shows no headers and nothing of the bodies.
    public var logLine: String { line(with: []) }

    /// The line of ``logLine`` with the headers of the request and the response; "…" replaces possible secrets.
    public var logLineWithHeaders: String {
        let secrets = KnownSecrets(of: request, nil, HTTPResponse(status: 0, headers: headers))
        return line(with: [
            EventFact("request_headers", secrets.scrubbed("\(request.effectiveHeaders)")),
            EventFact("response_headers", headers.description(without: secrets)),
        ])
    }

    private func line(with more: [EventFact]) -> String {
        var facts: [EventFact] = []
        if let call { facts.append(EventFact("call", "\(call)")) }
        if let span { facts.append(EventFact("span", "\(span)")) }
        if let traceContext { facts += EventFact.facts(of: traceContext) }
        facts += [
            EventFact("method", SafeText.escaped(request.method.rawValue)),
            EventFact("url", SafeText.redacted(request.url)), EventFact("attempt", "\(attempt)"),
        ]
        if let status { facts.append(EventFact("status", "\(status)")) }
        facts += [EventFact("bytes", "\(bytes)"), EventFact("duration_ms", milliseconds: duration)]
        return (facts + more + EventFact.facts(of: error)).map(\.text).joined(separator: " ")
    }
}

extension HTTPExchange: DescriptionOnly {
    /// The same as ``logLine``.
    public var description: String { logLine }
}

private final class ExchangeEntry: ExchangeListener {
    private struct State {
        var status: Int?
        var headers: HTTPHeaders = [:]
        var request: HTTPRequest?
        var bytes: Int64 = 0
        var hasEnded = false
    }

    private let request: HTTPRequest
    private let context = CallContext.current
    private let start: SchedulerInstant
    private let now: @Sendable () -> SchedulerInstant
    private let write: @Sendable (HTTPExchange) -> Void
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, now: @escaping @Sendable () -> SchedulerInstant,
        _ write: @escaping @Sendable (HTTPExchange) -> Void
    ) {
        self.request = request
        self.now = now
        self.write = write
        start = now()
    }

    func answer(_ response: some HTTPResponseHead) {
        state.withLock { state in
            state.status = response.status
            state.headers = response.headers
            state.request = response.request
            state.bytes = Int64(response.receivedBody?.count ?? 0)
        }
    }

    func receive(_ chunk: Data) { state.withLock { $0.bytes += Int64(chunk.count) } }

    func fail(with error: any Error) {
        if let response = (error as? HTTPError)?.response { answer(response) }
        endExchange(with: error)
    }

    /// Reports the exchange; a second call does nothing.
    func endExchange(with error: (any Error)?) {
        let last = state.withLock { state in
            defer { state.hasEnded = true }
            return state.hasEnded ? nil : state
        }
        guard let last else { return }
        write(
            HTTPExchange(
                request: last.request ?? (error as? HTTPError)?.request ?? request,
                call: context.callNumber, span: context.spanNumber,
                traceContext: context.traceContext, attempt: context.attempt,
                status: last.status, headers: last.headers, bytes: last.bytes,
                duration: start.duration(to: now()), error: error))
    }
}

/// An object that is told about an exchange: its response, the chunks of a streamed body, and its end.
///
/// The end may be reported more than once, because a body can be cancelled after it has ended. Only the first
/// report counts.
package protocol ExchangeListener: Sendable {
    func answer(_ response: some HTTPResponseHead)

    func receive(_ chunk: Data)

    /// Notes that no response arrived, or that the response's status was not accepted.
    func fail(with error: any Error)

    /// Notes that the body ended, or failed with an error.
    func endExchange(with error: (any Error)?)
}

extension ExchangeListener {
    package func receive(_ chunk: Data) {}

    package func fail(with error: any Error) { endExchange(with: error) }
}

extension Future where Value: HTTPResponseHead {
    /// Returns a future with the same result, and reports the exchange to a listener.
    ///
    /// If the response has a streamed body, the exchange ends when the body ends or is cancelled.
    package func notifying(_ listener: some ExchangeListener) -> Future {
        onEnd { result in
            if case .failure(let error) = result { listener.fail(with: error) }
        }
        .mapWithoutOrigin { response in
            listener.answer(response)
            guard let body = response.bodyStream else {
                listener.endExchange(with: nil)
                return response
            }
            var told = response
            told.bodyStream = body.notifying(listener)
            return told
        }
    }
}

extension HTTPBodyStream {
    fileprivate func notifying(_ listener: some ExchangeListener) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                self.next().onEnd { result in
                    switch result {
                    case .success(let chunk?): listener.receive(chunk)
                    case .success(nil): listener.endExchange(with: nil)
                    case .failure(let error): listener.endExchange(with: error)
                    }
                }
            },
            cancel: {
                self.cancel()
                listener.endExchange(with: CancellationError())
            })
    }
}

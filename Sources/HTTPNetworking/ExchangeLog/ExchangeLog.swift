public import PledgeFutures
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Reports each exchange when it has ended.
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
    /// Beneath a retry it reports each attempt, above a retry each call. An exchange with a streamed body
    /// ends with the body. An exchange that is given up ends then, with a `CancellationError`. For lines of
    /// the same form about the policies of a stack, see `ServiceObserver.logging`.
    ///
    /// - Parameters:
    ///   - scheduler: The clock that durations are read from.
    ///   - write: Called once for each exchange, on the thread where it ended, also on several threads at the
    ///     same time. It should return quickly: the call waits.
    public static func exchangeLog(
        on scheduler: some Scheduler = .live,
        _ write: @escaping @Sendable (HTTPExchange) -> Void
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        return Middleware(named: "exchangeLog") { service in
            { request in
                // Made first: the exchange lasts from before the call.
                let entry = ExchangeEntry(request, now: now, write)
                return service(request).notifying(entry)
            }
        }
    }
}

/// The data so far of an exchange that has not ended.
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
        end(with: error)
    }

    /// Reports the exchange, the first time.
    func end(with error: (any Error)?) {
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

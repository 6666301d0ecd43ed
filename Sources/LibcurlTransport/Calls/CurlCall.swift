import Futures
import HTTPNetworking
import Services

/// A call, from its beginning until its result has been delivered.
final class CurlCall: Sendable {
    /// Where the result of the call is delivered.
    enum Recipient {
        case whole(InternalPromise<HTTPResponse>)
        case streamed(InternalPromise<HTTPStreamedResponse>)

        func fail(with error: any Error) {
            switch self {
            case .whole(let promise): promise.reject(with: error)
            case .streamed(let promise): promise.reject(with: error)
            }
        }

        /// Registers a closure that is called when nothing waits for the result any more.
        func onCancel(_ handler: @escaping @Sendable () -> Void) {
            switch self {
            case .whole(let promise): promise.onCancel(handler)
            case .streamed(let promise): promise.onCancel(handler)
            }
        }
    }

    private struct State {
        /// Nil after the result has been delivered: a promise would keep a streamed response, so its release
        /// would not be noticed.
        var recipient: Recipient?
        /// When a byte last arrived or left; nil while none is expected.
        var lastSign: SchedulerInstant?
        var deadline: (any ScheduledAction)?
        /// The call's place in the idle watches.
        var idlePlace: Int?
        var wait: (place: Int, call: ConnectionWait)?
        var isOver = false
    }

    let request: HTTPRequest
    let isStreamed: Bool
    private let options: CurlOptions
    private let engine: CurlEngine
    private let made = ContinuousClock.now
    /// The context whose observers are notified of the response's connection.
    private let context = CallContext.current
    private let state: Locked<State>

    init(
        _ request: HTTPRequest, for recipient: Recipient, _ options: CurlOptions,
        _ engine: CurlEngine
    ) {
        self.request = request
        self.options = options
        self.engine = engine
        if case .streamed = recipient { isStreamed = true } else { isStreamed = false }
        state = Locked(
            State(recipient: recipient, lastSign: options.idleWatches?.scheduler.now))
    }

    /// The time since the call was made.
    var elapsed: Duration { made.duration(to: .now) }

    func failure(
        _ code: HTTPError.Code, cause: (any Error)? = nil, reason: String? = nil
    ) -> HTTPError {
        HTTPError(code: code, request: request, cause: cause, reason: reason)
    }

    /// The error for a body that cannot be read.
    func unreadable(_ error: any Error) -> any Error {
        (error as? HTTPError)?.naming(request) ?? failure(.bodyUnreadable, cause: error)
    }

    /// Ends the call before its response is complete.
    func end(with error: any Error) { engine.submit(.end(self, error)) }

    /// Delivers a whole response, or a failure.
    func settle(_ result: Result<HTTPResponse?, any Error>) {
        guard let recipient = takeRecipient() else { return }
        switch (recipient, result) {
        case (.whole(let promise), .success(let response?)):
            report(response.timing)
            promise.resolve(with: response)
        case (_, .success): recipient.fail(with: failure(.badResponse))
        case (_, .failure(let error)): recipient.fail(with: error)
        }
    }

    /// Delivers a response whose body is still arriving.
    func resolve(with response: HTTPStreamedResponse) {
        guard case .streamed(let promise) = takeRecipient() else { return }
        report(response.timing)
        promise.resolve(with: response)
    }

    func fail(with error: any Error) { takeRecipient()?.fail(with: error) }

    private func report(_ timing: HTTPTiming) {
        guard let connection = timing.connection else { return }
        // Two notes, since recorders cut long ones.
        context.report(.note(connection.place), by: "transport")
        context.report(.note(connection.times), by: "transport")
    }

    private func takeRecipient() -> Recipient? { state.withLock { $0.recipient.take() } }
}

extension CurlCall {
    /// Begins to enforce the deadline and the idle timeout.
    func limitTime() {
        watchIdleness()
        guard
            let deadline = request.atDeadline({
                self.end(with: self.failure(.timedOut, .deadline(after: self.elapsed)))
            })
        else { return }
        let isOver = state.withLock { state in
            if !state.isOver { state.deadline = deadline }
            return state.isOver
        }
        if isOver { deadline.cancel() }
    }

    private func watchIdleness() {
        guard let watches = options.idleWatches else { return }
        let place = watches.add(self)
        let isOver = state.withLock { state in
            if !state.isOver { state.idlePlace = place }
            return state.isOver
        }
        if isOver { watches.remove(place) }
    }

    /// Begins to enforce the limit on the wait for a connection.
    func waitForConnection() {
        expectNothing()
        guard let watches = options.connectionWatches else { return }
        let wait = ConnectionWait(of: self, since: watches.scheduler.now)
        let place = watches.add(wait)
        state.withLock { $0.wait = (place, wait) }
    }

    /// Notes that the call has a connection, or is about to make one.
    func stopWaiting() {
        noteSign()
        guard let wait = state.withLock({ $0.wait.take() }) else { return }
        options.connectionWatches?.remove(wait.place)
    }

    /// Stops the time limits, since the call has ended.
    func finish() {
        let last = state.withLock { state in
            state.isOver = true
            let last = (state.deadline, state.idlePlace, state.wait)
            (state.deadline, state.idlePlace, state.wait) = (nil, nil, nil)
            return last
        }
        last.0?.cancel()
        if let place = last.1 { options.idleWatches?.remove(place) }
        if let wait = last.2 { options.connectionWatches?.remove(wait.place) }
    }

    private func failure(_ code: HTTPError.Code, _ limit: TimeLimit) -> HTTPError {
        failure(code, reason: limit.words)
    }
}

extension CurlCall: IdleWatched {
    /// Notes that a byte has arrived or left, or is expected now.
    func noteSign() {
        guard let now = options.idleWatches?.scheduler.now else { return }
        state.withLock { $0.lastSign = now }
    }

    /// Notes that no byte is expected until the next sign.
    func expectNothing() { state.withLock { $0.lastSign = nil } }

    var lastSign: SchedulerInstant? { state.withLock { $0.lastSign } }

    func timeOut() { end(with: failure(.timedOut, .idle(options.idleWatches?.limit ?? .zero))) }

    /// Ends the call, since no connection became free in time.
    fileprivate func giveUpWaiting() {
        let limit = options.connectionWatches?.limit ?? .zero
        end(with: failure(.timedOut, .freeConnection(limit)))
    }
}

/// A call that waits for a connection.
final class ConnectionWait: IdleWatched {
    private let call: CurlCall
    private let start: SchedulerInstant

    init(of call: CurlCall, since start: SchedulerInstant) {
        self.call = call
        self.start = start
    }

    var lastSign: SchedulerInstant? { start }

    func timeOut() { call.giveUpWaiting() }
}

public import PledgeFutures

/// Requests of different kinds that are sent one after another, in the order of their declaration.
///
/// ```swift
/// let requests = RequestSequence(networking: networking)
/// requests.send(.route, parse: decoded) { (result: Result<Route, any Error>) in … }
/// requests.send(.login, parse: decoded) { (result: Result<Session, any Error>) in … }
/// requests.finished.observe { result in … }
/// ```
///
/// A request is sent when the answer of the one before it has been delivered: its completion has
/// returned. Declaring a request returns at once. No thread waits: the requests are chained futures. With
/// `import Pledge`, `RequestState` is this type for endpoints and data, with a method that decodes.
///
/// Every completion is called exactly once, or once more each time that its request is sent again
/// by ``resume()``. Completions are called in order of declaration, on the thread that settles the answer; if
/// the answer is immediate, before the declaring call returns. A completion may declare further requests,
/// which are appended. The requests continue if the sequence is released.
///
/// All of it may be used from any thread.
public final class RequestSequence<Request: Sendable, Answer: Sendable>: Sendable {
    private let networking: @Sendable (Request) -> Future<Answer>
    private let progress: Locked<RequestProgress<Request, Answer>>

    /// Makes a sequence without requests.
    ///
    /// - Parameters:
    ///   - networking: The network, called once for each request that is sent.
    ///   - rule: Whether the requests after one that failed are sent.
    public init(
        networking: @escaping @Sendable (Request) -> Future<Answer>,
        onFailure rule: RequestFailureRule = .stop
    ) {
        self.networking = networking
        progress = Locked(RequestProgress(rule: rule))
    }

    /// Declares a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - parse: Converts the network's answer, such as `{ $0.decoded() }`.
    ///   - completion: Called with the answer, or with an error: the network's error, the one of
    ///     `parse`, or a ``RequestNotSent`` if the sequence has stopped before. It has no default, so that a
    ///     single trailing closure is never taken as `parse`.
    /// - Returns: The answer, as a future. Cancelling it counts as a failure of this request, and is
    ///   delivered in its order.
    @discardableResult
    public func send<Response: Sendable>(
        _ request: Request,
        parse: @escaping @Sendable (Future<Answer>) -> Future<Response>,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        let delivered = Promise<Void>()
        let (number, previous) = progress.withLock { $0.append(delivered) }
        return send(request, parse, completion, number, after: previous, delivered)
    }

    private func send<Response: Sendable>(
        _ request: Request,
        _ parse: @escaping @Sendable (Future<Answer>) -> Future<Response>,
        _ completion: (@Sendable (Result<Response, any Error>) -> Void)?,
        _ number: Int, after previous: Future<Void>, _ delivered: Promise<Void>
    ) -> Future<Response> {
        let answer = previous.flatMap { [networking, progress] in
            if let cause = progress.withLock({ $0.reasonToStop }) {
                throw RequestNotSent(number: number, cause: cause)
            }
            return parse(networking(request))
        }
        // An answer that is cancelled early is still delivered in its order.
        previous.observe { [progress] _ in
            progress.withLock { $0.started(cancelledBy: answer.cancel) }
            answer.observe { result in
                if case .failure(let error) = result {
                    progress.withLock {
                        $0.fail(error) { requests, previous, delivered in
                            _ = requests.send(
                                request, parse, completion, number, after: previous, delivered)
                        }
                    }
                }
                completion?(result)
                progress.withLock { $0.end() }
                delivered.resolve(with: ())
            }
            if progress.withLock({ $0.isCancelled }) { answer.cancel() }
        }
        return answer
    }

    /// Declares a request, with the network's answer unchanged.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completion: Called with the answer or an error.
    /// - Returns: The answer, as with ``send(_:parse:completion:)``.
    @discardableResult
    public func send(
        _ request: Request,
        completion: (@Sendable (Result<Answer, any Error>) -> Void)? = nil
    ) -> Future<Answer> {
        send(request, parse: { $0 }, completion: completion)
    }

    /// A future of the end: when all declared requests, and those that their completions declare, have been
    /// delivered.
    ///
    /// It fails with the first error if the sequence stops at failures, after all completions were
    /// called; if it goes on after failures, it succeeds, and ``failures`` has the errors. It fails with a
    /// `CancellationError` if ``cancel()`` has left a request without an answer. Cancelling this future
    /// cancels no request.
    public var finished: Future<Void> { Self.end(of: progress) }

    /// The errors of all requests that failed, in order, without those that were not sent.
    public var failures: [any Error] { progress.withLock { $0.failures } }

    /// Cancels the request under way, and sends no more.
    ///
    /// The completions of the remaining requests are called with the reason. Requests that are declared later
    /// are not sent, unless the sequence is resumed.
    public func cancel() {
        let running = progress.withLock { $0.cancel() }
        running?()
    }

    /// Resumes the sequence after a failure or ``cancel()``.
    ///
    /// The requests that have no answer are sent again, in order of their declaration, as soon as
    /// all completions have been called; those that succeeded are not. ``failures`` is emptied. A completion
    /// may call it, for example after a token was renewed: the completions of requests that were not sent are
    /// called before the sequence continues. Cancelling before that has precedence.
    ///
    /// The completion of a request that is sent again is called again, with its new answer. The future that
    /// was returned for it has settled, and does not change.
    ///
    /// - Returns: The end, as ``finished``. If every request has its answer, nothing is sent.
    @discardableResult
    public func resume() -> Future<Void> {
        progress.withLock { $0.resume() }
        resumeOnceDelivered()
        return finished
    }

    private func resumeOnceDelivered() {
        let last = progress.withLock { $0.last }
        last.observe { _ in
            let unanswered = self.progress.withLock { $0.takeUnanswered(after: last) }
            guard let unanswered else { return self.resumeOnceDelivered() }
            for send in unanswered { send(self) }
        }
    }

    private static func end(
        of progress: Locked<RequestProgress<Request, Answer>>
    ) -> Future<Void> {
        let last = progress.withLock { $0.last }
        return last.flatMap {
            let (isLast, failure) = progress.withLock { ($0.last === last, $0.failure) }
            // Another was declared meanwhile: wait for that.
            if !isLast { return end(of: progress) }
            if let failure { throw failure }
            return Future(value: ())
        }
    }
}

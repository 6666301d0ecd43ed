public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPNetworking
public import PledgeStores

/// The article's state: requests that are sent one after another, in the order in which you declare them.
///
/// ```swift
/// let requests = RequestState(networking: networking)
/// requests.sendRequest(.route) { (result: Result<Route, any Error>) in … }
/// requests.sendRequest(.login) { (result: Result<Session, any Error>) in … }
/// requests.finished.observe { result in … }
/// ```
///
/// A request is delivered when its completion has returned. Only then is the next request sent. Declaring a
/// request returns at once, and no thread waits, because the requests are chained futures.
///
/// Every completion is called exactly once, and once more each time ``resume()`` sends its request again.
/// Completions are called in the order of declaration, on the thread that settles the answer. If the answer is
/// immediate, that happens before the declaring call returns. A completion may declare further requests, which
/// are appended. The requests continue even if you release the state.
///
/// You may use a state from any thread. To send requests of another kind one after another, put a `.bulkhead` with a
/// limit of 1 and a queue over their service.
public final class RequestState: Sendable {
    private let networking: Networking
    private let progress: Locked<RequestProgress>

    /// Creates a state without requests.
    ///
    /// - Parameters:
    ///   - networking: The network, called once for each request that is sent.
    ///   - rule: The rule for the requests that follow a failed one.
    public init(
        networking: @escaping Networking, onFailure rule: RequestFailureRule = .stop
    ) {
        self.networking = networking
        progress = Locked(RequestProgress(rule: rule))
    }

    /// Declares a request whose answer is JSON, and returns at once.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the decoded answer, or with an error: the network's error, an error of decoding,
    ///     or a ``RequestNotSent`` if the sequence has stopped before. The answer is decoded as the type that the
    ///     closure names.
    /// - Returns: The answer, as a future. If you cancel it, the request fails, and the failure is delivered
    ///   when it's the request's turn.
    @preconcurrency
    @discardableResult
    public func sendRequest<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        sendRequest(request, parse: { $0.decoded() }, completion: completion)
    }

    /// Declares a request whose answer is delivered as bytes.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the bytes, or with the error.
    /// - Returns: The answer, as a future.
    @preconcurrency
    @discardableResult
    public func sendRequest(
        _ request: Endpoint,
        completion: (@Sendable (Result<Data, any Error>) -> Void)? = nil
    ) -> Future<Data> {
        sendRequest(request, parse: { $0 }, completion: completion)
    }

    /// Declares a request whose answer is converted by a function.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - parse: Converts the network's answer.
    ///   - completion: Called with the answer, or with an error. This parameter has no default, so a single
    ///     trailing closure is never taken as `parse`.
    /// - Returns: The answer, as a future.
    @discardableResult
    public func sendRequest<Response: Sendable>(
        _ request: Endpoint,
        parse: @escaping @Sendable (Future<Data>) -> Future<Response>,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        let delivered = Promise<Void>()
        let (number, previous) = progress.withLock { $0.append(delivered) }
        return send(request, parse, completion, number, after: previous, delivered)
    }

    private func send<Response: Sendable>(
        _ request: Endpoint,
        _ parse: @escaping @Sendable (Future<Data>) -> Future<Response>,
        _ completion: (@Sendable (Result<Response, any Error>) -> Void)?,
        _ number: Int, after previous: Future<Void>, _ delivered: Promise<Void>
    ) -> Future<Response> {
        let answer = previous.flatMap { [networking, progress] in
            if let cause = progress.withLock({ $0.reasonToStop }) {
                throw RequestNotSent(number: number, cause: cause)
            }
            return parse(networking(request))
        }
        // Even if the answer is cancelled early, it's delivered only when its turn comes.
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
                progress.withLock { $0.endRequest() }
                delivered.resolve(with: ())
            }
            if progress.withLock({ $0.isCancelled }) { answer.cancel() }
        }
        return answer
    }

    /// A future that settles when all declared requests have been delivered.
    ///
    /// It also waits for the requests that completions declare. If the sequence stops at failures, the future
    /// fails with the first error, after all completions were called. If the sequence goes on after failures,
    /// the future succeeds, and ``failures`` has the errors. In both cases, the future fails with a
    /// `CancellationError` if ``cancel()`` has left a request without an answer. Cancelling this future cancels
    /// no request.
    public var finished: Future<Void> { Self.finish(of: progress) }

    /// The errors of the requests that failed, in order.
    ///
    /// Requests that were not sent add no error.
    public var failures: [any Error] { progress.withLock { $0.failures } }

    /// Cancels the request under way, and sends no more.
    ///
    /// The completions of the remaining requests get a ``RequestNotSent``. Requests that you declare later are
    /// not sent either, unless you resume the sequence.
    public func cancel() {
        let running = progress.withLock { $0.cancel() }
        running?()
    }

    /// Resumes the sequence after a failure or ``cancel()``.
    ///
    /// As soon as all completions have been called, the requests without an answer are sent again, in the order
    /// of declaration. Requests that succeeded are not sent again. ``failures`` is emptied. A completion may
    /// call this method, for example after it has renewed a token. The completions of requests that were not
    /// sent are called first, and then the sequence continues. If you call ``cancel()`` before that, the
    /// sequence stays cancelled.
    ///
    /// When a request is sent again, its completion is called again with the new answer. The future that the
    /// declaration of the request returned has already settled, and doesn't change.
    ///
    /// - Returns: A future that settles like ``finished``. If every request already has its answer, nothing is sent.
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

    private static func finish(
        of progress: Locked<RequestProgress>
    ) -> Future<Void> {
        let last = progress.withLock { $0.last }
        return last.flatMap {
            let (isLast, failure) = progress.withLock { ($0.last === last, $0.failure) }
            // Another request was declared meanwhile, so the future waits for it too.
            if !isLast { return finish(of: progress) }
            if let failure { throw failure }
            return Future(value: ())
        }
    }
}

/// The rule for the requests that follow a failed one in a ``RequestState``.
public enum RequestFailureRule: Hashable, Sendable {
    /// Later requests are not sent: their completions get a ``RequestNotSent``.
    case stop
    /// Later requests are sent anyway.
    case goOn
}

/// The error of a request that a ``RequestState`` didn't send.
///
/// Either an earlier request failed, or the sequence was cancelled.
public struct RequestNotSent: Error, CustomStringConvertible {
    /// The request's place in the sequence, counted from 1.
    public let number: Int

    /// The error of the first failed request, or a `CancellationError`.
    public let cause: any Error

    /// Creates an error.
    public init(number: Int, cause: any Error) {
        self.number = number
        self.cause = cause
    }

    /// The number of the request, and the reason.
    public var description: String {
        let reason =
            cause is CancellationError
            ? "the sequence was cancelled" : "one before it failed: \(cause)"
        return "request \(number) was not sent, because \(reason)"
    }
}

/// A request for a ``RequestState``, with its completion, as a value, for code that has no enum of events.
///
/// All such values have the same type, even if their answers are decoded to different types. So an array can
/// hold them, and they can be the events of a reducer:
///
/// ```swift
/// let requests = Reducer<RequestState, RequestAction>.requests()
/// var state = RequestState(networking: networking)
/// requests.reduce(&state, .send(.route) { (result: Result<Route, any Error>) in … })
/// requests.reduce(&state, .send(.login) { (result: Result<Session, any Error>) in … })
/// ```
public struct RequestAction: Sendable {
    fileprivate let declare: @Sendable (RequestState) -> Void

    /// Creates a value from a function that declares requests.
    ///
    /// - Parameter declare: Called with the state. It declares one or more requests.
    public init(_ declare: @escaping @Sendable (RequestState) -> Void) {
        self.declare = declare
    }

    /// A request whose answer is JSON.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called as in `RequestState.sendRequest(_:completion:)`.
    public static func send<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: @escaping @Sendable (Result<Response, any Error>) -> Void
    ) -> RequestAction {
        RequestAction { $0.sendRequest(request, completion: completion) }
    }

    /// A request whose answer is delivered as bytes.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called as in `RequestState.sendRequest(_:completion:)`.
    public static func send(
        _ request: Endpoint,
        completion: (@Sendable (Result<Data, any Error>) -> Void)? = nil
    ) -> RequestAction {
        RequestAction { $0.sendRequest(request, completion: completion) }
    }
}

extension Reducer where State == RequestState, Event == RequestAction {
    /// A reducer whose events are requests, and whose state is the object that sends them.
    ///
    /// The state is an object, so this reducer isn't pure. It is the article's reducer, for existing code that calls
    /// it. In a `Store`, send requests with effects instead.
    public static func requests() -> Reducer {
        Reducer { (state: inout State, action: Event) in action.declare(state) }
    }
}

/// The progress of a sequence of requests.
///
/// Each request is appended, begins when the one before was delivered, perhaps fails, and ends. One without an answer
/// is kept, and appended again if the sequence is resumed.
private struct RequestProgress: Sendable {
    /// Sends a request once `previous` has settled; resolves `delivered` when the completion has returned.
    typealias Send =
        @Sendable (RequestState, _ previous: Future<Void>, _ delivered: Promise<Void>) -> Void

    let rule: RequestFailureRule
    /// Settles when the last request was delivered.
    private(set) var last: Future<Void> = Future(value: ())
    private(set) var failures: [any Error] = []
    private(set) var isCancelled = false
    /// True if cancelling left a request without an answer.
    private var isCutShort = false
    /// The requests that failed or weren't sent, in order.
    private var unanswered: [Send] = []
    private var isToResume = false
    private var count = 0
    /// Cancels the request under way.
    private var running: (@Sendable () -> Void)?

    init(rule: RequestFailureRule) { self.rule = rule }

    /// Why no more requests may be sent; nil if they may.
    var reasonToStop: (any Error)? {
        if isCancelled { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// The sequence's error after all deliveries.
    var failure: (any Error)? {
        if isCutShort { return CancellationError() }
        return rule == .stop ? failures.first : nil
    }

    /// Adds a request; returns its number, from 1, and the future that it has to wait for.
    mutating func append(_ delivered: Future<Void>) -> (number: Int, previous: Future<Void>) {
        defer { last = delivered }
        count += 1
        return (count, last)
    }

    mutating func started(cancelledBy cancel: @escaping @Sendable () -> Void) { running = cancel }

    mutating func fail(_ error: any Error, _ again: @escaping Send) {
        if isCancelled { isCutShort = true }
        unanswered.append(again)
        if !(error is RequestNotSent) { failures.append(error) }
    }

    mutating func endRequest() { running = nil }

    /// Cancels the sequence; returns the function that cancels the request under way.
    mutating func cancel() -> (@Sendable () -> Void)? {
        isCancelled = true
        isToResume = false
        return running
    }

    mutating func resume() { isToResume = true }

    /// If all requests were delivered, takes those without an answer, to send them again.
    ///
    /// - Parameter last: The delivery that the caller has waited for.
    /// - Returns: The functions that send the requests; nil if another request was declared meanwhile, and empty if the
    ///   sequence isn't to be resumed.
    mutating func takeUnanswered(after last: Future<Void>) -> [@Sendable (RequestState) -> Void]? {
        guard self.last === last else { return nil }
        guard isToResume else { return [] }
        (isToResume, isCancelled, isCutShort, failures) = (false, false, false, [])
        defer { unanswered = [] }
        return unanswered.map { send in
            let delivered = Promise<Void>()
            defer { self.last = delivered }
            return { [last = self.last] in send($0, last, delivered) }
        }
    }
}

public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeStores

/// Requests that are sent one after another, in the order of their declaration: the article's state.
///
/// ```swift
/// var state = RequestState(networking: networking)
/// requestReducer.reduce(&state, .sendFirstRequest(.route))
/// requestReducer.reduce(&state, .sendSecondRequest(.login))
/// state.finished.observe { result in … }
/// ```
public typealias RequestState = RequestSequence<Endpoint, Data>

/// A request for a ``RequestState`` as a value, for code without an enum of its own events.
public typealias RequestAction = QueuedRequest<Endpoint, Data>

extension RequestSequence where Request == Endpoint, Answer == Data {
    /// Declares a request whose answer is JSON; returns at once.
    ///
    /// ```swift
    /// state.sendRequest(.login) { (result: Result<Session, any Error>) in … }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the decoded answer, of the type that the closure names, or with the error;
    ///     otherwise it is called as `send(_:parse:completion:)` calls it.
    /// - Returns: The answer, as a future.
    @preconcurrency
    @discardableResult
    public func sendRequest<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        send(request, parse: { $0.decoded() }, completion: completion)
    }

    /// Declares a request whose answer is used as bytes.
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
        send(request, completion: completion)
    }
}

extension QueuedRequest where Request == Endpoint, Answer == Data {
    /// A request whose answer is JSON.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the decoded answer, of the type that the closure names.
    public static func send<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: @escaping @Sendable (Result<Response, any Error>) -> Void
    ) -> QueuedRequest {
        .send(request, parse: { $0.decoded() }, completion: completion)
    }
}

extension Reducer {
    /// The reducer whose events are requests: it declares each one with the sequence, which is its state.
    ///
    /// The sequence is an object, so this reducer is not pure. It is the article's, for existing calls of it;
    /// a `Store` sends requests by effects.
    public static func requests<Request, Answer>() -> Reducer
    where State == RequestSequence<Request, Answer>, Event == QueuedRequest<Request, Answer> {
        Reducer { (state: inout State, step: Event) in state.send(step) }
    }
}

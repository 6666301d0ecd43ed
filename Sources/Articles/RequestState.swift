public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeStores

/// The article's state: requests that are sent one after another, in the order in which they are declared.
///
/// ```swift
/// var state = RequestState(networking: networking)
/// requestReducer.reduce(&state, .sendFirstRequest(.route))
/// requestReducer.reduce(&state, .sendSecondRequest(.login))
/// state.finished.observe { result in … }
/// ```
public typealias RequestState = RequestSequence<Endpoint, Data>

/// A request for a ``RequestState``, as a value, for code that has no enum of events.
public typealias RequestAction = QueuedRequest<Endpoint, Data>

extension RequestSequence where Request == Endpoint, Answer == Data {
    /// Declares a request whose answer is JSON, and returns at once.
    ///
    /// ```swift
    /// state.sendRequest(.login) { (result: Result<Session, any Error>) in … }
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the decoded answer or the error, under the same rules as in
    ///     `send(_:parse:completion:)`. The answer is decoded as the type that the closure names.
    /// - Returns: The answer, as a future.
    @preconcurrency
    @discardableResult
    public func sendRequest<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> Future<Response> {
        send(request, parse: { $0.decoded() }, completion: completion)
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
        send(request, completion: completion)
    }
}

extension QueuedRequest where Request == Endpoint, Answer == Data {
    /// A request whose answer is JSON.
    ///
    /// - Parameters:
    ///   - request: The request's endpoint.
    ///   - completion: Called with the decoded answer, or with the error. The answer is decoded as the type that the
    ///     closure names.
    public static func send<Response: Decodable & Sendable>(
        _ request: Endpoint,
        completion: @escaping @Sendable (Result<Response, any Error>) -> Void
    ) -> QueuedRequest {
        .send(request, parse: { $0.decoded() }, completion: completion)
    }
}

extension Reducer {
    /// A reducer whose events are requests, and whose state is the sequence that sends them.
    ///
    /// The sequence is an object, so this reducer isn't pure. It is the article's reducer, for existing code that calls
    /// it. In a `Store`, send requests with effects instead.
    public static func requests<Request, Answer>() -> Reducer
    where State == RequestSequence<Request, Answer>, Event == QueuedRequest<Request, Answer> {
        Reducer { (state: inout State, step: Event) in state.send(step) }
    }
}

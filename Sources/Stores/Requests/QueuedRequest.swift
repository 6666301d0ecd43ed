public import PledgeFutures

/// One request of a ``RequestSequence`` as a value: the request and its completion.
///
/// Requests with answers of different types have the same type as steps, so an array can hold them, and they
/// can be the events of a reducer:
///
/// ```swift
/// let requests = Reducer<RequestState, RequestAction>.requests()
/// var state = RequestState(networking: networking)
/// requests.reduce(&state, .send(.route) { (result: Result<Route, any Error>) in … })
/// requests.reduce(&state, .send(.login) { (result: Result<Session, any Error>) in … })
/// ```
///
/// With `import Pledge`, `RequestAction` is this type for endpoints and data.
public struct QueuedRequest<Request: Sendable, Answer: Sendable>: Sendable {
    let declare: @Sendable (RequestSequence<Request, Answer>) -> Void

    /// Makes a step.
    ///
    /// - Parameter declare: Declares one or more requests with the passed sequence.
    public init(_ declare: @escaping @Sendable (RequestSequence<Request, Answer>) -> Void) {
        self.declare = declare
    }

    /// A request, with a function that converts the answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - parse: Converts the network's answer.
    ///   - completion: Called as with ``RequestSequence/send(_:parse:completion:)``.
    public static func send<Response: Sendable>(
        _ request: Request,
        parse: @escaping @Sendable (Future<Answer>) -> Future<Response>,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> QueuedRequest {
        QueuedRequest { $0.send(request, parse: parse, completion: completion) }
    }

    /// A request, with the network's answer unchanged.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completion: Called as with ``RequestSequence/send(_:parse:completion:)``.
    public static func send(
        _ request: Request,
        completion: (@Sendable (Result<Answer, any Error>) -> Void)? = nil
    ) -> QueuedRequest {
        QueuedRequest { $0.send(request, completion: completion) }
    }
}

extension RequestSequence {
    /// Declares a request.
    ///
    /// - Parameter step: The request.
    public func send(_ step: QueuedRequest<Request, Answer>) { step.declare(self) }

    /// Declares requests, in order.
    ///
    /// - Parameter steps: The requests.
    public func send(_ steps: [QueuedRequest<Request, Answer>]) {
        for step in steps { step.declare(self) }
    }
}

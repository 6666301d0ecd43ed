public import Futures

/// One request of a ``RequestSequence`` as a value: what is asked for, and where the answer goes.
///
/// Requests whose answers are of different types have one type as steps, so that they can stand in
/// an array, or be the events of a reducer:
///
/// ```swift
/// let requests = Reducer<RequestState, RequestAction>.requests()
/// var state = RequestState(networking: networking)
/// requests.reduce(&state, .send(.route) { (result: Result<Route, any Error>) in … })
/// requests.reduce(&state, .send(.login) { (result: Result<Session, any Error>) in … })
/// ```
///
/// With `import Pledge`, `RequestAction` is this type for endpoints and data.
public struct RequestStep<Request: Sendable, Answer: Sendable>: Sendable {
    let declare: @Sendable (RequestSequence<Request, Answer>) -> Void

    /// Makes a step.
    ///
    /// - Parameter declare: Declares the request, or several, with the sequence that it is given.
    public init(_ declare: @escaping @Sendable (RequestSequence<Request, Answer>) -> Void) {
        self.declare = declare
    }

    /// A request whose answer is parsed into a type of its own.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - parse: Makes the answer's type of what the network returns.
    ///   - completion: Called as with ``RequestSequence/send(_:parse:completion:)``.
    public static func send<Response: Sendable>(
        _ request: Request,
        parse: @escaping @Sendable (Future<Answer>) -> Future<Response>,
        completion: (@Sendable (Result<Response, any Error>) -> Void)?
    ) -> RequestStep {
        RequestStep { $0.send(request, parse: parse, completion: completion) }
    }

    /// A request whose answer is taken as the network returns it.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - completion: Called as with ``RequestSequence/send(_:parse:completion:)``.
    public static func send(
        _ request: Request,
        completion: (@Sendable (Result<Answer, any Error>) -> Void)? = nil
    ) -> RequestStep {
        RequestStep { $0.send(request, completion: completion) }
    }
}

extension RequestSequence {
    /// Declares a request.
    ///
    /// - Parameter step: The request.
    public func send(_ step: RequestStep<Request, Answer>) { step.declare(self) }

    /// Declares requests, in order.
    ///
    /// - Parameter steps: The requests.
    public func send(_ steps: [RequestStep<Request, Answer>]) {
        for step in steps { step.declare(self) }
    }
}

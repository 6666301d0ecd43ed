public import PledgeFutures

/// Puts middleware around a service.
///
/// ```swift
/// let api = stack(
///     .deadline(.seconds(10)), .retry(budget: budget), .timeout(.seconds(2)),
///     over: transport.send
/// )
/// ```
///
/// A call passes through the middleware in the order given, and its result passes back in reverse order. So the first
/// one is outermost.
///
/// A call that you make in a task that is already cancelled fails with `CancellationError`, even if you don't await it.
/// It passes through no middleware, so it takes no token and no place. Later calls, such as retries, don't depend on
/// the task that happens to run them. To make a call from a cancelled task, for example to clean up, use a new `Task`.
///
/// - Parameters:
///   - middleware: The middleware, outermost first. Without any, the result is the service itself.
///   - service: The innermost service.
/// - Returns: The service with all middleware around it. State that calls share, such as a budget, lives in the
///   values that you pass to the middleware.
public func stack<Input: Sendable, Output: Sendable>(
    _ middleware: Middleware<Input, Output>...,
    over service: @escaping Service<Input, Output>
) -> Service<Input, Output> {
    middleware.isEmpty ? service : unlessCancelled(Middleware(stacking: middleware)(service))
}

/// Puts middleware around an async function.
///
/// - Parameters:
///   - middleware: The middleware, outermost first.
///   - function: The innermost function. Each call runs it in a new task, which has the call's ``CallContext`` and is
///     cancelled with the call.
/// - Returns: A service with all middleware around the function.
@_disfavoredOverload
public func stack<Input: Sendable, Output: Sendable>(
    _ middleware: Middleware<Input, Output>...,
    over function: @escaping @Sendable (Input) async throws -> Output
) -> Service<Input, Output> {
    unlessCancelled(Middleware(stacking: middleware)(asFuture(function)))
}

/// Returns a service whose calls fail at once if they are made by a task that is already cancelled.
package func unlessCancelled<Input: Sendable, Output: Sendable>(
    _ service: @escaping Service<Input, Output>
) -> Service<Input, Output> {
    { input in .unlessCancelled { service(input) } }
}

/// A function from an input to the future of an output, such as a network request or a loader.
///
/// ```swift
/// let loadProduct: Service<Product.ID, Product> = chain(Endpoint.product, to: api)
/// ```
///
/// The type is an alias, so any function of this form is a service: a closure, a method such as `transport.send`, or
/// a composition of services. A ``Middleware`` turns one service into another.
public typealias Service<Input: Sendable, Output: Sendable> = @Sendable (Input) -> Future<Output>

/// A function that wraps a service, and adds behaviour around each call.
///
/// ```swift
/// let logged = Middleware<Endpoint, Data> { next in
///     { endpoint in next(endpoint).onFailure { error in log("\(endpoint): \(error)") } }
/// }
/// let api = logged(transport)
/// ```
///
/// The policies are static members of this type, so code completion lists them after a dot:
/// `stack(.deadline(.seconds(10)), .retry(), over: transport)`. Define your own as static members too.
///
/// The outer closure runs once, when the stack is built. The inner one runs for each call, on the caller's thread.
///
/// The call's ``CallContext`` is in place in the inner closure itself, and in a closure that you pass to `flatMap` or
/// to another transform whose closure returns a future. In any other callback, wrap the call of `next` in
/// ``CallContext/run(_:)``. Otherwise, the wrapped service doesn't see the call's deadline.
public struct Middleware<Input: Sendable, Output: Sendable>: Sendable {
    /// Wraps a service.
    ///
    /// - Parameter service: The service to wrap.
    /// - Returns: The service with this middleware around it.
    public func callAsFunction(
        _ service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        // An `HTTPRequest` is such an input: it keeps the cookies of answers.
        guard let type = Input.self as? any AnswerReceiving.Type else { return wrap(service) }
        return wrap(type.receiving(from: service))
    }

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - name: The middleware's name in ``parts``, such as "retry" for the static member `retry`.
    ///   - isIdle: Returns whether ``keyed(by:limit:named:failsOpen:_:)`` may discard this middleware's state and
    ///     create it again later without losing anything. An open breaker, for example, isn't idle. Called on any
    ///     thread, while no lock is held.
    ///   - wrap: Returns the wrapped service. Called once for each service that the middleware wraps.
    public init(
        named name: String? = nil, isIdle: @escaping @Sendable () -> Bool = { true },
        _ wrap:
            @escaping @Sendable (_ next: @escaping Service<Input, Output>) -> Service<
                Input, Output
            >
    ) {
        self.init(parts: name.map { [$0] } ?? [], isIdle: isIdle, wrap)
    }

    /// Creates a middleware from an async closure.
    ///
    /// ```swift
    /// let signed = Middleware<HTTPRequest, HTTPResponse> { request, next in
    ///     var request = request
    ///     request.headers["X-Signature"] = try await signer.sign(request)
    ///     return try await next(request)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The middleware's name in ``parts``.
    ///   - body: Runs for each call, in a new task that has the call's ``CallContext`` and is cancelled with the
    ///     call. It may call `next`, the wrapped service, any number of times.
    public init(
        named name: String? = nil,
        _ body:
            @escaping @Sendable (
                _ input: Input, _ next: @escaping @Sendable (Input) async throws -> Output
            ) async throws -> Output
    ) {
        self.init(named: name) { next in
            let awaited = awaiting(next)
            return { input in Future { try await body(input, awaited) } }
        }
    }

    /// Creates a middleware that is composed of several parts.
    package init(
        parts: [String], isIdle: @escaping @Sendable () -> Bool = { true },
        _ wrap:
            @escaping @Sendable (@escaping Service<Input, Output>) -> Service<Input, Output>
    ) {
        self.parts = parts
        self.isIdle = isIdle
        self.wrap = wrap
    }

    /// The names of the middleware in this composition, outermost first, such as `["retry", "timeout"]`.
    ///
    /// Middleware without a name is left out, and so is the middleware that ``keyed(by:limit:named:failsOpen:_:)``
    /// creates for a key.
    public let parts: [String]

    /// Returns whether the middleware's state can be discarded now without losing anything.
    let isIdle: @Sendable () -> Bool

    /// Wraps a service that already hands its answers to their inputs (``AnswerReceiving``), as middleware does.
    package let wrap: @Sendable (@escaping Service<Input, Output>) -> Service<Input, Output>
}

/// An input that receives each answer where it arrives, below all middleware.
///
/// So it also receives an answer that middleware replaces by another one, and an answer that several callers share.
package protocol AnswerReceiving: Sendable {
    /// Takes the part of an answer that the input needs.
    ///
    /// - Returns: The answer, or a copy in which the part that was taken is marked.
    func receive<Output: Sendable>(_ answer: Future<Output>) -> Future<Output>
}

extension AnswerReceiving {
    /// Returns a service that hands each answer to its input; `Input` is this type.
    fileprivate static func receiving<Input: Sendable, Output: Sendable>(
        from service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        { input in
            let answer = service(input)
            return (input as? Self)?.receive(answer) ?? answer
        }
    }
}

extension Middleware {
    /// Puts this middleware around another one, and returns both as one.
    ///
    /// ```swift
    /// let patient: Middleware<Endpoint, Data> = .retry().around(.timeout(.seconds(2)))
    /// ```
    ///
    /// - Parameter inner: The middleware inside this one.
    public func around(_ inner: Middleware) -> Middleware {
        Middleware(stacking: [self, inner])
    }

    /// Creates one middleware from several, the first one outermost.
    ///
    /// - Parameter middleware: The middleware to compose. If the array is empty, the result changes nothing.
    public init(stacking middleware: [Middleware]) {
        self.init(
            parts: middleware.flatMap(\.parts), isIdle: { middleware.allSatisfy { $0.isIdle() } }
        ) { service in
            // `reduce` would wrap each service in two thunks, because its result is generic.
            var service = service
            for part in middleware.reversed() { service = part.wrap(service) }
            return service
        }
    }

    /// Applies the middleware only to calls whose input meets a condition.
    ///
    /// ```swift
    /// .retry().only { request in request.method == .get }
    /// ```
    ///
    /// - Parameter condition: Returns whether to apply the middleware to a call with this input. Called once for each
    ///   call, on the caller's thread.
    public func only(
        where condition: @escaping @Sendable (Input) -> Bool
    ) -> Middleware {
        Middleware(parts: parts, isIdle: isIdle) { next in
            let service = wrap(next)
            return { input in condition(input) ? service(input) : next(input) }
        }
    }

    /// A middleware that changes nothing, and returns the service itself.
    ///
    /// Use it for an optional part of a stack: `isDebug ? logged : .passThrough`.
    public static var passThrough: Middleware { Middleware { $0 } }
}

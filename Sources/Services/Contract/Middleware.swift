import PledgeFutures

/// A function from a service to a service, which adds behaviour around each call.
///
/// ```swift
/// let logged = Middleware<Endpoint, Data> { next in
///     { endpoint in next(endpoint).onFailure { error in log("\(endpoint): \(error)") } }
/// }
/// let api = logged(transport)
/// ```
///
/// The policies are static members of this type, so that completion lists them after a dot:
/// `stack(.deadline(.seconds(10)), .retry(), over: transport)`. Define your own there as well.
///
/// The outer closure runs once, when the stack is built; the inner one for each call, on the
/// thread of the caller. A middleware that calls `next` later, in a transform that returns a future, such as
/// that of `flatMap`, does so in the same ``CallContext``. In any other callback it has to wrap that call in
/// ``CallContext/run(_:)``, so that the parts beneath have the call's deadline.
public struct Middleware<Input: Sendable, Output: Sendable> {
    /// Makes a service from another.
    ///
    /// - Parameter service: The service beneath.
    /// - Returns: The service with this around it.
    public func callAsFunction(
        _ service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        wrap(service)
    }

    /// Makes a middleware.
    ///
    /// - Parameters:
    ///   - name: Its name in ``parts``, like the static member that makes it: "retry".
    ///   - isIdle: Whether an ``keyed(by:limit:named:_:)`` may discard the state that it keeps between calls,
    ///     and make it again, without a loss: false for an open breaker. Called on any thread, while no lock
    ///     is held.
    ///   - wrap: Makes a service from the one beneath. Called once for each service that the middleware is
    ///     put around.
    public init(
        named name: String? = nil, isIdle: @escaping @Sendable () -> Bool = { true },
        _ wrap:
            @escaping @Sendable (_ next: @escaping Service<Input, Output>) -> Service<
                Input, Output
            >
    ) {
        self.init(parts: name.map { [$0] } ?? [], isIdle: isIdle, wrap)
    }

    /// Makes a middleware of an async closure.
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
    ///   - name: Its name in ``parts``.
    ///   - body: Called for each call, in a task of its own that has the call's ``CallContext`` and is cancelled with the call.
    ///     It calls `next`, the service beneath, as often as it wishes.
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

    /// Makes a middleware that stands for several parts.
    package init(
        parts: [String], isIdle: @escaping @Sendable () -> Bool = { true },
        _ wrap:
            @escaping @Sendable (@escaping Service<Input, Output>) -> Service<Input, Output>
    ) {
        self.parts = parts
        self.isIdle = isIdle
        self.wrap = wrap
    }

    /// The names of the middleware that it is composed of, outermost first, such as `["retry", "timeout"]`.
    ///
    /// Middleware without a name is left out, and so is the middleware that an
    /// ``keyed(by:limit:named:_:)`` makes for a key.
    public let parts: [String]

    /// Whether the middleware's state may be discarded now without a loss.
    let isIdle: @Sendable () -> Bool

    private let wrap: @Sendable (@escaping Service<Input, Output>) -> Service<Input, Output>
}

extension Middleware {
    /// Composes two into one: this outside, the other beneath it.
    ///
    /// ```swift
    /// let patient: Middleware<Endpoint, Data> = .retry().around(.timeout(.seconds(2)))
    /// ```
    ///
    /// - Parameter inner: The middleware beneath.
    public func around(_ inner: Middleware) -> Middleware {
        Middleware(stacking: [self, inner])
    }

    /// Composes any number into one, the first outermost.
    ///
    /// - Parameter middleware: The parts; without parts, the result changes nothing.
    public init(stacking middleware: [Middleware]) {
        self.init(
            parts: middleware.flatMap(\.parts), isIdle: { middleware.allSatisfy { $0.isIdle() } }
        ) { service in
            middleware.reversed().reduce(service) { $1($0) }
        }
    }

    /// Puts it around the calls with some inputs only.
    ///
    /// ```swift
    /// .retry().only { request in request.method == .get }
    /// ```
    ///
    /// - Parameter condition: Whether it is around the call with an input. Called once a call, on the caller's thread.
    public func only(
        where condition: @escaping @Sendable (Input) -> Bool
    ) -> Middleware {
        Middleware(parts: parts, isIdle: isIdle) { next in
            let service = self(next)
            return { input in condition(input) ? service(input) : next(input) }
        }
    }

    /// A middleware that changes nothing: it returns the service itself.
    ///
    /// For a part that is optional in a stack: `isDebug ? logged : .passThrough`.
    public static var passThrough: Middleware { Middleware { $0 } }
}

extension Middleware: Sendable {}

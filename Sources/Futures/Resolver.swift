/// The write side of a future from ``Future/make(fileID:line:_:)``, as an object of its own.
///
/// Pass it to the callback that will settle the future. If the last reference to the resolver is released before
/// the future has settled, the future fails with ``FutureError/Code/abandoned``, even if other code holds the
/// future. So a callback that is dropped without a call leaves no observer waiting.
public final class Resolver<Value: Sendable>: Sendable {
    private let future: Future<Value>
    private let location: CodeLocation

    init(_ future: Future<Value>, location: CodeLocation) {
        self.future = future
        self.location = location
    }

    deinit {
        if !future.hasSettled {
            _ = future.fail(Failure(FutureError(.abandoned, at: location)))
        }
    }

    /// Settles the future with a value, and calls the waiters before it returns.
    ///
    /// - Returns: False if the future was settled before. The value is then discarded.
    @discardableResult
    public func resolve(with value: Value) -> Bool {
        future.succeed(value)
    }

    /// Settles the future with an error, and calls the waiters before it returns.
    ///
    /// - Parameter error: The error, which arrives unchanged.
    /// - Returns: False if the future was settled before. The error is then discarded.
    @discardableResult
    public func reject(with error: any Error) -> Bool {
        future.fail(Failure(error))
    }

    /// Settles the future with a result, and calls the waiters before it returns.
    ///
    /// - Returns: False if the future was settled before. The result is then discarded.
    @discardableResult
    public func settle(with result: Result<Value, any Error>) -> Bool {
        future.finish(with: result)
    }

    /// Registers a handler for the moment when the result is no longer wanted; see ``Promise/onCancel(_:)``.
    ///
    /// A handler that captures the resolver keeps the resolver alive until the future has settled.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        future.add(CancelHandlers(handler))
    }
}

extension Future {
    /// Creates a future that a callback settles.
    ///
    /// ```swift
    /// let image = Future<Image>.make { resolver in
    ///     decoder.decode(data) { image in resolver.resolve(with: image) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The file that the error names if the future is abandoned; leave it out.
    ///   - line: The line that the error names if the future is abandoned; leave it out.
    ///   - start: Starts the work. Called once, before this method returns. If the last reference to the resolver
    ///     is released while the future is pending, the future fails as abandoned.
    /// - Returns: The future that the resolver settles.
    public static func make(
        fileID: StaticString = #fileID, line: UInt = #line, _ start: (Resolver<Value>) -> Void
    ) -> Future {
        let location = CodeLocation(fileID: fileID, line: line)
        let future = ResolvedFuture<Value>(at: location)
        start(Resolver(future, location: location))
        return future
    }
}

/// The future that a resolver settles.
private final class ResolvedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    private let location: CodeLocation

    init(at location: CodeLocation) {
        self.location = location
        super.init()
    }

    override var origin: CodeLocation? { location }
}

extension Resolver where Value == Void {
    /// Settles a future that has no value.
    ///
    /// - Returns: False if the future was settled before.
    @discardableResult
    public func resolve() -> Bool { resolve(with: ()) }
}

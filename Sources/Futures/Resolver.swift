/// The write side of a future made by ``Future/make(fileID:line:_:)``, apart from the future itself.
///
/// Give it to the callback that will settle the future. When the last reference to a resolver is released
/// before the future has settled, the future fails with ``FutureError/Code/abandoned``, even if other code
/// holds the future; so a callback that is dropped without a call leaves no observer waiting.
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
    /// - Parameter value: The value.
    /// - Returns: False if the future was settled before; the value is discarded then.
    @discardableResult
    public func resolve(with value: Value) -> Bool {
        future.succeed(value)
    }

    /// Settles the future with an error, and calls the waiters before it returns.
    ///
    /// - Parameter error: The error. It arrives as it is.
    /// - Returns: False if the future was settled before; the error is discarded then.
    @discardableResult
    public func reject(with error: any Error) -> Bool {
        future.fail(Failure(error))
    }

    /// Settles the future with a result, and calls the waiters before it returns.
    ///
    /// - Returns: False if the future was settled before; the result is discarded then.
    @discardableResult
    public func settle(with result: Result<Value, any Error>) -> Bool {
        future.finish(with: result)
    }

    /// Registers what to do when the result is no longer wanted, as ``Promise/onCancel(_:)`` does.
    ///
    /// A handler that keeps the resolver keeps it until the future has settled.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        future.add(CancelHandlers(handler))
    }
}

extension Future {
    /// Makes a future whose producer is a callback.
    ///
    /// ```swift
    /// let image = Future<Image>.make { resolver in
    ///     decoder.decode(data) { image in resolver.resolve(with: image) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The file that an abandoned error names; leave it out.
    ///   - line: The line that an abandoned error names; leave it out.
    ///   - start: Starts the work. Called once, before this method returns. The future fails as abandoned
    ///     when the last reference to the resolver is released while the future is pending.
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

/// The future of a resolver.
private final class ResolvedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    private let location: CodeLocation

    init(at location: CodeLocation) {
        self.location = location
        super.init()
    }

    override var origin: CodeLocation? { location }
}

extension Resolver where Value == Void {
    /// Settles a future without a value.
    ///
    /// - Returns: False if the future was settled before.
    @discardableResult
    public func resolve() -> Bool { resolve(with: ()) }
}

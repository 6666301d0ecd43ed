/// The write side of a future: its holder can settle it, once.
///
/// A promise *is* the future it settles, so a function makes one and returns it as a ``Future``:
///
/// ```swift
/// func load() -> Future<Data> {
///     let promise = Promise<Data>()
///     task.start { data in promise.resolve(with: data) }
///     promise.onCancel { task.cancel() }
///     return promise
/// }
/// ```
///
/// ## Abandonment
///
/// When the last reference to an unsettled promise is released, it cannot be settled any more. Its
/// observers, and the futures derived from it, then fail with ``FutureError/Code/abandoned``, which
/// names the file and line that made the promise. Code that holds the future holds the promise, so a producer
/// that passes a callback on uses ``Future/make(fileID:line:_:)`` instead, whose resolver has a lifetime of
/// its own.
public final class Promise<Value: Sendable>: Future<Value>, @unchecked Sendable {
    @usableFromInline let location: CodeLocation

    /// Makes a pending promise.
    ///
    /// The arguments name the place that made it; leave them out.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        location = CodeLocation(fileID: fileID, line: line)
        super.init()
    }

    /// Makes a promise with a result.
    public convenience init(result: Result<Value, any Error>) {
        self.init()
        settle(with: result)
    }

    /// Makes a promise that has succeeded already.
    @inlinable
    @_disfavoredOverload
    public override init(value: Value) {
        location = CodeLocation()
        super.init(value: value)
    }

    /// Makes a promise that has failed already.
    public override init(error: any Error) {
        location = CodeLocation()
        super.init(error: error)
    }

    deinit {
        if !hasSettled { abandon(at: location) }
    }

    /// Settles the promise with a value, and calls the waiters before it returns.
    ///
    /// - Parameter value: The value.
    /// - Returns: False if the promise was settled before; the value is discarded then.
    @inlinable
    @discardableResult
    public func resolve(with value: Value) -> Bool {
        succeed(value)
    }

    /// Settles the promise with an error, and calls the waiters before it returns.
    ///
    /// - Parameter error: The error. It arrives as it is.
    /// - Returns: False if the promise was settled before; the error is discarded then.
    @discardableResult
    public func reject(with error: any Error) -> Bool {
        fail(Failure(error))
    }

    /// Settles the promise with a result, and calls the waiters before it returns.
    ///
    /// - Returns: False if the promise was settled before; the result is discarded then.
    @discardableResult
    public func settle(with result: Result<Value, any Error>) -> Bool { finish(with: result) }

    /// Settles the promise as another future settles, unless it is settled before.
    ///
    /// Until then that future keeps the promise. If the promise is cancelled, also when its last waiter gives up from now
    /// on, or if it is settled otherwise, it gives up its interest in the other. If the other waits for the promise, the
    /// promise fails with ``FutureError/Code/cycle``. A task that awaits the promise raises the priority of the tasks that
    /// produce the other.
    public func follow(_ future: Future<Value>) {
        if let cycle = cycle(through: future) {
            _ = fail(Failure(cycle))
            return
        }
        add(
            FollowingHandlers(future.observed { _ = self.finish(as: $0) }),
            forgettingWhoGaveUp: true)
    }

    override var origin: CodeLocation? { location }

    /// Registers what to do when the result is no longer wanted.
    ///
    /// The handler runs once: when the promise is cancelled, or when its last waiter has given up,
    /// which then settles it with `CancellationError`. If that has happened before, it runs at once. If the
    /// promise settles otherwise, the handler is released without a call. Several handlers run in order, on
    /// the thread that cancels, or on another thread if a task that awaits is cancelled. No lock is held
    /// meanwhile.
    ///
    /// A promise without a handler stays pending when all interest is given up.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        add(CancelHandlers(handler))
    }
}

extension Promise where Value == Void {
    /// Settles a promise without a value.
    ///
    /// - Returns: False if the promise was settled before.
    @discardableResult
    public func resolve() -> Bool { resolve(with: ()) }
}

extension Promise {
    /// Not available: a promise is settled by its holder, and an operation makes a `Future { … }`.
    @available(*, unavailable, message: "write Future { try await … } for an operation")
    public convenience init(_ operation: @escaping @Sendable () async throws -> Value) {
        fatalError("unavailable")
    }
}

/// The framework's own promise: transports, policies and combinators return it as a future.
///
/// It does what a ``Promise`` does, but is not a subclass, so that no reader of the future can cast and
/// settle it.
package final class InternalPromise<Value: Sendable>: Future<Value>, @unchecked Sendable {
    private let location: CodeLocation

    package init(fileID: StaticString = #fileID, line: UInt = #line) {
        location = CodeLocation(fileID: fileID, line: line)
        super.init()
    }

    deinit {
        if !hasSettled { abandon(at: location) }
    }

    @discardableResult
    package func resolve(with value: Value) -> Bool { succeed(value) }

    @discardableResult
    package func reject(with error: any Error) -> Bool { fail(Failure(error)) }

    @discardableResult
    package func settle(with result: Result<Value, any Error>) -> Bool { finish(with: result) }

    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        add(CancelHandlers(handler))
    }

    /// Registers what to do when the result is no longer wanted, and when a task awaits it.
    ///
    /// - Parameters:
    ///   - handler: As that of ``onCancel(_:)``.
    ///   - raising: Called with the priority of a task that awaits the result, any number of times; returns the
    ///     futures that the producer waits for, whose tasks are raised to it as well. The runtime may hold a
    ///     lock of that task meanwhile, so it must not settle, cancel or start anything.
    package func onCancel(
        _ handler: @escaping @Sendable () -> Void,
        raising: @escaping @Sendable (TaskPriority) -> [FutureNode]
    ) {
        add(RaisingHandlers(handler, raising: raising))
    }

    override var origin: CodeLocation? { location }

    override var endsByItself: Bool { true }
}

extension InternalPromise where Value == Void {
    @discardableResult
    package func resolve() -> Bool { resolve(with: ()) }
}

/// The write side of a future: its holder can settle it, once.
///
/// A promise *is* the future that it settles, so a function creates a promise and returns it as a ``Future``:
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
/// If the last reference to an unsettled promise is released, no code can settle it any more. Its observers, and
/// the futures that derive from it, then fail with ``FutureError/Code/abandoned``, which names the file and line
/// that created the promise.
///
/// Code that holds the future also holds the promise. So if your producer passes on a callback, use
/// ``Future/make(fileID:line:_:)`` instead: its resolver can be released while the future lives on.
public final class Promise<Value: Sendable>: Future<Value>, @unchecked Sendable {
    @usableFromInline let location: CodeLocation

    /// Creates a pending promise.
    ///
    /// The arguments name the place that creates it; leave them out.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        location = CodeLocation(fileID: fileID, line: line)
        super.init()
    }

    /// Creates a promise that has already succeeded.
    @inlinable
    @_disfavoredOverload
    public override init(value: Value) {
        location = CodeLocation()
        super.init(value: value)
    }

    /// Creates a promise that has already failed.
    public override init(error: any Error) {
        location = CodeLocation()
        super.init(error: error)
    }

    deinit {
        if !hasSettled { abandon(at: location) }
    }

    /// Settles the promise with a value, and calls the waiters before it returns.
    ///
    /// - Returns: False if the promise was settled before. The value is then discarded.
    @inlinable
    @discardableResult
    public func resolve(with value: Value) -> Bool {
        succeed(value)
    }

    /// Settles the promise with an error, and calls the waiters before it returns.
    ///
    /// - Parameter error: The error, which arrives unchanged.
    /// - Returns: False if the promise was settled before. The error is then discarded.
    @discardableResult
    public func reject(with error: any Error) -> Bool {
        fail(Failure(error))
    }

    /// Settles the promise with a result, and calls the waiters before it returns.
    ///
    /// - Returns: False if the promise was settled before. The result is then discarded.
    @discardableResult
    public func settle(with result: Result<Value, any Error>) -> Bool { finish(with: result) }

    /// Settles the promise with the result of another future, unless the promise settles before.
    ///
    /// The other future keeps the promise alive until one of the two settles. The promise gives up its interest in the
    /// other future in three cases: the promise is cancelled, it settles in another way, or its last waiter gives up
    /// after this call.
    ///
    /// If the other future is cancelled, the promise fails with `CancellationError`. The promise itself isn't cancelled
    /// then, so its own handlers aren't called.
    ///
    /// If the other future is derived from the promise, the promise fails with ``FutureError/Code/cycle``. Two promises
    /// may follow each other: whichever settles first also settles the other, and neither is released before.
    ///
    /// A task that awaits the promise raises the priority of the tasks that produce the other future.
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

    /// Registers a handler for the moment when the result is no longer wanted.
    ///
    /// The handler runs once: when the promise is cancelled, or when its last waiter gives up. Both settle the promise
    /// with `CancellationError`. If that has already happened, the handler runs at once. If the promise settles in
    /// another way, the handler is released without a call, whether it was registered before or after. Another way is
    /// also a `CancellationError` that the producer passes on, with ``reject(with:)`` or from a future that the promise
    /// follows.
    ///
    /// Several handlers run in order of registration. They run on the thread that cancels, or on another thread if
    /// an awaiting task is cancelled. No lock is held meanwhile.
    ///
    /// A promise without a handler stays pending when its last waiter gives up.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        add(CancelHandlers(handler))
    }
}

extension Promise where Value == Void {
    /// Settles a promise that has no value.
    ///
    /// - Returns: False if the promise was settled before.
    @discardableResult
    public func resolve() -> Bool { resolve(with: ()) }
}

extension Promise {
    /// Unavailable: for an operation, write `Future { … }`; a promise is settled by its holder.
    @available(*, unavailable, message: "write Future { try await … } for an operation")
    public convenience init(_ operation: @escaping @Sendable () async throws -> Value) {
        fatalError("unavailable")
    }

    /// Unavailable: `resolve(with:)` settles a promise with a value.
    @available(*, unavailable, renamed: "resolve(with:)")
    public func fulfill(_ value: Value) { fatalError("unavailable") }
}

extension Future {
    /// Unavailable: `onFailure` sees an error, and `recover` puts a value in its place.
    @available(
        *, unavailable,
        message: "write onFailure to see an error, or recover to put a value in its place"
    )
    public final func `catch`(_ body: @escaping @Sendable (any Error) -> Void) -> Future<Value> {
        fatalError("unavailable")
    }
}

/// The framework's own promise: transports, policies and combinators return it as a future.
///
/// It works like a ``Promise``, but isn't a subclass of it. So code that gets the future can't cast it to a promise
/// and settle it.
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

    /// Registers a handler for the moment when the result is no longer wanted, and a closure that raises priorities.
    ///
    /// - Parameters:
    ///   - handler: Called like the handler of ``onCancel(_:)``.
    ///   - raising: Called any number of times, with the priority of a task that awaits the result. Returns the
    ///     futures that the producer waits for; the tasks that produce them are raised to that priority too. The
    ///     runtime may hold a lock of the awaiting task during the call, so the closure must not settle, cancel or
    ///     start anything.
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

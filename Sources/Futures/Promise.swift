/// The write side of a future: whoever holds it can settle it, once.
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
/// When the last reference to an unsettled promise goes, nobody can settle it any more. All that
/// observes it or derives from it then fails with ``FutureError/Code/abandoned``, which names the
/// file and line that made the promise. Since holding the future is holding the promise, a producer
/// that hands out a callback uses ``Future/make(fileID:line:_:)`` instead, whose resolver has a
/// lifetime of its own.
public final class Promise<Value: Sendable>: Future<Value>, @unchecked Sendable {
    @usableFromInline
    let location: SourceLocation

    /// Makes a pending promise.
    ///
    /// The arguments name the place that made it; leave them out.
    @inlinable
    public init(fileID: StaticString = #fileID, line: UInt = #line) {
        location = SourceLocation(fileID: fileID, line: line)
        super.init()
    }

    /// Makes a promise that has succeeded already.
    @inlinable
    @_disfavoredOverload
    public override init(value: Value) {
        location = SourceLocation()
        super.init(value: value)
    }

    /// Makes a promise that has failed already.
    public override init(error: any Error) {
        location = SourceLocation()
        super.init(error: error)
    }

    deinit {
        if !hasSettled {
            let failure = Failure(FutureError(.abandoned, at: location))
            abandon(failure, to: Future<Value>(sharing: failure))
        }
    }

    /// Settles the promise with a value, and calls those who wait before it returns.
    ///
    /// - Parameter value: The value.
    /// - Returns: False if the promise was settled before; the value is dropped then.
    @inlinable
    @discardableResult
    public func resolve(with value: Value) -> Bool {
        succeed(value)
    }

    /// Settles the promise with an error, and calls those who wait before it returns.
    ///
    /// - Parameter error: The error. It arrives as it is.
    /// - Returns: False if the promise was settled before; the error is dropped then.
    @discardableResult
    public func reject(with error: any Error) -> Bool {
        fail(Failure(error))
    }

    /// Registers what to do when the result is no longer wanted.
    ///
    /// The handler runs once: when the promise is cancelled, or when the last of those who waited
    /// for it has given up, which then settles it with `CancellationError`. If that has happened
    /// before, it runs at once. Once the promise has settled otherwise it is dropped. Several
    /// handlers run in order, on the thread that cancels, and no lock is held meanwhile.
    ///
    /// A promise without a handler does not hear of interest that is given up, and stays pending.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        addCancelHandler(handler)
    }
}

extension Promise where Value == Void {
    /// Settles the promise, where there is no value to tell.
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

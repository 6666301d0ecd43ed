extension Future {
    /// Makes a future from an asynchronous operation.
    ///
    /// ```swift
    /// let product = Future { try await store.product(7) }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for that of the caller.
    ///   - operation: Runs in a task of its own, which starts now. That task is cancelled when the
    ///     future is cancelled, or has lost the last who waited for it.
    public convenience init(
        priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init()
        // The task keeps the future until it ends, so the future is never abandoned.
        let task = Task(priority: priority) {
            do {
                _ = self.succeed(try await operation())
            } catch {
                _ = self.fail(Failure(error))
            }
        }
        addCancelHandler { task.cancel() }
    }

    /// Makes a future from an operation that happens not to await.
    ///
    /// The same as with one that does. Without this, Swift would take the closure for the value.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for that of the caller.
    ///   - operation: Runs in a task of its own, which starts now.
    public convenience init(
        priority: TaskPriority? = nil, _ operation: @escaping @Sendable () throws -> Value
    ) {
        self.init(priority: priority) { () async throws -> Value in try operation() }
    }

    /// The value, awaited.
    ///
    /// ```swift
    /// let product = try await loadProduct(7).value
    /// ```
    ///
    /// Returns at once if the future has settled. If the awaiting task is cancelled meanwhile, that
    /// one interest in the future is given up, as if a transform of it were cancelled; others who
    /// wait are not affected.
    ///
    /// - Throws: The future's error; `CancellationError` if the awaiting task was cancelled first.
    @inlinable
    public final var value: Value {
        get async throws {
            if isSettled { return try settledResult.get() }
            guard await settling(), isSettled else { throw CancellationError() }
            return try settledResult.get()
        }
    }

    /// The result, awaited.
    ///
    /// Never throws; otherwise as ``value``.
    ///
    /// If the awaiting task is cancelled first, this is a failure with `CancellationError`.
    @inlinable
    public final var settled: Result<Value, any Error> {
        get async {
            if isSettled { return settledResult }
            guard await settling(), isSettled else { return .failure(CancellationError()) }
            return settledResult
        }
    }
}

extension FutureNode {
    /// Suspends until there is a result: false where the awaiting task was cancelled first.
    ///
    /// The result is then read from the future, after an acquiring load of the reader's own, and is not
    /// handed over by the continuation: ThreadSanitizer does not see every hand-over of the runtime's.
    @usableFromInline
    final func settling() async -> Bool {
        let waiter = TaskWaiter()
        await withTaskCancellationHandler {
            await withUnsafeContinuation { waiter.wait(for: self, resuming: $0) }
        } onCancel: {
            waiter.cancel()
        }
        return waiter.wasDelivered
    }
}

extension Future {
    /// Makes a future from an asynchronous operation.
    ///
    /// ```swift
    /// let product = Future { try await store.product(7) }
    /// ```
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for that of the caller.
    ///   - fileID: The file that ``FutureDiagnostics`` names; leave it out.
    ///   - line: The line that ``FutureDiagnostics`` names; leave it out.
    ///   - operation: Runs in a task of its own, which starts now. That task is cancelled when the future is
    ///     cancelled, or has lost its last waiter.
    public convenience init(
        priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init()
        // The task keeps the future until it ends, so the future is never abandoned.
        let task =
            if let home = TaskHome.current {
                Task(executorPreference: home.executor, priority: priority) {
                    await self.settle(by: operation)
                }
            } else {
                Task(priority: priority) { await self.settle(by: operation) }
            }
        add(
            TaskHandlers(cancelling: task, madeAt: CodeLocation(fileID: fileID, line: line)))
    }

    private final func settle(by operation: @Sendable () async throws -> Value) async {
        do {
            _ = succeed(try await operation())
        } catch {
            _ = fail(Failure(error))
        }
    }

    /// Makes a future from an operation that does not await.
    ///
    /// It does the same as the initializer for an asynchronous operation. Without it, Swift would take the
    /// closure as the value.
    ///
    /// - Parameters:
    ///   - priority: The priority of the task; nil for that of the caller.
    ///   - fileID: The file that ``FutureDiagnostics`` names; leave it out.
    ///   - line: The line that ``FutureDiagnostics`` names; leave it out.
    ///   - operation: Runs in a task of its own, which starts now.
    public convenience init(
        priority: TaskPriority? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        _ operation: @escaping @Sendable () throws -> Value
    ) {
        self.init(priority: priority, fileID: fileID, line: line) { () async throws -> Value in
            try operation()
        }
    }

    /// The value, awaited.
    ///
    /// ```swift
    /// let product = try await loadProduct(7).value
    /// ```
    ///
    /// Returns at once if the future has settled, also in a task that is cancelled, as `Task.value` does.
    /// If the awaiting task is cancelled before the future settles, its interest in the future is given up, as
    /// if a transform of it were cancelled; other waiters are not affected. The producer's handlers then run
    /// on another thread.
    ///
    /// Awaiting does not keep the future alive: a future without other references, as in the
    /// example, is released while the task is suspended. So a promise whose producer drops it fails
    /// as abandoned.
    ///
    /// - Throws: The future's error; `CancellationError` if the awaiting task was cancelled first.
    @inlinable
    public final var value: Value {
        consuming get async throws { try await (consume self).resultWhenSettled.get() }
    }

    /// The result, awaited.
    ///
    /// Never throws; otherwise as ``value``.
    ///
    /// If the awaiting task is cancelled first, this is a failure with `CancellationError`.
    @inlinable
    public final var resultWhenSettled: Result<Value, any Error> {
        consuming get async {
            if hasSettled { return settledResult }
            let waiter = TaskWaiter()
            waiter.enroll(on: self)
            _ = consume self
            guard let source = await waiter.wait() else { return .failure(CancellationError()) }
            return unsafeDowncast(source, to: Future<Value>.self).settledResult
        }
    }
}

public import Pledge

extension MockNetwork {
    /// Takes the first call that was not yet taken.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The call, for the test to answer.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` if there is none.
    public func next(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) throws -> MockCall {
        if let call = takeArrived() { return call }
        throw MockError(
            noCallAfter: received,
            at: TestSourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Takes the next call, and waits for it if none has arrived.
    ///
    /// Several waiters get calls in the order in which they began to wait.
    ///
    /// - Parameters:
    ///   - limit: How long to wait. If thousands of tests run at once, a task may wait for minutes for its
    ///     turn.
    ///   - scheduler: The clock of the limit.
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The call, for the test to answer.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` when the limit is reached,
    ///   `CancellationError` when the Task is cancelled.
    public func next(
        within limit: Duration = .seconds(300),
        on scheduler: some Scheduler = LiveScheduler.live,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async throws -> MockCall {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        return try await upcoming(within: limit, on: scheduler, askedAt: place).value
    }

    private func takeArrived() -> MockCall? {
        state.withLock { state in
            state.arrived.isEmpty ? nil : state.arrived.removeFirst()
        }
    }

    private func upcoming(
        within limit: Duration,
        on scheduler: some Scheduler,
        askedAt place: TestSourceLocation
    ) -> Future<MockCall> {
        let promise = InternalPromise<MockCall>()
        let (call, number) = state.withLock { state -> (MockCall?, Int) in
            state.waitCount += 1
            if !state.arrived.isEmpty { return (state.arrived.removeFirst(), state.waitCount) }
            state.waiting.append((state.waitCount, promise))
            return (nil, state.waitCount)
        }
        if let call { return Future(value: call) }
        let timer = scheduler.schedule(after: limit) { [weak self, promise] in
            self?.stopWaiting(number)
            promise.reject(
                with: MockError(noCallAfter: self?.received ?? [], within: limit, at: place))
        }
        promise.onCancel { [weak self] in
            self?.stopWaiting(number)
            timer.cancel()
        }
        return promise.always { timer.cancel() }
    }

    private func stopWaiting(_ number: Int) {
        state.withLock { state in state.waiting.removeAll { $0.number == number } }
    }
}

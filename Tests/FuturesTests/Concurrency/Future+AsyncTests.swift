import PledgeFutures
import Testing

@Suite struct FutureAsyncTests {
    @Test func aSettledFutureIsReadAtOnce() async throws {
        #expect(try await Future(value: 3).value == 3)
        #expect(
            await Future<Int>(error: TestError(number: 1)).resultWhenSettled.failure
                == TestError(number: 1))
        await #expect(throws: TestError(number: 2)) {
            try await Future<Int>(error: TestError(number: 2)).value
        }
    }

    @Test func aPendingFutureIsAwaited() async throws {
        let promise = Promise<Int>()
        let task = Task { try await promise.map { $0 + 1 }.value }
        promise.resolve(with: 1)
        #expect(try await task.value == 2)
    }

    @Test func anAbandonedPromiseEndsTheWait() async {
        var promise: Promise<Int>? = Promise()
        let future = promise!.map { $0 }
        let task = Task { await future.resultWhenSettled }
        promise = nil
        #expect((await task.value.anyFailure as? FutureError)?.code == .abandoned)
    }

    @Test func aSettledFutureIsReadEvenByACancelledTask() async throws {
        let future = Future(value: 3)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await future.value
        }
        #expect(try await task.value == 3)
    }

    @Test func cancellingTheTaskGivesUpItsInterest() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let task = Task { await promise.map { $0 }.resultWhenSettled }
        task.cancel()
        #expect(await task.value.anyFailure is CancellationError)
        await heard()
        #expect(promise.isCancelled)
    }

    @Test func cancellingOneOfTwoTasksLeavesTheOtherItsValue() async throws {
        let promise = Promise<Int>()
        promise.onCancel {}
        let first = Task { await promise.resultWhenSettled }
        let second = Task { await promise.resultWhenSettled }
        promise.observe { _ in }
        first.cancel()
        #expect(await first.value.anyFailure is CancellationError)
        #expect(promise.result == nil)
        promise.resolve(with: 7)
        #expect(try await second.value.get() == 7)
    }

    @Test func aTaskCancelledBeforeItAwaitsGivesUp() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.resultWhenSettled
        }
        #expect(await task.value.anyFailure is CancellationError)
        // Another thread notifies the producer.
        await heard()
        #expect(promise.isCancelled)
    }

    @Test func aFutureOfAnOperationHasItsResult() async {
        #expect(await Future { 3 }.resultWhenSettled.anyValue == 3)
        let failed = Future<Int> { throw TestError(number: 4) }
        #expect(await failed.resultWhenSettled.failure == TestError(number: 4))
    }

    @Test func cancellingAFutureCancelsItsOperation() async {
        let (started, start) = makeSignal()
        let (ended, end) = makeSignal()
        let future = Future<Int> {
            start()
            _ = await Future<Int>.never.resultWhenSettled
            end()
            return 1
        }
        await started()
        future.map { $0 }.cancel()
        await ended()
        #expect(future.isCancelled)
    }

    @Test func anOperationRunsWithoutAnyoneHoldingItsFuture() async {
        let (ended, end) = makeSignal()
        _ = Future<Void> { end() }
        await ended()
    }

    @Test func adaptersLeadThereAndBack() async throws {
        let double = asFuture { (number: Int) async throws -> Int in
            if number < 0 { throw TestError(number: number) }
            return number * 2
        }
        #expect(try await double(4).value == 8)
        let awaited = awaiting(double)
        #expect(try await awaited(5) == 10)
        await #expect(throws: TestError(number: -1)) { try await awaited(-1) }
    }

    @Test func cancellingTheTaskOfAnAdapterReachesTheFuture() async {
        let promise = Promise<Int>()
        let (heard, hear) = makeSignal()
        promise.onCancel { hear() }
        let load = awaiting { (_: Int) in promise }
        let task = Task { try await load(1) }
        task.cancel()
        await heard()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

/// Two functions: one waits for a signal, the other sends it.
private func makeSignal() -> (wait: @Sendable () async -> Void, give: @Sendable () -> Void) {
    let promise = Promise<Void>()
    return ({ _ = await promise.resultWhenSettled }, { promise.resolve(with: ()) })
}

extension Future {
    /// A future that settles only by cancellation.
    fileprivate static var never: Future {
        let promise = Promise<Value>()
        promise.onCancel { withExtendedLifetime(promise) {} }
        return promise
    }
}

extension Result where Failure == any Error {
    fileprivate var anyFailure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
    fileprivate var failure: TestError? { anyFailure as? TestError }
    fileprivate var anyValue: Success? { try? get() }
}

import PledgeFutures
import TestSupport
import Testing

/// Calls that a cancelled task makes, and calls that it only happens to run.
@Suite struct CallBeginningTests {
    private let calls = Locked(0)

    private func call() -> Future<Int> {
        .unlessCancelled {
            calls.withLock { $0 += 1 }
            return Future(value: 7)
        }
    }

    @Test func aCancelledTaskMakesNoCall() async {
        let result = await inCancelledTask { try await call().value }
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(calls.withLock { $0 } == 0)
        #expect(call().result != nil)
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func aCallWithinACallIsMadeInACancelledTask() async throws {
        let value = try await Task {
            try await Future.unlessCancelled {
                withUnsafeCurrentTask { $0?.cancel() }
                return call()
            }.value
        }.value
        #expect(value == 7)
    }

    @Test func aCallForAnyoneIsMadeInACancelledTask() async throws {
        let value = try await inCancelledTask { CallBeginning.forAnyone { call() } }.get().value
        #expect(value == 7)
    }

    /// Whoever has registered a closure wants its calls.
    @Test func aClosureOfAFutureMakesItsCallsInACancelledTask() async throws {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        let transformed = first.flatMap { _ in call() }
        first.observe { _ in _ = call() }
        second.onCancel { _ = call() }
        _ = await inCancelledTask {
            first.resolve(with: 1)
            second.cancel()
        }
        #expect(try await transformed.value == 7)
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func anAsyncFunctionIsNotStartedInACancelledTask() async {
        let function = asFuture { (_: Int) async in calls.withLock { $0 += 1 } }
        let result = await inCancelledTask { try await awaiting(function)(1) }
        #expect(throws: CancellationError.self) { try result.get() }
        let future = await inCancelledTask { function(1) }
        #expect(throws: CancellationError.self) { try future.get().result?.get() }
        #expect(calls.withLock { $0 } == 0)
    }
}

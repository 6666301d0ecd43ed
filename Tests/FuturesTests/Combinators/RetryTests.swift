import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureRetryTests {
    private let scheduler = ManualScheduler()
    private let attempts = Locked<[Promise<Int>]>([])

    /// The number of attempts.
    private var count: Int { attempts.withLock(\.count) }

    private var step: @Sendable () -> Future<Int> {
        { [attempts] in
            let promise = Promise<Int>()
            attempts.withLock { $0.append(promise) }
            return promise
        }
    }

    private func fail(_ error: any Error = TestError()) {
        attempts.withLock { $0.last }?.reject(with: error)
    }

    @Test func aRetryTriesUntilThereIsAValue() {
        let future = Future.retry(attempts: 5, step)
        fail()
        fail()
        #expect(count == 3 && !future.isSettled)
        attempts.withLock { $0[2] }.resolve(with: 7)
        #expect(future.valueNow == 7 && count == 3)
    }

    @Test func aRetryFailsWithTheLastErrorAndItsOrigin() {
        let future = Future.retry(attempts: 2, step)
        fail(TestError(number: 1))
        fail(TestError(number: 2))
        #expect(future.errorNow as? TestError == TestError(number: 2) && count == 2)
        let line: UInt = #line + 2
        let thrown = Future.retry(attempts: 2) {
            Future(value: 1).map { _ -> Int in throw TestError() }
        }
        #expect(thrown.failureOrigin?.line == line)
    }

    @Test func theDelayOfARetryGrowsWithTheFailures() {
        let future = Future.retry(attempts: 3, after: { .seconds($0) }, on: scheduler, step)
        fail()
        scheduler.advance(by: .milliseconds(999))
        #expect(count == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(count == 2)
        fail()
        scheduler.advance(by: .milliseconds(1_999))
        #expect(count == 2)
        scheduler.advance(by: .milliseconds(1))
        #expect(count == 3)
        fail()
        #expect(future.errorNow is TestError && scheduler.isIdle)
    }

    @Test func aCancellationAndWhatIsNotWorthItAreNotRetried() {
        let cancelled = Future.retry(attempts: 3, step)
        fail(CancellationError())
        #expect(cancelled.isCancelled && count == 1)
        let refused = Future.retry(
            attempts: 3, where: { ($0 as? TestError)?.number != 9 }, step)
        fail(TestError(number: 8))
        fail(TestError(number: 9))
        #expect(refused.errorNow as? TestError == TestError(number: 9) && count == 3)
    }

    @Test func aStepThatThrowsHasFailed() {
        let calls = TestLog<Int>()
        let future = Future<Int>.retry(attempts: 3) {
            calls.append(1)
            throw TestError()
        }
        #expect(future.errorNow is TestError && calls.elements.count == 3)
    }

    @Test(arguments: [false, true]) func cancellingARetryEndsItsAttemptOrItsDelay(isInDelay: Bool) {
        let stopped = TestLog<Int>()
        let future = Future.retry(attempts: 3, after: { _ in .seconds(1) }, on: scheduler, step)
        if isInDelay { fail() }
        attempts.withLock { $0.last }?.onCancel { stopped.append(1) }
        future.cancel()
        #expect(stopped.elements.count == (isInDelay ? 0 : 1))
        #expect(scheduler.isIdle && count == 1)
        scheduler.run()
        #expect(count == 1)
    }

    @Test func aRetryOfManyAttemptsNeedsNoStack() {
        onSmallThread {
            let calls = Locked(0)
            let future = Future<Int>.retry(attempts: depth()) {
                calls.withLock { $0 += 1 }
                return Future(error: TestError())
            }
            precondition(future.isSettled && calls.withLock { $0 } == depth())
        }
    }

    #if os(Linux) || os(macOS)
    @Test func aRetryOfNoAttemptTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Future.retry(attempts: 0) { Future(value: 1) }
        }
    }
    #endif
}

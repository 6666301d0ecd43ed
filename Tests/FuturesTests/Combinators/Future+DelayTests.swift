import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureDelayTests {
    private let scheduler = ManualScheduler()

    @Test func aValuePassesLaterCountedFromItsArrival() {
        let promise = Promise<Int>()
        let delayed = promise.delay(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(5))
        #expect(scheduler.isIdle)
        promise.resolve(with: 1)
        #expect(delayed.result == nil)
        scheduler.advance(by: .milliseconds(1_999))
        #expect(delayed.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(delayed.valueNow == 1)
        #expect(scheduler.isIdle)
    }

    /// A timer that waits for another one's future must not keep the scheduler that both are in.
    @Test(arguments: 1...3) func delaysEndWithTheirScheduler(count: Int) {
        weak var released: ManualScheduler?
        var delayed = Future(value: 1)
        do {
            let scheduler = ManualScheduler()
            released = scheduler
            for _ in 0..<count { delayed = delayed.delay(.seconds(1), on: scheduler) }
        }
        #expect(released == nil)
        #expect((delayed.errorNow as? FutureError)?.code == .abandoned)
    }

    @Test func aSchedulerThatIsReleasedBeforeTheValueArrivesFailsTheDelay() {
        let promise = Promise<Int>()
        let delayed = promise.delay(.seconds(1), on: ManualScheduler())
        #expect(delayed.result == nil)
        promise.resolve(with: 1)
        #expect((delayed.errorNow as? FutureError)?.code == .abandoned)
    }

    @Test func aSettledValueIsHeldBackToo() {
        let delayed = Future(value: 1).delay(.seconds(2), on: scheduler)
        #expect(delayed.result == nil)
        scheduler.advance(by: .seconds(2))
        #expect(delayed.valueNow == 1)
    }

    @Test func zeroStillWaitsForTheScheduler() {
        let delayed = Future(value: 1).delay(.zero, on: scheduler)
        #expect(delayed.result == nil)
        scheduler.advance(by: .zero)
        #expect(delayed.valueNow == 1)
    }

    @Test(arguments: [true, false])
    func aFailurePassesAtOnce(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 1)) }
        let delayed = promise.delay(.seconds(2), on: scheduler)
        promise.reject(with: TestError(number: 1))
        #expect(delayed.errorNow as? TestError == TestError(number: 1))
        #expect(scheduler.isIdle)
    }

    @Test func cancellingBeforeTheValueGivesUpTheSource() {
        let promise = Promise<Int>()
        let heard = TestLog<Int>()
        promise.onCancel { heard.append(1) }
        promise.delay(.seconds(2), on: scheduler).cancel()
        #expect(heard.elements == [1])
        #expect(promise.isCancelled)
    }

    @Test func cancellingWhileHeldBackTakesTheTimerBack() {
        let promise = Promise<Int>()
        let delayed = promise.delay(.seconds(2), on: scheduler)
        let below = delayed.map { $0 + 1 }
        promise.resolve(with: 1)
        below.cancel()
        #expect(delayed.isCancelled)
        #expect(below.isCancelled)
        #expect(scheduler.isIdle)
        #expect(promise.valueNow == 1)
    }

    @Test func aReleasedSourceDoesNotLoseTheValue() {
        var promise: Promise<Int>? = Promise()
        let delayed = promise?.delay(.seconds(2), on: scheduler)
        promise?.resolve(with: 1)
        promise = nil
        scheduler.run()
        #expect(delayed?.valueNow == 1)
    }

    @Test func abandonmentPassesAtOnce() {
        var promise: Promise<Int>? = Promise()
        let delayed = promise?.delay(.seconds(2), on: scheduler)
        promise = nil
        #expect(delayed?.codeNow == .abandoned)
    }

    @Test func delaysAddUp() {
        let delayed = Future(value: 1)
            .delay(.seconds(1), on: scheduler).delay(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(1))
        scheduler.advance(by: .milliseconds(1_999))
        #expect(delayed.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(delayed.valueNow == 1)
    }

    @Test func timeoutAgainstDelay() {
        let slow = Future(value: 1).delay(.seconds(3), on: scheduler)
        let fast = Future(value: 2).delay(.seconds(1), on: scheduler)
        let late = slow.timeout(.seconds(2), on: scheduler)
        let early = fast.timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(2))
        #expect(late.codeNow == .timedOut)
        #expect(slow.isCancelled)
        #expect(early.valueNow == 2)
        #expect(scheduler.isIdle)
    }

    @Test func realTimeIsTheDefault() async throws {
        #expect(try await Future(value: 1).delay(.milliseconds(1)).value == 1)
    }

    /// A scheduler that is released with its actions: the futures that wait for them must fail.
    @Test func aSchedulerThatDropsItsActionsLeavesNobodyWaiting() {
        let results = TestLog<FutureError.Code?>()
        Future(value: 1).delay(.seconds(1), on: DroppingScheduler()).observe { result in
            if case .failure(let error) = result { results.append((error as? FutureError)?.code) }
        }
        #expect(results.elements == [.abandoned])
    }
}

/// A scheduler that never runs anything.
private final class DroppingScheduler: Scheduler {
    private final class Token: ScheduledAction { func cancel() {} }

    var now: SchedulerInstant { SchedulerInstant(offset: .zero) }

    func schedule(
        after delay: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction { Token() }
}

/// A scheduler that is released before its delays have passed.
@Suite struct LostSchedulerTests {
    @Test func aDelayThatIsHeldFailsToo() {
        var scheduler: ManualScheduler? = ManualScheduler()
        let delayed = Future(value: 1).delay(.seconds(1), on: scheduler!)
        let derived = delayed.map { $0 }
        scheduler = nil
        #expect(delayed.codeNow == .abandoned)
        #expect(derived.codeNow == .abandoned)
    }
}

import CPledgeFutures
import CTestSupport
import PledgeFutures
import Synchronization
import TestSupport
import Testing

@Suite struct FutureTimeoutTests {
    private let scheduler = ManualScheduler()

    @Test func aResultInTimePassesATimeoutAndTakesTheTimerBack() {
        let promise = Promise<Int>()
        let timed = promise.timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .milliseconds(1_999))
        #expect(timed.result == nil)
        #expect(!scheduler.isIdle)
        promise.resolve(with: 1)
        #expect(timed.valueNow == 1)
        #expect(scheduler.isIdle)
        scheduler.advance(by: .seconds(10))
        #expect(timed.valueNow == 1)
    }

    @Test func aFailureInTimePassesATimeoutAndTakesTheTimerBack() {
        let promise = Promise<Int>()
        let timed = promise.timeout(.seconds(2), on: scheduler)
        promise.reject(with: TestError(number: 1))
        #expect(timed.errorNow as? TestError == TestError(number: 1))
        #expect(scheduler.isIdle)
    }

    @Test func aTimeoutWithoutAResultFailsAndNamesTheLine() {
        let promise = Promise<Int>()
        let line: UInt = #line + 1
        let timed = promise.timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(2))
        #expect(timed.codeNow == .timedOut)
        let error = timed.errorNow as? FutureError
        #expect(error?.location?.line == line)
        #expect(error?.description.contains("\(#fileID):\(line)") == true)
        #expect(scheduler.isIdle)
        #expect(promise.result == nil)
        #expect(promise.resolve(with: 1))
        #expect(timed.codeNow == .timedOut)
    }

    @Test func aTimeoutCountsFromItsCall() {
        let promise = Promise<Int>()
        scheduler.advance(by: .seconds(5))
        let timed = promise.timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(1))
        #expect(timed.result == nil)
        scheduler.advance(by: .seconds(1))
        #expect(timed.codeNow == .timedOut)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aTimeoutOfZeroFailsAsSoonAsTheSchedulerRuns(duration: Duration) {
        let promise = Promise<Int>()
        let timed = promise.timeout(duration, on: scheduler)
        #expect(timed.result == nil)
        scheduler.advance(by: .zero)
        #expect(timed.codeNow == .timedOut)
    }

    @Test func aTimeoutOfASettledFutureNeedsNoTimer() {
        #expect(Future(value: 1).timeout(.zero, on: scheduler).valueNow == 1)
        let failed = Future<Int>(error: TestError(number: 2)).timeout(.zero, on: scheduler)
        #expect(failed.errorNow as? TestError == TestError(number: 2))
        #expect(scheduler.isIdle)
    }

    @Test func cancellingATimeoutTakesItsTimerBack() {
        let promise = Promise<Int>()
        let timed = promise.timeout(.seconds(2), on: scheduler)
        timed.cancel()
        #expect(timed.isCancelled)
        #expect(scheduler.isIdle)
        #expect(promise.resolve(with: 1))
    }

    @Test func abandonmentTakesTheTimerOfATimeoutBack() {
        var promise: Promise<Int>? = Promise()
        let timed = promise?.timeout(.seconds(2), on: scheduler)
        promise = nil
        #expect(timed?.codeNow == .abandoned)
        #expect(scheduler.isIdle)
    }

    /// The timer is cancelled before the observers of the result are called.
    @Test func observersOfATimeoutFindItsTimerGone() {
        let promise = Promise<Int>()
        let idle = TestLog<Bool>()
        let scheduler = scheduler
        promise.timeout(.seconds(2), on: scheduler).observe { _ in idle.append(scheduler.isIdle) }
        promise.resolve(with: 1)
        #expect(idle.elements == [true])
    }

    @Test func theShorterOfTwoTimeoutsWins() {
        let promise = Promise<Int>()
        let inner = promise.timeout(.seconds(1), on: scheduler)
        let outer = inner.timeout(.seconds(3), on: scheduler)
        let recovered = outer.recover { _ in 7 }
        scheduler.advance(by: .seconds(1))
        #expect(inner.codeNow == .timedOut)
        #expect(recovered.valueNow == 7)
        #expect(scheduler.isIdle)
    }

    @Test func timeoutsFireInOrderOfTheirInstants() {
        let promise = Promise<Int>()
        let order = TestLog<Int>()
        for seconds in [3, 1, 2, 1] {
            promise.timeout(.seconds(seconds), on: scheduler).observe { _ in order.append(seconds) }
        }
        scheduler.run()
        #expect(order.elements == [1, 1, 2, 3])
        #expect(promise.result == nil)
    }

    @Test func aTimeoutCountsRealTimeByDefault() async {
        let promise = Promise<Int>()
        let timed = promise.timeout(.milliseconds(1))
        let result = await timed.resultWhenSettled
        #expect(throws: FutureError.self) { try result.get() }
        #expect(promise.resolve(with: 1))
    }

    @Test func timeoutFailsWithTheErrorGiven() {
        let promise = Promise<Int>()
        let seen = TestLog<String>()
        promise.onCancel { seen.append("cancelled") }
        let future = promise.timeout(.seconds(1), on: scheduler) { TestError(number: 9) }
        scheduler.advance(by: .seconds(1))
        #expect(future.errorNow as? TestError == TestError(number: 9))
        #expect(seen.elements == ["cancelled"])
    }

    @Test func timeoutTakesItsTimerBack() {
        let promise = Promise<Int>()
        let future = promise.timeout(.seconds(1), on: scheduler) { TestError() }
        promise.resolve(with: 3)
        #expect(scheduler.isIdle)
        #expect(future.valueNow == 3)
        let settled = promise.timeout(.seconds(1), on: scheduler) { TestError() }
        #expect(settled === promise)
    }
}

@Suite struct FutureDelayTests {
    private let scheduler = ManualScheduler()

    @Test func aDelayCountsFromTheArrivalOfTheValue() {
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

    @Test func aDelayHoldsASettledValueBack() {
        let delayed = Future(value: 1).delay(.seconds(2), on: scheduler)
        #expect(delayed.result == nil)
        scheduler.advance(by: .seconds(2))
        #expect(delayed.valueNow == 1)
    }

    @Test func aDelayOfZeroWaitsForTheScheduler() {
        let delayed = Future(value: 1).delay(.zero, on: scheduler)
        #expect(delayed.result == nil)
        scheduler.advance(by: .zero)
        #expect(delayed.valueNow == 1)
    }

    @Test(arguments: [true, false])
    func aFailurePassesADelayAtOnce(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 1)) }
        let delayed = promise.delay(.seconds(2), on: scheduler)
        promise.reject(with: TestError(number: 1))
        #expect(delayed.errorNow as? TestError == TestError(number: 1))
        #expect(scheduler.isIdle)
    }

    @Test func cancellingADelayBeforeItsValueGivesUpTheSource() {
        let promise = Promise<Int>()
        let heard = TestLog<Int>()
        promise.onCancel { heard.append(1) }
        promise.delay(.seconds(2), on: scheduler).cancel()
        #expect(heard.elements == [1])
        #expect(promise.isCancelled)
    }

    @Test func cancellingADelayOfAValueTakesItsTimerBack() {
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

    @Test func aDelayKeepsTheValueOfAReleasedSource() {
        var promise: Promise<Int>? = Promise()
        let delayed = promise?.delay(.seconds(2), on: scheduler)
        promise?.resolve(with: 1)
        promise = nil
        scheduler.run()
        #expect(delayed?.valueNow == 1)
    }

    @Test func abandonmentPassesADelayAtOnce() {
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

    @Test func theShorterOfATimeoutAndADelayCounts() {
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

    @Test func aDelayCountsRealTimeByDefault() async throws {
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
private final class DroppingScheduler: FutureScheduler {
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

/// A future is cancelled while its deliverer is about to write its value; the deliverer then removes the
/// value again.
///
/// A future derived from it must not read that value, which may be freed meanwhile.
@Suite(.oneAtATime)
struct TimeoutOfCancelledTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func aTimeoutOfACancelledFutureKeepsNoValue(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scheduler = ManualScheduler()
        for _ in 0..<150 {
            let census = Census()
            let promise = Promise<Int>()
            let isInTransform = Atomic<Bool>(false)
            let source = promise.map { _ in
                isInTransform.store(true, ordering: .relaxed)
                return Tracked(census)
            }
            let timed = source.timeout(.seconds(1), on: scheduler)
            let seeds = (0..<2).map { _ in generator.next() | 1 }
            onThreads(2) { thread in
                disturb(seeds[thread])
                if thread == 0 {
                    promise.resolve(with: 1)
                } else {
                    var turns: UInt32 = 0
                    while !isInTransform.load(ordering: .relaxed) { cfutures_relax(&turns) }
                    source.cancel()
                }
                disturb(0)
            }
            if case .failure? = timed.result { #expect(census.living == 0, "seed \(seed)") }
        }
    }
}

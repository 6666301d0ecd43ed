import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureTimeoutTests {
    private let scheduler = ManualScheduler()

    @Test func aResultInTimePassesAndTakesTheTimerBack() {
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

    @Test func aFailureInTimePassesAndTakesTheTimerBack() {
        let promise = Promise<Int>()
        let timed = promise.timeout(.seconds(2), on: scheduler)
        promise.reject(with: TestError(number: 1))
        #expect(timed.errorNow as? TestError == TestError(number: 1))
        #expect(scheduler.isIdle)
    }

    @Test func withoutAResultInTimeItFailsAndNamesTheLine() {
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

    @Test func theTimeCountsFromTheCall() {
        let promise = Promise<Int>()
        scheduler.advance(by: .seconds(5))
        let timed = promise.timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(1))
        #expect(timed.result == nil)
        scheduler.advance(by: .seconds(1))
        #expect(timed.codeNow == .timedOut)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func noTimeAtAllFailsAsSoonAsTheSchedulerRuns(duration: Duration) {
        let promise = Promise<Int>()
        let timed = promise.timeout(duration, on: scheduler)
        #expect(timed.result == nil)
        scheduler.advance(by: .zero)
        #expect(timed.codeNow == .timedOut)
    }

    @Test func aSettledFutureNeedsNoTimer() {
        #expect(Future(value: 1).timeout(.zero, on: scheduler).valueNow == 1)
        let failed = Future<Int>(error: TestError(number: 2)).timeout(.zero, on: scheduler)
        #expect(failed.errorNow as? TestError == TestError(number: 2))
        #expect(scheduler.isIdle)
    }

    @Test func cancellingTakesTheTimerBack() {
        let promise = Promise<Int>()
        let timed = promise.timeout(.seconds(2), on: scheduler)
        timed.cancel()
        #expect(timed.isCancelled)
        #expect(scheduler.isIdle)
        #expect(promise.resolve(with: 1))
    }

    @Test func abandonmentTakesTheTimerBack() {
        var promise: Promise<Int>? = Promise()
        let timed = promise?.timeout(.seconds(2), on: scheduler)
        promise = nil
        #expect(timed?.codeNow == .abandoned)
        #expect(scheduler.isIdle)
    }

    /// The timer is cancelled before the observers of the result are called.
    @Test func observersSeeTheTimerGone() {
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

    @Test func realTimeIsTheDefault() async {
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

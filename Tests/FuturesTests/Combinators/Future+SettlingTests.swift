import Futures
import Testing

@Suite struct FutureSettlingTests {
    let seen = Recorder<String>()

    func note(_ result: Result<Int, any Error>) {
        switch result {
        case .success(let value): seen.append("\(value)")
        case .failure(let error): seen.append("\(type(of: error))")
        }
    }

    @Test func onEndHearsAValueBeforeThoseWhoWait() {
        let promise = Promise<Int>()
        let future = promise.onEnd { [self] in note($0) }
        future.observe { [seen] _ in seen.append("after") }
        promise.resolve(with: 7)
        #expect(seen.elements == ["7", "after"])
        #expect(future.valueNow == 7)
    }

    @Test func onEndHearsAnErrorAndPassesItOn() {
        let future = Future<Int>(error: TestError(number: 3)).onEnd { [self] in note($0) }
        #expect(seen.elements == ["TestError"])
        #expect(future.errorNow as? TestError == TestError(number: 3))
    }

    @Test func onEndHearsOfBeingCancelledOnce() {
        let promise = Promise<Int>()
        let future = promise.onEnd { [self] in note($0) }
        future.cancel()
        promise.resolve(with: 7)
        #expect(seen.elements == ["CancellationError"])
    }

    @Test func onEndHearsOfLosingAllInterest() {
        let promise = Promise<Int>()
        let branch = promise.onEnd { [self] in note($0) }.map { $0 }
        branch.cancel()
        #expect(seen.elements == ["CancellationError"])
    }

    @Test func continuedGoesOnAfterAnyResult() {
        let inner = Promise<Int>()
        let futures = [
            Future(value: 1).continued { _ in inner },
            Future<Int>(error: TestError()).continued { _ in inner },
        ]
        #expect(futures.allSatisfy { $0.result == nil })
        inner.resolve(with: 5)
        #expect(futures.allSatisfy { $0.valueNow == 5 })
    }

    @Test func continuedWithoutAnotherKeepsTheResultAndItsOrigin() {
        let value = Future(value: 1).continued { _ in nil }
        #expect(value.valueNow == 1)
        let failed = Future(value: 1).map { _ -> Int in throw TestError(number: 2) }
        let kept = failed.continued { _ in nil }
        #expect(kept.errorNow as? TestError == TestError(number: 2))
        #expect(kept.failureOrigin?.line == failed.failureOrigin?.line)
        #expect(kept.failureOrigin != nil)
    }

    @Test func cancellingContinuedCancelsWhatItWaitsFor() {
        let cancelled = Recorder<String>()
        let outer = Promise<Int>(), inner = Promise<Int>()
        outer.onCancel { cancelled.append("outer") }
        inner.onCancel { cancelled.append("inner") }
        outer.continued { _ in inner }.cancel()
        #expect(cancelled.elements == ["outer"])
        let future = Future(value: 1).continued { _ in inner }
        future.cancel()
        #expect(cancelled.elements == ["outer", "inner"])
    }

    @Test func continuedInATurnOfItsOwnNeedsNoStack() {
        @Sendable func turn(_ rest: Int) -> Future<Int> {
            Future(value: rest).continued { _ in rest == 0 ? nil : turn(rest - 1) }
        }
        #expect(onSmallThread { turn(100_000).valueNow } == 0)
    }

    @Test func timeoutFailsWithTheErrorGiven() {
        let scheduler = ManualScheduler()
        let promise = Promise<Int>()
        promise.onCancel { [seen] in seen.append("cancelled") }
        let future = promise.timeout(.seconds(1), on: scheduler) { TestError(number: 9) }
        scheduler.advance(by: .seconds(1))
        #expect(future.errorNow as? TestError == TestError(number: 9))
        #expect(seen.elements == ["cancelled"])
    }

    @Test func timeoutTakesItsTimerBack() {
        let scheduler = ManualScheduler()
        let promise = Promise<Int>()
        let future = promise.timeout(.seconds(1), on: scheduler) { TestError() }
        promise.resolve(with: 3)
        #expect(scheduler.isIdle)
        #expect(future.valueNow == 3)
        let settled = promise.timeout(.seconds(1), on: scheduler) { TestError() }
        #expect(settled === promise)
    }
}

import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureResultTests {
    @Test func wholeResultsAreTransformed() {
        let failed = Future<Int>(error: TestError(number: 1))
        let text = failed.flatMapResult { Future(value: "\((try? $0.get()) ?? 0)") }
        #expect(text.valueNow == "0")
        #expect(Future(value: 2).flatMapResult { Future(value: try $0.get() + 1) }.valueNow == 3)
        let thrown = failed.flatMapResult { _ -> Future<Int> in throw TestError(number: 2) }
        #expect(thrown.errorNow as? TestError == TestError(number: 2))
    }

    @Test func continuedGoesOnAfterAnyResult() {
        let inner = Promise<Int>()
        let futures = [
            Future(value: 1).flatMapSomeResults { _ in inner },
            Future<Int>(error: TestError()).flatMapSomeResults { _ in inner },
        ]
        #expect(futures.allSatisfy { $0.result == nil })
        inner.resolve(with: 5)
        #expect(futures.allSatisfy { $0.valueNow == 5 })
    }

    @Test func continuedWithoutAnotherKeepsTheResultAndItsOrigin() {
        let value = Future(value: 1).flatMapSomeResults { _ in nil }
        #expect(value.valueNow == 1)
        let failed = Future(value: 1).map { _ -> Int in throw TestError(number: 2) }
        let kept = failed.flatMapSomeResults { _ in nil }
        #expect(kept.errorNow as? TestError == TestError(number: 2))
        #expect(kept.failureOrigin?.line == failed.failureOrigin?.line)
        #expect(kept.failureOrigin != nil)
    }

    @Test func cancellingContinuedCancelsWhatItWaitsFor() {
        let cancelled = TestLog<String>()
        let outer = Promise<Int>(), inner = Promise<Int>()
        outer.onCancel { cancelled.append("outer") }
        inner.onCancel { cancelled.append("inner") }
        outer.flatMapSomeResults { _ in inner }.cancel()
        #expect(cancelled.elements == ["outer"])
        let future = Future(value: 1).flatMapSomeResults { _ in inner }
        future.cancel()
        #expect(cancelled.elements == ["outer", "inner"])
    }

    @Test func continuedInATurnOfItsOwnNeedsNoStack() {
        @Sendable func turn(_ rest: Int) -> Future<Int> {
            Future(value: rest).flatMapSomeResults { _ in rest == 0 ? nil : turn(rest - 1) }
        }
        #expect(onSmallThread { turn(100_000).valueNow } == 0)
    }
}

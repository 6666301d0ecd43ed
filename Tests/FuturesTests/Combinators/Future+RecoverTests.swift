import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureRecoverTests {
    @Test(arguments: [true, false])
    func recoverMakesAValueOfTheError(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 6)) }
        let recovered = promise.recover { ($0 as? TestError)?.number ?? -1 }
        promise.reject(with: TestError(number: 6))
        #expect(recovered.valueNow == 6)
        #expect(recovered.failureOrigin == nil)
    }

    @Test(arguments: [true, false])
    func aSuccessPassesEveryErrorStepWithoutACall(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 1) }
        let calls = TestLog<String>()
        let future = promise.recover { _ in
            calls.append("recover")
            return 0
        }.flatMapError { _ in
            calls.append("flatMapError")
            return Future(value: 0)
        }.mapError { error in
            calls.append("mapError")
            return error
        }
        promise.resolve(with: 1)
        #expect(future.valueNow == 1)
        #expect(calls.elements.isEmpty)
    }

    @Test func whatAnErrorStepThrowsReplacesTheErrorAndNamesTheLine() {
        let failed = Future<Int>(error: TestError(number: 1))
        let line: UInt = #line
        let recovered = failed.recover { _ in throw TestError(number: 2) }
        let continued = failed.flatMapError { _ in throw TestError(number: 3) }
        let mapped = failed.mapError { _ in throw TestError(number: 4) }
        #expect(recovered.errorNow as? TestError == TestError(number: 2))
        #expect(recovered.failureOrigin?.line == line + 1)
        #expect(continued.errorNow as? TestError == TestError(number: 3))
        #expect(continued.failureOrigin?.line == line + 2)
        #expect(mapped.errorNow as? TestError == TestError(number: 4))
        #expect(mapped.failureOrigin?.line == line + 3)
    }

    @Test func recoverSeesCancellationAsAnError() {
        let promise = Promise<Int>()
        let recovered = promise.recover { $0 is CancellationError ? 9 : 0 }
        promise.cancel()
        #expect(recovered.valueNow == 9)
    }

    @Test func recoverSeesAbandonment() {
        var promise: Promise<Int>? = Promise()
        let recovered = promise?.recover { ($0 as? FutureError)?.code == .abandoned ? 8 : 0 }
        promise = nil
        #expect(recovered?.valueNow == 8)
    }

    @Test(arguments: [true, false])
    func flatMapErrorGoesOnWithTheSecondSource(isSettled: Bool) {
        let first = Promise<Int>()
        if isSettled { first.reject(with: TestError()) }
        let second = Promise<Int>()
        let future = first.flatMapError { _ in second }
        first.reject(with: TestError())
        #expect(future.result == nil)
        second.resolve(with: 2)
        #expect(future.valueNow == 2)
    }

    @Test func flatMapErrorFailsAsTheSecondSource() {
        let future = Future<Int>(error: TestError(number: 1))
            .flatMapError { _ in Future(error: TestError(number: 2)) }
        #expect(future.errorNow as? TestError == TestError(number: 2))
    }

    @Test(arguments: [true, false])
    func mapErrorTransformsTheError(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 1)) }
        let mapped = promise.mapError { TestError(number: (($0 as? TestError)?.number ?? 0) + 1) }
        promise.reject(with: TestError(number: 1))
        #expect(mapped.errorNow as? TestError == TestError(number: 2))
    }

    /// A transform that wraps an error has not thrown it: the origin must be the step that threw.
    @Test func mapErrorKeepsTheLineThatThrew() {
        let line: UInt = #line + 1
        let thrower = Future(value: 1).map { _ -> Int in throw TestError() }
        let mapped = thrower.mapError { _ in TestError(number: 5) }
        #expect(mapped.failureOrigin?.line == line)
    }

    @Test func mapErrorInventsNoLineWhereNoTransformThrew() {
        let mapped = Future<Int>(error: TestError()).mapError { _ in TestError(number: 5) }
        #expect(mapped.failureOrigin == nil)
    }
}

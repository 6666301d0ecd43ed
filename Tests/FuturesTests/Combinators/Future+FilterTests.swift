import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureFilterTests {
    @Test(arguments: [true, false])
    func keepsAValueThatFulfilsTheCondition(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 4) }
        let ensured = promise.filter { $0.isMultiple(of: 2) }
        promise.resolve(with: 4)
        #expect(ensured.valueNow == 4)
    }

    @Test(arguments: [true, false])
    func failsForAValueThatDoesNotAndNamesTheLine(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 3) }
        let line: UInt = #line + 1
        let ensured = promise.filter { $0.isMultiple(of: 2) }
        promise.resolve(with: 3)
        #expect(ensured.codeNow == .notEnsured)
        let error = ensured.errorNow as? FutureError
        #expect(error?.location?.line == line)
        #expect(error?.description.contains("\(#fileID):\(line)") == true)
        #expect(ensured.failureOrigin?.line == line)
    }

    @Test func aPredicateThatThrowsRejectsWithItsError() {
        let line: UInt = #line + 1
        let ensured = Future(value: 3).filter { throw TestError(number: $0) }
        #expect(ensured.errorNow as? TestError == TestError(number: 3))
        #expect(ensured.failureOrigin?.line == line)
    }

    @Test func aFailurePassesWithoutACall() {
        let calls = TestLog<Int>()
        let ensured = Future<Int>(error: TestError(number: 1)).filter { value in
            calls.append(value)
            return true
        }
        #expect(ensured.errorNow as? TestError == TestError(number: 1))
        #expect(calls.elements.isEmpty)
    }

    @Test func theErrorCanBeReplaced() {
        let future = Future(value: 1).filter { $0 > 1 }.mapError { _ in TestError(number: 9) }
        #expect(future.errorNow as? TestError == TestError(number: 9))
    }
}

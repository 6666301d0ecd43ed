import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureMapTests {
    private struct Product: Sendable { let name: String }

    @Test func transformsTheValueOfASettledFutureAtOnce() {
        #expect(Future(value: 20).map { $0 + 1 }.valueNow == 21)
    }

    @Test func transformsTheValueOnceItIsThere() {
        let promise = Promise<Int>()
        let calls = TestLog<Int>()
        let text = promise.map { value in
            calls.append(value)
            return "\(value)"
        }
        #expect(text.result == nil)
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 7)
        #expect(text.valueNow == "7")
        #expect(calls.elements == [7])
    }

    @Test func infersFromAKeyPathAndFromAFunction() {
        let promise = Promise<Product>()
        let name = promise.map(\.name)
        let length = name.map(\.count)
        let letters = name.map(Array.init)
        promise.resolve(with: Product(name: "chair"))
        #expect(name.valueNow == "chair")
        #expect(length.valueNow == 5)
        #expect(letters.valueNow == ["c", "h", "a", "i", "r"])
    }

    @Test(arguments: [true, false])
    func aFailurePassesWithoutACall(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.reject(with: TestError(number: 3)) }
        let calls = TestLog<Int>()
        let mapped = promise.map { calls.append($0) }
        promise.reject(with: TestError(number: 3))
        #expect(mapped.errorNow as? TestError == TestError(number: 3))
        #expect(mapped.failureOrigin == nil)
        #expect(calls.elements.isEmpty)
    }

    @Test(arguments: [true, false])
    func aTransformThatThrowsRejectsWithItsErrorAndNamesItsLine(isSettled: Bool) {
        let promise = Promise<Int>()
        if isSettled { promise.resolve(with: 1) }
        let line: UInt = #line + 1
        let failed = promise.map { throw TestError(number: $0) }
        let below = failed.map { $0 }.flatMap { Future(value: $0) }.always {}
        promise.resolve(with: 1)
        #expect(failed.errorNow as? TestError == TestError(number: 1))
        #expect(failed.failureOrigin?.line == line)
        #expect("\(failed.failureOrigin?.fileID ?? "")" == #fileID)
        #expect(below.errorNow as? TestError == TestError(number: 1))
        #expect(below.failureOrigin?.line == line)
        #expect("\(failed)".contains("\(#fileID):\(line)"))
    }

    @Test func manyMapsOfOneFutureRunInOrderOfRegistration() {
        let promise = Promise<Int>()
        let order = TestLog<Int>()
        for index in 0..<10 {
            promise.map { _ in order.append(index) }.map { order.append(index + 100) }.observe {
                _ in
                order.append(index + 200)
            }
        }
        promise.resolve(with: 0)
        #expect(order.elements == (0..<10).flatMap { [$0, $0 + 100, $0 + 200] })
    }

    @Test func aTransformThatCancelsItsOwnFutureIsNotUndone() {
        let promise = Promise<Int>()
        let own = Locked<Future<Int>?>(nil)
        let mapped = promise.map { value in
            own.withLock { $0 }?.cancel()
            return value
        }
        own.withLock { $0 = mapped }
        promise.resolve(with: 1)
        #expect(mapped.isCancelled)
        #expect(promise.valueNow == 1)
        own.withLock { $0 = nil }
    }
}

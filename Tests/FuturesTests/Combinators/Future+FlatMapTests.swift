import PledgeFutures
import TestSupport
import Testing

@Suite struct FutureFlatMapTests {
    @Test(arguments: [true, false], [true, false])
    func settlesAsTheInnerFuture(outerFirst: Bool, succeeds: Bool) {
        let outer = Promise<Int>()
        let inner = Promise<String>()
        let future = outer.flatMap { _ in inner }
        let settleInner = {
            succeeds ? inner.resolve(with: "a") : inner.reject(with: TestError(number: 2))
        }
        if outerFirst {
            outer.resolve(with: 1)
            #expect(future.result == nil)
            #expect(settleInner())
        } else {
            #expect(settleInner())
            #expect(future.result == nil)
            outer.resolve(with: 1)
        }
        if succeeds {
            #expect(future.valueNow == "a")
        } else {
            #expect(future.errorNow as? TestError == TestError(number: 2))
        }
    }

    @Test func aFunctionIsGivenAsItStands() {
        @Sendable func load(_ number: Int) -> Future<[Int]> { Future(value: [number]) }
        #expect(Future(value: 7).flatMap(load).map(\.count).valueNow == 1)
    }

    @Test(arguments: [true, false])
    func aFailurePassesWithoutACall(isSettled: Bool) {
        let outer = Promise<Int>()
        if isSettled { outer.reject(with: TestError(number: 4)) }
        let calls = TestLog<Int>()
        let future = outer.flatMap { value -> Future<Int> in
            calls.append(value)
            return Future(value: value)
        }
        outer.reject(with: TestError(number: 4))
        #expect(future.errorNow as? TestError == TestError(number: 4))
        #expect(calls.elements.isEmpty)
    }

    @Test(arguments: [true, false])
    func aTransformThatThrowsRejectsWithItsErrorAndNamesItsLine(isSettled: Bool) {
        let outer = Promise<Int>()
        if isSettled { outer.resolve(with: 1) }
        let line: UInt = #line + 1
        let future = outer.flatMap { value -> Future<Int> in throw TestError(number: value) }
        outer.resolve(with: 1)
        #expect(future.errorNow as? TestError == TestError(number: 1))
        #expect(future.failureOrigin?.line == line)
    }

    @Test func anErrorOfTheInnerFutureKeepsTheLineThatThrewIt() {
        let inner = Promise<Int>()
        let line: UInt = #line + 1
        let thrower = inner.map { _ -> Int in throw TestError() }
        let future = Future(value: 0).flatMap { _ in thrower }
        inner.resolve(with: 0)
        #expect(future.failureOrigin?.line == line)
    }

    @Test func anInnerPromiseThatNobodyHoldsIsAbandoned() {
        let line: UInt = #line + 1
        let future = Future(value: 1).flatMap { _ -> Future<Int> in Promise<Int>() }
        #expect(future.codeNow == .abandoned)
        #expect((future.errorNow as? FutureError)?.location?.line == line)
    }

    @Test func observersOfTheInnerFutureKeepTheirPlaceBeforeThoseOfTheOuter() {
        let inner = Promise<Int>()
        let order = TestLog<String>()
        inner.observe { _ in order.append("first") }
        Future(value: 1).flatMap { _ in inner }.observe { _ in order.append("flatMap") }
        inner.observe { _ in order.append("last") }
        inner.resolve(with: 1)
        #expect(order.elements == ["first", "flatMap", "last"])
    }

    @Test func theUpstreamItselfMayBeTheInnerFuture() {
        let promise = Promise<Int>()
        let future = promise.flatMap { _ in promise }
        promise.resolve(with: 5)
        #expect(future.valueNow == 5)
    }
}

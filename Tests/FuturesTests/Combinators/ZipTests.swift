import PledgeFutures
import Testing

@Suite struct ZipTests {
    @Test func ofNothingSucceedsAtOnce() {
        let future: Future<Void> = zip()
        #expect(throws: Never.self) { try future.result?.get() }
        #expect(future.result != nil)
    }

    @Test func ofOne() {
        let promise = Promise<Int>()
        let future: Future<Int> = zip(promise)
        #expect(future.result == nil)
        promise.resolve(with: 1)
        #expect(future.valueNow == 1)
    }

    @Test func ofTwoOfDifferentTypes() {
        let number = Promise<Int>()
        let text = Promise<String>()
        let future = zip(number, text)
        text.resolve(with: "b")
        #expect(future.result == nil)
        number.resolve(with: 1)
        let value = try? future.result?.get()
        #expect(value?.0 == 1)
        #expect(value?.1 == "b")
    }

    @Test func takesPromisesAndFuturesAsAUserWritesIt() {
        let a = Promise<Int>()
        let b = Promise<Int>()
        let sum = zip(a, b.map { $0 * 10 }).map { $0 + $1 }
        let named = zip(a, b).map { left, right in left - right }
        a.resolve(with: 1)
        b.resolve(with: 2)
        #expect(sum.valueNow == 21)
        #expect(named.valueNow == -1)
    }

    @Test func ofThreeSettledInAnyOrder() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let promises = (0..<3).map { _ in Promise<Int>() }
            let future = zip(promises[0], promises[1], promises[2]).map { "\($0) \($1) \($2)" }
            for index in order {
                #expect(future.result == nil)
                promises[index].resolve(with: index)
            }
            #expect(future.valueNow == "0 1 2")
        }
    }

    @Test func ofFiveTypesSomeSettledBefore() {
        let number = Promise<Int>()
        let list = Promise<[Int]>()
        let future = zip(Future(value: "a"), number, Future(value: 2.5), list, Future(value: true))
            .map { "\($0) \($1) \($2) \($3) \($4)" }
        list.resolve(with: [1])
        number.resolve(with: 7)
        #expect(future.valueNow == "a 7 2.5 [1] true")
    }

    @Test func ofOptionalsAndTuples() {
        let future = zip(Future<Int?>(value: nil), Future(value: (1, "x")))
        let value = try? future.result?.get()
        #expect(value?.0 == .some(nil))
        #expect(value?.1.1 == "x")
    }

    @Test func theFirstFailureInTimeWins() {
        let a = Promise<Int>()
        let b = Promise<Int>()
        let c = Promise<Int>()
        let future = zip(a, b, c)
        b.reject(with: TestError(number: 2))
        a.reject(with: TestError(number: 1))
        #expect(future.errorNow as? TestError == TestError(number: 2))
        #expect(c.resolve(with: 1))
    }

    @Test func ofSettledFailuresTheFirstInOrderWins() {
        let future = zip(
            Future(value: 0),
            Future<Int>(error: TestError(number: 1)),
            Future<Int>(error: TestError(number: 2))
        )
        #expect(future.errorNow as? TestError == TestError(number: 1))
    }

    @Test func theSameFutureTwice() {
        let promise = Promise<Int>()
        let future = zip(promise, promise).map { $0 + $1 }
        promise.resolve(with: 4)
        #expect(future.valueNow == 8)
    }

    @Test func theLineThatThrewPasses() {
        let promise = Promise<Int>()
        let line: UInt = #line + 1
        let thrower = promise.map { _ -> Int in throw TestError() }
        let future = zip(promise, thrower)
        promise.resolve(with: 1)
        #expect(future.failureOrigin?.line == line)
    }
}

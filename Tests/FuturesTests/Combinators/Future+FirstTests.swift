import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureFirstTests {
    @Test func ofNothingFailsAndNamesTheLine() {
        let line: UInt = #line
        let any = Future<Int>.any([Future<Int>]())
        let race = Future<Int>.race([Future<Int>]())
        for (future, line) in [(any, line + 1), (race, line + 2)] {
            #expect(future.codeNow == .noInputs)
            let error = future.errorNow as? FutureError
            #expect(error?.location?.line == line)
            #expect(error?.description.contains("\(#fileID):\(line)") == true)
        }
    }

    @Test func infersAsAUserWritesIt() async throws {
        let a = Promise<Int>()
        let b = Promise<Int>()
        let mixed = Future.race([a, b.map { $0 }])
        let promises = Future.race([a, b]).map { $0 + 1 }
        let first = Future.any([a, b])
        let listed = Future.any([1, 2].map { Future(value: $0) })
        b.resolve(with: 2)
        #expect(try await mixed.value == 2)
        #expect(promises.valueNow == 3)
        #expect(first.valueNow == 2)
        #expect(listed.valueNow == 1)
    }

    @Test func raceTakesTheFirstResultInTime() {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let race = Future.race(promises)
        promises[1].reject(with: TestError(number: 1))
        promises[0].resolve(with: 0)
        #expect(race.errorNow as? TestError == TestError(number: 1))
    }

    @Test func ofSettledFuturesTheFirstInOrderWins() {
        let settled = [
            Promise<Int>(), Future(error: TestError(number: 1)), Future(value: 2), Future(value: 3),
        ]
        #expect(Future.race(settled).errorNow as? TestError == TestError(number: 1))
        #expect(Future.any(settled).valueNow == 2)
    }

    @Test func anyWaitsForASuccess() {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let any = Future.any(promises)
        promises[2].reject(with: TestError(number: 2))
        promises[0].cancel()
        #expect(any.result == nil)
        promises[1].resolve(with: 1)
        #expect(any.valueNow == 1)
    }

    @Test func anyKeepsAllErrorsInOrderOfTheFutures() {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let line: UInt = #line + 1
        let any = Future.any(promises)
        for index in [1, 2, 0] { promises[index].reject(with: TestError(number: index)) }
        #expect(any.codeNow == .allFailed)
        let error = any.errorNow as? FutureError
        #expect(error?.causes.map { ($0 as? TestError)?.number } == [0, 1, 2])
        #expect(error?.location?.line == line)
        for number in 0..<3 {
            #expect(error?.description.contains("TestError(number: \(number))") == true)
        }
    }

    @Test func ofOne() {
        #expect(Future.race([Future(value: 1)]).valueNow == 1)
        #expect(Future.any([Future(value: 1)]).valueNow == 1)
        let failed = Future.any([Future<Int>(error: TestError(number: 1))])
        #expect((failed.errorNow as? FutureError)?.causes.count == 1)
    }

    @Test func anAbandonedInputIsAFailureLikeAnother() {
        let kept = Promise<Int>()
        let any = Future.any([Promise<Int>(), kept])
        let race = Future.race([Promise<Int>(), kept])
        #expect(race.codeNow == .abandoned)
        kept.resolve(with: 1)
        #expect(any.valueNow == 1)
    }

    @Test func eightThreadsRaceForOneWinner() {
        for _ in 0..<100 {
            let promises = (0..<8).map { _ in Promise<Int>() }
            let calls = TestLog<Int>()
            Future.race(promises).observe { result in
                if case .success(let value) = result { calls.append(value) }
            }
            onThreads(8) { promises[$0].resolve(with: $0) }
            #expect(calls.elements.count == 1)
            #expect(calls.elements.allSatisfy { (0..<8).contains($0) })
        }
    }

    @Test(arguments: [OtherInputs.givenUp, .keptGoing])
    func theLosersOfARaceGoOnByChoice(_ others: OtherInputs) {
        let (winner, loser, calls) = (Promise<Int>(), Promise<Int>(), TestLog<Int>())
        loser.onCancel { calls.append(1) }
        let race = Future.race([winner, loser], others: others)
        winner.resolve(with: 1)
        #expect(race.valueNow == 1)
        #expect(calls.elements == (others == .givenUp ? [1] : []))
        #expect(loser.isCancelled == (others == .givenUp))
        #expect(loser.resolve(with: 2) == (others == .keptGoing))
    }

    @Test func aCancelledRaceGivesUpThoseThatWouldGoOn() {
        let calls = TestLog<Int>()
        let promise = Promise<Int>()
        promise.onCancel { calls.append(1) }
        Future.race([promise], others: .keptGoing).cancel()
        #expect(calls.elements == [1])
    }

    @Test func anyOverAnyMayBeOfAnyDepth() throws {
        let promise = Promise<Int>()
        var future: Future<Int> = promise
        for _ in 0..<100_000 { future = .any([future]) }
        promise.reject(with: TestError(number: 1))
        var error = try #require(future.errorNow as? FutureError)
        var depth = 1
        while let cause = error.causes.first as? FutureError { (error, depth) = (cause, depth + 1) }
        #expect(depth == 32)
        #expect(error.causes as? [TestError] == [TestError(number: 1)])
    }
}

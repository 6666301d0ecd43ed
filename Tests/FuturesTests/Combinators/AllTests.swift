import Foundation
import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureAllTests {
    @Test func allOfNothingSucceedsAtOnceWithNothing() {
        #expect(Future.all([Future<Int>]()).valueNow == [])
        #expect(Future.allSettled([Promise<Int>]()).result.map { (try? $0.get())?.count } == 0)
    }

    @Test func theValuesOfAllAreInOrderOfTheFutures() {
        let promises = (0..<5).map { _ in Promise<Int>() }
        let all = Future.all(promises)
        for index in [3, 0, 4, 2, 1] {
            #expect(all.result == nil)
            promises[index].resolve(with: index)
        }
        #expect(all.valueNow == [0, 1, 2, 3, 4])
    }

    @Test func allInfersItsTypesAsAUserWritesIt() async throws {
        @Sendable func load(_ id: Int) -> Future<String> { Future(value: "item \(id)") }
        let ids = [1, 2]
        let values = try await Future.all(ids.map(load)).value
        #expect(values == ["item 1", "item 2"])

        let (p1, p2) = (Promise<Int>(), Promise<Int>())
        let literal = Future.all([p1, p2])
        let mixed = Future.all([p1, p2.map { $0 }, Future(value: 3)]).map { $0.reduce(0, +) }
        p1.resolve(with: 1)
        p2.resolve(with: 2)
        #expect(literal.valueNow == [1, 2])
        #expect(mixed.valueNow == 6)
        let settled = try await Future.allSettled([p1, p2]).value
        #expect(settled.map { try? $0.get() } == [1, 2])
    }

    @Test func theFirstFailureInTimeFailsAllAtOnce() {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let all = Future.all(promises)
        promises[2].reject(with: TestError(number: 2))
        #expect(all.errorNow as? TestError == TestError(number: 2))
        promises[0].reject(with: TestError(number: 0))
        #expect(all.errorNow as? TestError == TestError(number: 2))
        #expect(promises[1].resolve(with: 1))
    }

    @Test func allCountsSettledInputsAtOnce() {
        let settled = [Future(value: 1), Future(value: 2)]
        #expect(Future.all(settled).valueNow == [1, 2])
        let failed = [Promise<Int>(), Future<Int>(error: TestError(number: 1))]
        #expect(Future.all(failed).errorNow as? TestError == TestError(number: 1))
    }

    @Test func allTakesTheSameFutureManyTimes() {
        let promise = Promise<Int>()
        let all = Future.all(Array(repeating: promise, count: 1_000))
        promise.resolve(with: 3)
        #expect(all.valueNow?.count == 1_000)
        #expect(all.valueNow?.allSatisfy { $0 == 3 } == true)
    }

    @Test func anAbandonedInputFailsAll() {
        var promises: [Promise<Int>] = [Promise(), Promise()]
        let all = Future.all(promises)
        let settled = Future.allSettled(promises)
        promises[0].resolve(with: 1)
        promises = []
        #expect(all.codeNow == .abandoned)
        let results = try? settled.result?.get()
        #expect(results?.count == 2)
        #expect((try? results?.first?.get()) == 1)
    }

    @Test func allSettledWaitsForAllAndNeverFails() {
        let promises = (0..<4).map { _ in Promise<Int>() }
        let settled = Future.allSettled(promises)
        promises[2].reject(with: TestError(number: 2))
        promises[3].cancel()
        promises[1].resolve(with: 1)
        #expect(settled.result == nil)
        promises[0].resolve(with: 0)
        let results = (try? settled.result?.get()) ?? []
        #expect(results.count == 4)
        #expect(results.map { try? $0.get() } == [0, 1, nil, nil])
        let errors = results.map { result in Future(result: result).errorNow }
        #expect(errors[2] as? TestError == TestError(number: 2))
        #expect(errors[3] is CancellationError)
    }

    @Test func allTakesAThousandInputsFromEightThreads() async throws {
        let promises = (0..<1_000).map { _ in Promise<Int>() }
        let all = Future.all(promises)
        onThreads(8) { thread in
            for index in stride(from: thread, to: 1_000, by: 8) {
                promises[index].resolve(with: index)
            }
        }
        #expect(try await all.value == Array(0..<1_000))
    }

    @Test(arguments: [OtherInputs.givenUp, .keptGoing])
    func afterAFailureTheOthersGoOnByChoice(_ others: OtherInputs) {
        let (failing, other, calls) = (Promise<Int>(), Promise<Int>(), TestLog<Int>())
        other.onCancel { calls.append(1) }
        let all = Future.all([failing, other], others: others)
        failing.reject(with: TestError())
        #expect(all.errorNow is TestError)
        #expect(calls.elements == (others == .givenUp ? [1] : []))
        #expect(other.resolve(with: 1) == (others == .keptGoing))
    }

    @Test func anInputThatWasCancelledBeforeLeavesTheOthersToo() {
        let (cancelled, other, calls) = (Promise<Int>(), Promise<Int>(), TestLog<Int>())
        other.onCancel { calls.append(1) }
        cancelled.cancel()
        let all = Future.all([other, cancelled], others: .keptGoing)
        #expect(all.isCancelled)
        #expect(calls.elements.isEmpty && !other.isSettled)
    }

    @Test func allTakesSequences() {
        let lazy = (1...3).lazy.map { Future(value: $0) }
        #expect(Future.all(lazy).valueNow == [1, 2, 3])
    }
}

@Suite struct ZipTests {
    @Test func zipOfNothingSucceedsAtOnce() {
        let future: Future<Void> = zip()
        #expect(throws: Never.self) { try future.result?.get() }
        #expect(future.result != nil)
    }

    @Test func zipOfOneFutureHasItsValue() {
        let promise = Promise<Int>()
        let future: Future<Int> = zip(promise)
        #expect(future.result == nil)
        promise.resolve(with: 1)
        #expect(future.valueNow == 1)
    }

    @Test func zipTakesTwoFuturesOfDifferentTypes() {
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

    @Test func zipTakesPromisesAndFuturesAsAUserWritesIt() {
        let a = Promise<Int>()
        let b = Promise<Int>()
        let sum = zip(a, b.map { $0 * 10 }).map { $0 + $1 }
        let named = zip(a, b).map { left, right in left - right }
        a.resolve(with: 1)
        b.resolve(with: 2)
        #expect(sum.valueNow == 21)
        #expect(named.valueNow == -1)
    }

    @Test func zipTakesThreeFuturesSettledInAnyOrder() {
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

    @Test func zipTakesFiveTypesSomeSettledBefore() {
        let number = Promise<Int>()
        let list = Promise<[Int]>()
        let future = zip(Future(value: "a"), number, Future(value: 2.5), list, Future(value: true))
            .map { "\($0) \($1) \($2) \($3) \($4)" }
        list.resolve(with: [1])
        number.resolve(with: 7)
        #expect(future.valueNow == "a 7 2.5 [1] true")
    }

    @Test func zipTakesOptionalsAndTuples() {
        let future = zip(Future<Int?>(value: nil), Future(value: (1, "x")))
        let value = try? future.result?.get()
        #expect(value?.0 == .some(nil))
        #expect(value?.1.1 == "x")
    }

    @Test func theFirstFailureInTimeFailsAZip() {
        let a = Promise<Int>()
        let b = Promise<Int>()
        let c = Promise<Int>()
        let future = zip(a, b, c)
        b.reject(with: TestError(number: 2))
        a.reject(with: TestError(number: 1))
        #expect(future.errorNow as? TestError == TestError(number: 2))
        #expect(c.resolve(with: 1))
    }

    @Test func theFirstOfSettledFailuresFailsAZip() {
        let future = zip(
            Future(value: 0),
            Future<Int>(error: TestError(number: 1)),
            Future<Int>(error: TestError(number: 2))
        )
        #expect(future.errorNow as? TestError == TestError(number: 1))
    }

    @Test func zipTakesTheSameFutureTwice() {
        let promise = Promise<Int>()
        let future = zip(promise, promise).map { $0 + $1 }
        promise.resolve(with: 4)
        #expect(future.valueNow == 8)
    }

    @Test func aZipKeepsTheLineThatThrew() {
        let promise = Promise<Int>()
        let line: UInt = #line + 1
        let thrower = promise.map { _ -> Int in throw TestError() }
        let future = zip(promise, thrower)
        promise.resolve(with: 1)
        #expect(future.failureOrigin?.line == line)
    }
}

@Suite(.oneAtATime) struct FutureFirstTests {
    @Test func raceAndAnyOfNothingFailAndNameTheLine() {
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

    @Test func raceAndAnyInferTheirTypesAsAUserWritesIt() async throws {
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

    @Test func theFirstOfSettledFuturesWinsARace() {
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

    @Test func aggregatesWithinAnObserverOfTheirFirstInputTakeItFirst() {
        let promise = Promise<Int>()
        let (races, first, all) = (TestLog<Int?>(), TestLog<Int?>(), TestLog<[Int]?>())
        promise.observe { _ in
            races.append(Future.race([promise, Future(value: 2)]).valueNow)
            races.append(Future.race([Future(value: 2), promise]).valueNow)
            first.append(Future.any([promise, Future(value: 2)]).valueNow)
            all.append(Future.all([promise, Future(value: 2)]).valueNow)
        }
        promise.observe { _ in }
        promise.resolve(with: 1)
        #expect(races.elements == [1, 2])
        #expect(first.elements == [1])
        #expect(all.elements == [[1, 2]])
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

    @Test func raceAndAnyOfOneFutureHaveItsResult() {
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

@Suite(.oneAtATime) struct FutureAsCompletedTests {
    @Test func resultsComeAsTheyAreCompleted() async {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let stream = Future.asCompleted(promises)
        promises[2].resolve(with: 2)
        promises[0].reject(with: TestError())
        promises[1].resolve(with: 1)
        var seen: [Int?] = []
        for await result in stream { seen.append(try? result.get()) }
        #expect(seen == [2, nil, 1])
    }

    @Test func whoLeavesTheResultsGivesUpTheRest() async {
        let (first, second) = (Promise<Int>(), Promise<Int>())
        let isCancelled = Locked(false)
        second.onCancel { isCancelled.withLock { $0 = true } }
        first.resolve(with: 1)
        for await _ in Future.asCompleted([first, second]) { break }
        #expect(await comesTrue { isCancelled.withLock { $0 } })
    }

    @Test func producersOfAbandonedInputsHearItOnAnotherThreadThanTheCancellers() async {
        let promise = Promise<Int>()
        let (handler, canceller) = (Locked<Thread?>(nil), Locked<Thread?>(nil))
        let isAwaiting = Locked(false)
        promise.onCancel { handler.withLock { $0 = Thread.current } }
        let task = Task {
            isAwaiting.withLock { $0 = true }
            for await _ in Future.asCompleted([promise]) {}
        }
        #expect(await comesTrue { isAwaiting.withLock { $0 } })
        await withCheckedContinuation { continuation in
            Thread {
                canceller.withLock { $0 = Thread.current }
                task.cancel()
                continuation.resume()
            }.start()
        }
        await task.value
        #expect(await comesTrue { handler.withLock { $0 } != nil })
        #expect(handler.withLock { $0 } !== canceller.withLock { $0 })
        canceller.withLock { $0 = nil }
    }
}

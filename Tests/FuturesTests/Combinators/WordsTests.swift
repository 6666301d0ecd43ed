import Dispatch
import Futures
import TestSupport
import Testing

/// The words that set a result, follow, hop to a queue, shield and take back.
@Suite struct WordsTests {
    @Test func aResultSettles() {
        let (promise, failing) = (Promise<Int>(), Promise<Int>())
        #expect(promise.settle(with: .success(1)))
        #expect(!promise.settle(with: .success(2)))
        #expect(failing.settle(with: .failure(TestError())))
        #expect(promise.valueNow == 1)
        #expect(failing.errorNow is TestError)
        #expect(Future(result: .success(3)).valueNow == 3)
        #expect(Future<Int>.make { $0.settle(with: .success(4)) }.valueNow == 4)
        #expect(promise.isSettled && !Promise<Int>().isSettled)
    }

    @Test func aPromiseFollowsAFuture() {
        let (source, follower, cancelled) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let calls = Recorder<Int>()
        source.onCancel { calls.append(1) }
        follower.follow(source)
        cancelled.follow(source)
        cancelled.cancel()
        #expect(calls.elements.isEmpty)
        source.resolve(with: 7)
        #expect(follower.valueNow == 7)
        #expect(cancelled.isCancelled)
        let (alone, last) = (Promise<Int>(), Promise<Int>())
        alone.onCancel { calls.append(2) }
        last.follow(alone)
        last.cancel()
        #expect(calls.elements == [2])
    }

    @Test func wholeResultsAreTransformed() {
        let failed = Future<Int>(error: TestError(number: 1))
        #expect(failed.mapResult { "\((try? $0.get()) ?? 0)" }.valueNow == "0")
        #expect(Future(value: 2).mapResult { try $0.get() + 1 }.valueNow == 3)
        #expect(
            failed.mapResult { _ in throw TestError(number: 2) }.map { 1 }.errorNow as? TestError
                == TestError(number: 2))
        #expect(failed.flatMapResult { _ in Future(value: 5) }.valueNow == 5)
    }

    private static let key = DispatchSpecificKey<Int>()

    @Test func transformsOfAQueueRunThereAndNowhereElse() async {
        let queue = DispatchQueue(label: "transforms")
        queue.setSpecific(key: Self.key, value: 1)
        let isThere = Recorder<Bool>()
        @Sendable func note() { isThere.append(DispatchQueue.getSpecific(key: Self.key) == 1) }
        let promise = Promise<Int>()
        for future in [promise, Future(value: 1)] {
            let chain = future.map(on: queue) { value in
                note(); return value
            }
            .flatMap(on: queue) { value in
                note(); return Future(value: value)
            }
            .filter(on: queue) { _ in
                note(); return false
            }
            .flatMapError(on: queue) { error in
                note(); return Future(error: error)
            }
            .recover(on: queue) { _ in
                note(); return 9
            }
            .flatMapResult(on: queue) { result in
                note(); return Future(result: result)
            }
            promise.resolve(with: 1)
            #expect(await chain.resultWhenSettled.map { $0 == 9 } == .success(true))
        }
        #expect(isThere.elements == Array(repeating: true, count: 12))
    }

    @Test func aTransformOfAQueueThatIsGivenUpDoesNotRun() async {
        let queue = DispatchQueue(label: "transforms")
        let calls = Recorder<Int>()
        queue.suspend()
        let mapped = Future(value: 1).map(on: queue) { value in calls.append(value) }
        mapped.cancel()
        queue.resume()
        queue.sync {}
        #expect(calls.elements.isEmpty)
        let failure = Future<Int>(error: TestError()).map(on: queue) { $0 }
        #expect(failure.errorNow is TestError)
        #expect(failure.failureOrigin == nil)
    }

    @Test(arguments: [OtherInputs.givenUp, .keptGoing]) func theOthersGoOnByChoice(
        _ others: OtherInputs
    ) {
        let expected = others == .givenUp ? [1, 2] : []
        let calls = Recorder<Int>()
        let (winner, loser, failing, rest) =
            (Promise<Int>(), Promise<Int>(), Promise<Int>(), Promise<Int>())
        loser.onCancel { calls.append(1) }
        rest.onCancel { calls.append(2) }
        let race = Future.race([winner, loser], others: others)
        winner.resolve(with: 1)
        let all = Future.all([failing, rest], others: others)
        failing.reject(with: TestError())
        #expect(race.valueNow == 1)
        #expect(all.errorNow is TestError)
        #expect(calls.elements == expected)
        #expect(loser.isCancelled == (others == .givenUp))
        #expect(rest.resolve(with: 1) == (others == .keptGoing))
    }

    @Test func aCancelledRaceGivesUpThoseThatWouldGoOn() {
        let calls = Recorder<Int>()
        let promise = Promise<Int>()
        promise.onCancel { calls.append(1) }
        Future.race([promise], others: .keptGoing).cancel()
        #expect(calls.elements == [1])
    }

    @Test func allTakesSequencesAndTypes() {
        let lazy = (1...3).lazy.map { Future(value: $0) }
        #expect(Future.all(lazy).valueNow == [1, 2, 3])
        let both = Future.all(Future(value: 1), Future(value: "a"))
        #expect(both.map { "\($0)\($1)" }.valueNow == "1a")
    }

    @Test func anObservationIsTakenBack() {
        let (promise, calls) = (Promise<Int>(), Recorder<Int>())
        promise.onCancel { calls.append(0) }
        let observations = (1...3).map { number in promise.observation { _ in calls.append(number) }
        }
        observations[1].cancel()
        observations[1].cancel()
        promise.resolve(with: 1)
        observations[0].cancel()
        #expect(calls.elements == [1, 3])
        let last = Promise<Int>()
        last.onCancel { calls.append(4) }
        last.observation { _ in calls.append(5) }.cancel()
        #expect(calls.elements == [1, 3, 4])
    }

    @Test func aShieldKeepsTheProducerGoing() {
        let (promise, calls) = (Promise<Int>(), Recorder<Int>())
        promise.onCancel { calls.append(1) }
        let shield = promise.map { $0 + 1 }.shielded()
        shield.map { $0 }.cancel()
        #expect(shield.result == nil)
        let other = promise.shielded()
        other.cancel()
        #expect(calls.elements.isEmpty)
        promise.resolve(with: 1)
        #expect(shield.valueNow == 2)
        #expect(other.isCancelled)
    }

    @Test func aPromiseThatRejectsNobodyLeavesThemWaiting() {
        let (census, calls) = (Census(), Recorder<Int>())
        var promise: Promise<Int>? = Promise(rejectsWhenReleased: false)
        let token = Locked<Tracked?>(Tracked(census))
        let mapped = promise?.map { [held = token.withLock { $0 }] value in
            value + (held?.number ?? 0)
        }
        promise?.observe { _ in calls.append(1) }
        token.withLock { $0 = nil }
        promise = nil
        #expect(mapped?.result == nil)
        #expect(calls.elements.isEmpty)
        mapped?.cancel()
        #expect(mapped?.isCancelled == true)
    }

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

    @Test("F10: what is handed out by the framework is no promise") func nobodyCastsToSettle() {
        let queue = DispatchQueue(label: "casts")
        let futures = [
            InternalPromise<Int>(), Future.make { _ in }, Promise<Int>().map { $0 },
            Promise<Int>().shielded(), Future(value: 1).map(on: queue) { $0 },
        ]
        for future in futures { #expect(!(future is Promise<Int>)) }
    }

    @Test("F9: an endless sequence is read as there is room") func endlessSequences() {
        let started = Recorder<Int>()
        let promises = Locked<[Promise<Int>]>([])
        let whole = Future.traverse(1..., maxConcurrent: 4) { number in
            started.append(number)
            let promise = Promise<Int>()
            promises.withLock { $0.append(promise) }
            return promise
        }
        #expect(started.elements == [1, 2, 3, 4])
        promises.withLock { $0 }[2].resolve(with: 1)
        #expect(started.elements == [1, 2, 3, 4, 5])
        whole.cancel()
        #expect(started.elements.count == 5)
    }
}

extension Result where Success == Bool {
    fileprivate static func == (left: Result, right: Result) -> Bool {
        (try? left.get()) == (try? right.get())
    }
}

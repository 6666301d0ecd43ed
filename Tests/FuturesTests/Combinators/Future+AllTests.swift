import PledgeFutures
import TestSupport
import Testing

@Suite(.oneAtATime) struct FutureAllTests {
    @Test func ofNothingSucceedsAtOnceWithNothing() {
        #expect(Future.all([Future<Int>]()).valueNow == [])
        #expect(Future.allSettled([Promise<Int>]()).result.map { (try? $0.get())?.count } == 0)
    }

    @Test func theValuesAreInOrderOfTheFutures() {
        let promises = (0..<5).map { _ in Promise<Int>() }
        let all = Future.all(promises)
        for index in [3, 0, 4, 2, 1] {
            #expect(all.result == nil)
            promises[index].resolve(with: index)
        }
        #expect(all.valueNow == [0, 1, 2, 3, 4])
    }

    @Test func infersAsAUserWritesIt() async throws {
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

    @Test func theFirstFailureInTimeFailsTheWholeAtOnce() {
        let promises = (0..<3).map { _ in Promise<Int>() }
        let all = Future.all(promises)
        promises[2].reject(with: TestError(number: 2))
        #expect(all.errorNow as? TestError == TestError(number: 2))
        promises[0].reject(with: TestError(number: 0))
        #expect(all.errorNow as? TestError == TestError(number: 2))
        #expect(promises[1].resolve(with: 1))
    }

    @Test func settledInputsCountAtOnce() {
        let settled = [Future(value: 1), Future(value: 2)]
        #expect(Future.all(settled).valueNow == [1, 2])
        let failed = [Promise<Int>(), Future<Int>(error: TestError(number: 1))]
        #expect(Future.all(failed).errorNow as? TestError == TestError(number: 1))
    }

    @Test func theSameFutureManyTimes() {
        let promise = Promise<Int>()
        let all = Future.all(Array(repeating: promise, count: 1_000))
        promise.resolve(with: 3)
        #expect(all.valueNow?.count == 1_000)
        #expect(all.valueNow?.allSatisfy { $0 == 3 } == true)
    }

    @Test func anAbandonedInputFailsTheWhole() {
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

    @Test func aThousandInputsFromEightThreads() async throws {
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

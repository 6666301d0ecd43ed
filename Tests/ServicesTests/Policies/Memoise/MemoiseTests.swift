import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite struct MemoiseTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// A service that answers at once with the number of its calls.
    final class Counter: Sendable {
        let count = Locked(0)
        var calls: Int { count.withLock { $0 } }

        @Sendable func send(_ ask: Ask) -> Future<Int> {
            Future(
                value: count.withLock {
                    $0 += 1
                    return $0
                })
        }
    }

    @Test func anAnswerIsThereUntilItExpiresToTheNanosecond() {
        let counter = Counter()
        let load = stack(
            .memoise(timeToLive: .seconds(60), on: scheduler), over: counter.send)
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .nanoseconds(1))
        #expect(load(1).valueNow == 2)
        #expect(scheduler.isIdle)
    }

    @Test func theTimeCountsFromItsArrivalAndAHitDoesNotProlongIt() {
        let upstream = Upstream(on: scheduler, [.value(1, after: .seconds(5)), .value(2)])
        let load = stack(
            .memoise(timeToLive: .seconds(10), on: scheduler), over: upstream.send)
        _ = load(1)
        scheduler.advance(by: .seconds(14))
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .seconds(1))
        #expect(load(1).result == nil)
        #expect(upstream.count == 2)
    }

    @Test func keysDecideAlone() {
        let counter = Counter()
        let load = stack(
            .memoise(by: { $0.number % 2 }, timeToLive: .seconds(1), on: scheduler),
            over: counter.send)
        #expect((0..<6).map { load(Ask($0)).valueNow } == [1, 2, 1, 2, 1, 2])
    }

    @Test func theOneLongestUnusedMakesRoom() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), limit: 2, on: scheduler)
        let counter = Counter()
        let load = stack(.memoise(sharing: memo), over: counter.send)
        _ = [load(1), load(2), load(1), load(3)]
        #expect(memo.count == 2)
        #expect(load(1).valueNow == 1)
        #expect(load(3).valueNow == 3)
        #expect(counter.calls == 3)
        #expect(load(2).valueNow == 4)
        #expect(memo.count == 2)
    }

    @Test func whatHasExpiredGoesBeforeWhatHasNot() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(10), limit: 2, on: scheduler)
        let counter = Counter()
        let load = stack(.memoise(sharing: memo), over: counter.send)
        _ = load(1)
        scheduler.advance(by: .seconds(5))
        _ = load(2)
        // The first was used later than the second, and expires before it.
        _ = load(1)
        scheduler.advance(by: .seconds(5))
        _ = load(3)
        #expect(load(2).valueNow == 2)
        #expect(counter.calls == 3)
    }

    @Test func theBoundIsKeptAndWhatGoesIsFreed() {
        let memo = Memo<Int, Luggage>(timeToLive: .seconds(10), limit: 10, on: scheduler)
        let load = stack(
            .memoise(sharing: memo), over: { (key: Int) in Future(value: Luggage()) })
        weak let first = load(0).valueNow
        #expect(first != nil)
        for key in 1..<10_000 { _ = load(key) }
        #expect(memo.count == 10)
        #expect(first == nil)
        weak let last = load(9_999).valueNow
        #expect(last != nil)
        scheduler.advance(by: .seconds(10))
        #expect(memo.count == 0)
        #expect(last == nil)
    }

    @Test(arguments: [
        Upstream.Step.broken, .error(CancellationError()), .atOnce(.failure(Broken())),
    ])
    func failuresAreNotKept(_ step: Upstream.Step) {
        let upstream = Upstream(on: scheduler, [step, .value(7)])
        let load = stack(.memoise(timeToLive: .seconds(1), on: scheduler), over: upstream.send)
        let failed = load(1)
        scheduler.run()
        #expect(failed.errorNow != nil)
        let second = load(1)
        scheduler.run()
        #expect(second.valueNow == 7)
        #expect(load(1).valueNow == 7)
        #expect(upstream.count == 2)
    }

    @Test func aValueThatIsNoSuccessIsNotKept() {
        let classifier = Classifier<Int> { result in
            if case .success(let value) = result, value < 0 { return .failure }
            return Classifier.standard(result)
        }
        let upstream = Upstream(on: scheduler, [.atOnce(.success(-1)), .atOnce(.success(1))])
        let load = stack(
            .memoise(timeToLive: .seconds(1), classifier: classifier, on: scheduler),
            over: upstream.send)
        #expect([load(1), load(1), load(1)].map(\.valueNow) == [-1, 1, 1])
    }

    @Test func callsThatFindNoAnswerEachCallAndCoalesceLetsThemShare() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2), .value(3)])
        let apart = stack(.memoise(timeToLive: .seconds(1), on: scheduler), over: upstream.send)
        let calls = [apart(1), apart(1)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        let together = stack(
            .memoise(timeToLive: .seconds(1), on: scheduler), .coalesce(), over: upstream.send)
        let shared = (0..<100).map { _ in together(1) }
        scheduler.run()
        #expect(shared.allSatisfy { $0.valueNow == 3 })
        #expect(upstream.count == 3)
        #expect(together(1).valueNow == 3)
    }

    @Test func theAnswerOfTheCallThatBeganLastStays() {
        let upstream = Upstream(
            on: scheduler,
            [.value(1, after: .milliseconds(30)), .value(2, after: .milliseconds(10))])
        let load = stack(.memoise(timeToLive: .seconds(1), on: scheduler), over: upstream.send)
        let calls = [load(1), load(1)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        #expect(load(1).valueNow == 2)
    }

    @Test func cancellingAMissCancelsIt() {
        let upstream = Upstream(on: scheduler)
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let load = stack(.memoise(sharing: memo), over: upstream.send)
        load(1).cancel()
        #expect(upstream.cancelled == 1)
        #expect(memo.count == 0)
    }

    @Test func cancellingAHitDoesNothingToTheAnswer() {
        let load = stack(.memoise(timeToLive: .seconds(60), on: scheduler), over: Counter().send)
        _ = load(1)
        load(1).cancel()
        #expect(load(1).valueNow == 1)
    }

    @Test func eachServiceHasItsOwnAnswersUnlessAMemoIsGiven() {
        let policy = Middleware<Ask, Int>.memoise(timeToLive: .seconds(1), on: scheduler)
        let (one, other) = (Counter(), Counter())
        _ = [policy(one.send)(1), policy(other.send)(1)]
        #expect(other.calls == 1)
        let shared = Middleware<Ask, Int>.memoise(
            sharing: Memo(timeToLive: .seconds(1), on: scheduler))
        _ = [shared(one.send)(1), shared(other.send)(1)]
        #expect(one.calls + other.calls == 3)
    }

    @Test func hitsAndMissesAreTold() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(
            .observed(by: log.observer, on: scheduler),
            .memoise(timeToLive: .seconds(1), on: scheduler), over: upstream.send)
        _ = load(1)
        scheduler.run()
        _ = load(1)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 memoise miss",
                "10 1 observed ended success in 10",
                "10 1 observed began call",
                "10 1 memoise hit",
                "10 1 observed ended success in 0",
            ])
    }

    /// An observer of a miss calls the same stack, and gets the kept answer.
    @Test func theAnswerIsThereBeforeAnybodyHearsIt() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(.memoise(timeToLive: .seconds(1), on: scheduler), over: upstream.send)
        let again = load(1).flatMap { _ in load(1) }
        scheduler.run()
        #expect(again.valueNow == 7)
        #expect(upstream.count == 1)
    }
}

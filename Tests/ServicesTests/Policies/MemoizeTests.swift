import Dispatch
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct MemoizeTests {
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

    @Test func aMemoKeepsAnAnswerToTheNanosecondOfItsTimeToLive() {
        let counter = Counter()
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(60), on: scheduler)), over: counter.send)
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .nanoseconds(1))
        #expect(load(1).valueNow == 2)
        #expect(scheduler.isIdle)
    }

    @Test func aMemosTimeToLiveCountsFromTheArrivalAndAHitDoesNotProlongIt() {
        let upstream = Upstream(on: scheduler, [.value(1, after: .seconds(5)), .value(2)])
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(10), on: scheduler)), over: upstream.send)
        _ = load(1)
        scheduler.advance(by: .seconds(14))
        #expect(load(1).valueNow == 1)
        scheduler.advance(by: .seconds(1))
        #expect(load(1).result == nil)
        #expect(upstream.count == 2)
    }

    @Test func onlyTheKeyDecidesWhichAnswerAMemoHas() {
        let counter = Counter()
        let load = stack(
            .memoize(by: { $0.number % 2 }, sharing: Memo(timeToLive: .seconds(1), on: scheduler)),
            over: counter.send)
        #expect((0..<6).map { load(Ask($0)).valueNow } == [1, 2, 1, 2, 1, 2])
    }

    @Test func theAnswerUnusedForLongestMakesRoomInAMemo() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), limit: 2, on: scheduler)
        let counter = Counter()
        let load = stack(.memoize(sharing: memo), over: counter.send)
        _ = [load(1), load(2), load(1), load(3)]
        #expect(memo.count == 2)
        #expect(load(1).valueNow == 1)
        #expect(load(3).valueNow == 3)
        #expect(counter.calls == 3)
        #expect(load(2).valueNow == 4)
        #expect(memo.count == 2)
    }

    @Test func expiredAnswersLeaveAMemoBeforeOthers() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(10), limit: 2, on: scheduler)
        let counter = Counter()
        let load = stack(.memoize(sharing: memo), over: counter.send)
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

    @Test func aMemoKeepsItsLimitAndFreesTheAnswersThatGo() {
        let memo = Memo<Int, Luggage>(timeToLive: .seconds(10), limit: 10, on: scheduler)
        let load = stack(
            .memoize(sharing: memo), over: { (key: Int) in Future(value: Luggage()) })
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
    func aMemoKeepsNoFailure(_ step: Upstream.Step) {
        let upstream = Upstream(on: scheduler, [step, .value(7)])
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), over: upstream.send)
        let failed = load(1)
        scheduler.run()
        #expect(failed.errorNow != nil)
        let second = load(1)
        scheduler.run()
        #expect(second.valueNow == 7)
        #expect(load(1).valueNow == 7)
        #expect(upstream.count == 2)
    }

    @Test func aMemoKeepsNoValueThatIsNoSuccess() {
        let classifier = Classifier<Int> { result in
            if case .success(let value) = result, value < 0 { return .failure }
            return Classifier.standard(result)
        }
        let upstream = Upstream(on: scheduler, [.atOnce(.success(-1)), .atOnce(.success(1))])
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler), classifier: classifier),
            over: upstream.send)
        #expect([load(1), load(1), load(1)].map(\.valueNow) == [-1, 1, 1])
    }

    @Test func callsThatMissAMemoAreSharedOnlyByCoalesce() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2), .value(3)])
        let apart = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), over: upstream.send)
        let calls = [apart(1), apart(1)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        let together = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), .coalesce(),
            over: upstream.send)
        let shared = (0..<100).map { _ in together(1) }
        scheduler.run()
        #expect(shared.allSatisfy { $0.valueNow == 3 })
        #expect(upstream.count == 3)
        #expect(together(1).valueNow == 3)
    }

    @Test func aMemoKeepsTheAnswerOfTheCallThatBeganLast() {
        let upstream = Upstream(
            on: scheduler,
            [.value(1, after: .milliseconds(30)), .value(2, after: .milliseconds(10))])
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), over: upstream.send)
        let calls = [load(1), load(1)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        #expect(load(1).valueNow == 2)
    }

    @Test func cancellingACallThatMissedAMemoCancelsIt() {
        let upstream = Upstream(on: scheduler)
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let load = stack(.memoize(sharing: memo), over: upstream.send)
        load(1).cancel()
        #expect(upstream.cancelled == 1)
        #expect(memo.count == 0)
    }

    @Test func cancellingACallThatHitAMemoKeepsTheAnswer() {
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(60), on: scheduler)), over: Counter().send)
        _ = load(1)
        load(1).cancel()
        #expect(load(1).valueNow == 1)
    }

    @Test func servicesShareTheAnswersOfAMemo() {
        let (one, other) = (Counter(), Counter())
        let shared = Middleware<Ask, Int>.memoize(
            sharing: Memo(timeToLive: .seconds(1), on: scheduler))
        _ = [shared(one.send)(1), shared(other.send)(1)]
        #expect(one.calls + other.calls == 1)
    }

    @Test func aMemoTellsItsHitsAndMisses() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(
            .observed(by: log.observer, on: scheduler),
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), over: upstream.send)
        _ = load(1)
        scheduler.run()
        _ = load(1)
        #expect(
            log.lines == [
                "0 1 observed began call",
                "0 1 memoize miss",
                "10 1 observed ended success in 10",
                "10 1 observed began call",
                "10 1 memoize hit",
                "10 1 observed ended success in 0",
            ])
    }

    /// An observer of a miss calls the same stack, and gets the kept answer.
    @Test func aMemoHasAnAnswerBeforeAnybodyHearsIt() {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(1), on: scheduler)), over: upstream.send)
        let again = load(1).flatMap { _ in load(1) }
        scheduler.run()
        #expect(again.valueNow == 7)
        #expect(upstream.count == 1)
    }
}

@Suite(.oneAtATime) struct MemoTests {
    let scheduler = ManualScheduler()

    @Test func invalidatingAKeyOfAMemoForgetsItsAnswerAndItsCallsUnderWay() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoize(sharing: memo), over: upstream.send)
        _ = [load(1), load(2)]
        scheduler.run()
        memo.invalidate(1)
        let second = load(1)
        #expect(load(2).valueNow == 2)
        memo.invalidate(1)
        scheduler.run()
        // The call continues, and its answer is not kept.
        #expect(second.valueNow == 3)
        #expect(memo.count == 1)
        _ = load(1)
        scheduler.run()
        #expect(load(1).valueNow == 4)
    }

    @Test func invalidatingAMemoForgetsAllItsAnswers() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoize(sharing: memo), over: upstream.send)
        _ = [load(1), load(2)]
        scheduler.run()
        _ = load(3)
        memo.invalidateAll()
        scheduler.run()
        #expect(memo.count == 0)
        _ = load(3)
        scheduler.run()
        #expect(load(3).valueNow == 4)
        #expect(memo.count == 1)
    }

    /// The call that is under way may have been answered before the change.
    @Test func callersAfterAMemosInvalidationShareNoCallFromBefore() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoize(sharing: memo), .coalesce(), over: upstream.send)
        let before = [load(1), load(1)]
        let other = load(2)
        scheduler.advance(by: .milliseconds(5))
        memo.invalidate(1)
        let after = [load(1), load(1)]
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 1])
        // A key that was not invalidated is not affected.
        let another = load(2)
        scheduler.run()
        #expect(before.map(\.valueNow) == [1, 1])
        #expect(after.map(\.valueNow) == [3, 3])
        #expect([other, another].map(\.valueNow) == [2, 2])
        #expect([load(1), load(2)].map(\.valueNow) == [3, 2])
        #expect(upstream.count == 3)
    }

    @Test func invalidatingAllOfAMemoEndsTheSharingOfAllCalls() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoize(sharing: memo), .coalesce(), over: upstream.send)
        _ = [load(1), load(2)]
        memo.invalidateAll()
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [3, 4])
    }

    /// The memo does not know of a call that another stack made.
    @Test func afterAMemosInvalidationNoCallOfAnotherStackIsShared() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let group = Coalescer<Ask, Int>()
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let plain = stack(.coalesce(sharing: group), over: upstream.send)
        let load = stack(.memoize(sharing: memo), over: plain)
        let before = plain(1)
        memo.invalidate(1)
        let after = load(1)
        // The other stack shares the newer call.
        let plainAfter = plain(1)
        #expect(group.count == 2)
        scheduler.run()
        #expect([before, after, plainAfter].map(\.valueNow) == [1, 2, 2])
        #expect(load(1).valueNow == 2)
    }

    @Test func afterAMemosInvalidationNoCallCoalescedAboveItIsShared() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(
            .coalesce(), .coalesce(), .memoize(sharing: memo), over: upstream.send)
        let calls = [load(1), load(2)]
        memo.invalidate(1)
        let after = [load(1), load(2)]
        scheduler.run()
        #expect((calls + after).map(\.valueNow) == [1, 2, 3, 2])
    }

    @Test func anAnswerOfAMemoExpiresWhileTheDeviceSleeps() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoize(sharing: memo), over: upstream.send)
        _ = load(1)
        scheduler.run()
        scheduler.advanceAsleep(by: .seconds(60) - .nanoseconds(1))
        #expect(load(1).valueNow == 1)
        scheduler.advanceAsleep(by: .nanoseconds(1))
        #expect(memo.count == 0)
        let second = load(1)
        scheduler.run()
        #expect(second.valueNow == 2)
        scheduler.advance(by: .seconds(60))
        #expect(memo.count == 0)
    }

    @Test func aMemoKeepsNothingForAKeyThatIsNotEqualToItself() {
        struct Odd: Hashable, Sendable {
            let luggage: Luggage
            static func == (left: Odd, right: Odd) -> Bool { false }
        }
        let memo = Memo<Odd, Int>(timeToLive: .seconds(60), on: scheduler)
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let load = stack(.memoize(sharing: memo), over: { (key: Odd) in Future(value: 1) })
            #expect(load(Odd(luggage: held)).valueNow == 1)
        }
        #expect(memo.count == 0)
        #expect(luggage == nil)
    }

    @Test func threadsShareAMemo() {
        let memo = Memo<Int, Int>(timeToLive: .milliseconds(5), limit: 8, on: scheduler)
        let scheduler = scheduler
        let wrong = Locked(0)
        let load = stack(
            .memoize(sharing: memo),
            over: { (key: Int) in
                key % 2 == 0
                    ? Future(value: key)
                    : Future(value: key).delay(.milliseconds(1), on: scheduler)
            })
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<2_000 {
                let key = Int.random(in: 0..<20, using: &generator)
                load(key).onSuccess { if $0 != key { wrong.withLock { $0 += 1 } } }
                switch step % 50 {
                case 0: memo.invalidate(key)
                case 7: memo.invalidateAll()
                case 9: scheduler.advance(by: .milliseconds(1))
                default: break
                }
                if memo.count > 8 { wrong.withLock { $0 += 1 } }
            }
        }
        scheduler.run()
        #expect(wrong.withLock { $0 } == 0)
        #expect(memo.count <= 8)
    }

    /// A key whose release calls the memo must find the memo unlocked.
    @Test func aKeyMayUseItsMemoAsItIsFreed() {
        final class Caller: Sendable {
            let memo: Memo<Key, Int>
            init(_ memo: Memo<Key, Int>) { self.memo = memo }
            deinit { _ = memo.count }
        }
        struct Key: Hashable, Sendable {
            var number: Int
            var caller: Caller?
            static func == (left: Key, right: Key) -> Bool { left.number == right.number }
            func hash(into hasher: inout Hasher) { hasher.combine(number) }
        }
        let memo = Memo<Key, Int>(timeToLive: .seconds(1), limit: 2, on: scheduler)
        let load = stack(
            .memoize(sharing: memo), over: { (key: Key) in Future(value: key.number) })
        for number in 0..<10 {
            _ = load(Key(number: number, caller: Caller(memo)))
            _ = load(Key(number: number, caller: Caller(memo)))
        }
        memo.invalidate(Key(number: 9, caller: Caller(memo)))
        #expect(memo.count == 1)
        memo.invalidateAll()
        #expect(memo.count == 0)
    }

    #if os(macOS) || os(Linux)
    @Test func aMemosTimeToLiveOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.memoize(sharing: Memo(timeToLive: .zero)) }
        expectTrap("memoize needs a timeToLive of more than zero", in: result)
    }

    @Test func aMemosLimitOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Memo<Int, Int>(timeToLive: .seconds(1), limit: 0) }
        expectTrap("memoize needs a limit of at least 1, not 0", in: result)
    }
    #endif
}

@Suite struct MemoMachineTests {
    typealias Machine = MemoMachine<Int, Int>

    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// Compared with a list of all kept answers, over random calls, ends, invalidations and times.
    @Test(arguments: 0..<20) func aMemoAgreesWithAnOracle(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...4, using: &generator)
        var machine = Machine(timeToLive: .milliseconds(20), limit: limit)
        var oracle = Oracle(timeToLive: 20, limit: limit)
        var open: [(call: Int, key: Int)] = []
        var now = Int.random(in: -50...50, using: &generator)
        for step in 0..<1_000 {
            now += Int.random(in: 0...3, using: &generator)
            let key = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<12:
                switch machine.look(up: key, at: at(now)).answer {
                case .hit(let value): #expect(oracle.look(up: key, at: now) == value)
                case .miss(let call, let since):
                    #expect(oracle.look(up: key, at: now) == nil)
                    #expect(since.number == oracle.invalidated[key])
                    oracle.calls[call] = true
                    open.append((call, key))
                }
            case 12..<18:
                guard let index = open.indices.randomElement(using: &generator) else { continue }
                let (call, key) = open.remove(at: index)
                let value = Bool.random(using: &generator) ? step : nil
                _ = machine.endCall(call, key, value, at: at(now))
                oracle.end(call, key, value, at: now)
            case 18:
                _ = machine.invalidate(key, in: Era(number: step))
                oracle.invalidated[key] = step
                oracle.kept.removeAll { $0.key == key }
                for (call, other) in open where other == key { oracle.calls[call] = false }
            default:
                guard Int.random(in: 0..<5, using: &generator) == 0 else { continue }
                _ = machine.invalidateAll(in: Era(number: step))
                oracle.invalidated = oracle.invalidated.map { _ in step }
                oracle.kept = []
                for (call, _) in open { oracle.calls[call] = false }
            }
            let count = machine.count(at: at(now)).0
            #expect(count == oracle.count(at: now))
            #expect(count <= limit)
        }
    }

    struct Oracle {
        struct Kept {
            var key: Int
            var value: Int
            var call: Int
            var since: Int
        }

        let timeToLive: Int
        let limit: Int
        /// In order of use, the least recently used first.
        var kept: [Kept] = []
        /// Whether the answer of a call under way may be kept.
        var calls: [Int: Bool] = [:]
        /// The step of each key's last invalidation.
        var invalidated = Array(repeating: 0, count: 6)

        mutating func count(at now: Int) -> Int {
            kept.removeAll { now - $0.since >= timeToLive }
            return kept.count
        }

        mutating func look(up key: Int, at now: Int) -> Int? {
            _ = count(at: now)
            guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = kept.remove(at: index)
            kept.append(entry)
            return entry.value
        }

        mutating func end(_ call: Int, _ key: Int, _ value: Int?, at now: Int) {
            _ = count(at: now)
            guard let value, calls[call] == true else { return }
            if let index = kept.firstIndex(where: { $0.key == key }) {
                if kept[index].call > call { return }
                kept.remove(at: index)
            } else if kept.count == limit {
                kept.removeFirst()
            }
            kept.append(Kept(key: key, value: value, call: call, since: now))
        }
    }

    @Test func aMemoGivesBackWhatIsTakenOut() {
        var machine = Machine(timeToLive: .milliseconds(10), limit: 2)
        for key in 1...2 {
            guard case .miss(let call, _) = machine.look(up: key, at: at(key)).answer else {
                return
            }
            _ = machine.endCall(call, key, key * 100, at: at(key))
        }
        guard case .miss(let call, _) = machine.look(up: 3, at: at(5)).answer else { return }
        let end = machine.endCall(call, 3, 300, at: at(5))
        #expect(end.removed.map(\.value) == [100])
        #expect(end.key == 3)
        let expired = machine.look(up: 9, at: at(12)).removed
        #expect(expired.map(\.value) == [200])
        let all = machine.invalidateAll(in: .first)
        #expect(all.removed.map(\.value) == [300])
    }

    /// A thread that read the clock earlier than another thread does not restore an expired answer.
    @Test func aMemoTakesAnEarlierInstantForTheLatest() {
        var machine = Machine(timeToLive: .milliseconds(10), limit: 2)
        guard case .miss(let call, _) = machine.look(up: 1, at: at(5)).answer else { return }
        _ = machine.endCall(call, 1, 100, at: at(0))
        guard case .hit = machine.look(up: 1, at: at(14)).answer else {
            Issue.record("it is kept from 5 on")
            return
        }
        guard case .miss = machine.look(up: 1, at: at(15)).answer else {
            Issue.record("it is kept until 15")
            return
        }
    }
}

import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct MemoTests {
    let scheduler = ManualScheduler()

    @Test func invalidatingForgetsOneAnswerAndCallsUnderWayForIt() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoise(sharing: memo), over: upstream.send)
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

    @Test func invalidatingAllForgetsAll() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoise(sharing: memo), over: upstream.send)
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
    @Test func whoAsksAfterAnInvalidationSharesNoCallFromBefore() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoise(sharing: memo), .coalesce(), over: upstream.send)
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

    @Test func invalidatingAllEndsTheSharingOfAll() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoise(sharing: memo), .coalesce(), over: upstream.send)
        _ = [load(1), load(2)]
        memo.invalidateAll()
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [3, 4])
    }

    /// The memo does not know of a call that another stack made.
    @Test func aCallOfAnotherStackIsNotSharedEither() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let group = Coalescer<Ask, Int>()
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let plain = stack(.coalesce(sharing: group), over: upstream.send)
        let load = stack(.memoise(sharing: memo), over: plain)
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

    @Test func aSharedCallAboveTheMemoIsNotJoinedEither() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(
            .coalesce(), .coalesce(), .memoise(sharing: memo), over: upstream.send)
        let calls = [load(1), load(2)]
        memo.invalidate(1)
        let after = [load(1), load(2)]
        scheduler.run()
        #expect((calls + after).map(\.valueNow) == [1, 2, 3, 2])
    }

    @Test func anAnswerExpiresWhileTheDeviceSleeps() {
        let memo = Memo<Ask, Int>(timeToLive: .seconds(60), on: scheduler)
        let upstream = Upstream(on: scheduler, (1...9).map { .value($0) })
        let load = stack(.memoise(sharing: memo), over: upstream.send)
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

    @Test func aKeyThatIsNotEqualToItselfKeepsNothing() {
        struct Odd: Hashable, Sendable {
            let luggage: Luggage
            static func == (left: Odd, right: Odd) -> Bool { false }
        }
        let memo = Memo<Odd, Int>(timeToLive: .seconds(60), on: scheduler)
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let load = stack(.memoise(sharing: memo), over: { (key: Odd) in Future(value: 1) })
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
            .memoise(sharing: memo),
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
    @Test func whatIsLetGoMayCallTheMemo() {
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
            .memoise(sharing: memo), over: { (key: Key) in Future(value: key.number) })
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
    @Test func aTimeToLiveOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.memoise(timeToLive: .zero) }
        expectTrap("memoise needs a timeToLive of more than zero", in: result)
    }

    @Test func aLimitOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Memo<Int, Int>(timeToLive: .seconds(1), limit: 0) }
        expectTrap("memoise needs a limit of at least 1, not 0", in: result)
    }
    #endif
}

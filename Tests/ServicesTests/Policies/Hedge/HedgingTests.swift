import Dispatch
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// When calls are hedged according to their latencies, and how many calls may be hedged.
@Suite(.oneAtATime) struct HedgingTests {
    let scheduler = ManualScheduler()

    /// A service that answers after as many milliseconds as its input, with that number.
    func delayed(_ count: Locked<Int>) -> Service<Ask, Int> {
        let scheduler = scheduler
        return { ask in
            count.withLock { $0 += 1 }
            return Future(value: ask.number).delay(.milliseconds(ask.number), on: scheduler)
        }
    }

    /// Latencies of 1 to 100 milliseconds, 99 of which are at most 99.
    @Test func theDelayIsThePercentileOfWhatWasObserved() {
        let hedging = Hedging(on: scheduler)
        let count = Locked(0)
        let load = stack(.hedge(sharing: hedging), over: delayed(count))
        for milliseconds in 1...99 { _ = load(Ask(milliseconds)) }
        scheduler.advance(by: .seconds(1))
        #expect(hedging.delay == nil)
        _ = load(100)
        scheduler.advance(by: .seconds(1))
        // The delay was computed when that call began, at 1 second, and is computed again after 4 seconds.
        #expect(hedging.delay == nil)
        scheduler.advance(by: .seconds(2))
        #expect(hedging.delay == .milliseconds(99))
        let before = count.withLock { $0 }
        #expect(before == 100)
        let call = load(500)
        scheduler.advance(by: .milliseconds(98))
        #expect(count.withLock { $0 } == 101)
        scheduler.advance(by: .milliseconds(1))
        #expect(count.withLock { $0 } == 102)
        scheduler.run()
        #expect(call.valueNow == 500)
    }

    @Test func whatSeesLatenciesIsAlsoACallThatMayNotBeHedged() {
        let hedging = Hedging(maxExtraLoad: 0.1, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 10))
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        for number in 0..<5 {
            _ = load(Ask(number, isReplayable: false))
            _ = stack(.hedge(sharing: hedging, attempts: 1), over: upstream.send)(Ask(number))
        }
        scheduler.run()
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay == .milliseconds(10))
    }

    /// Early failures would make the service look faster than it is.
    ///
    /// Calls that were given up count, since without them the service would look faster, too.
    @Test func successesTimeoutsAndLosersCountAndOtherFailuresDoNot() {
        let hedging = Hedging(maxExtraLoad: 1, on: scheduler)
        let failing = Upstream(on: scheduler, Array(repeating: .broken, count: 40))
        for number in 0..<20 {
            _ = stack(.hedge(sharing: hedging), over: failing.send)(Ask(number))
        }
        scheduler.run()
        scheduler.advance(by: .seconds(5))
        #expect(hedging.delay == nil)
        scheduler.advance(by: .seconds(5))
        let silent = Upstream(on: scheduler)
        for number in 0..<10 {
            _ = stack(
                .hedge(sharing: hedging, attempts: 1),
                .timeout(.milliseconds(40), on: scheduler), over: silent.send)(Ask(number))
        }
        scheduler.run()
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay == .milliseconds(40))
        // One wins after 5 milliseconds, one loses after 45.
        let upstream = Upstream(on: scheduler, [.never, .value(1, after: .milliseconds(5))])
        let call = stack(.hedge(sharing: hedging), over: upstream.send)(1)
        scheduler.run()
        #expect(call.valueNow == 1)
        #expect(upstream.instants[1] - upstream.instants[0] == .milliseconds(40))
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay == .milliseconds(5))
    }

    @Test func aLoserCountsWithTheTimeItHad() {
        let hedging = Hedging(maxExtraLoad: 0.1, on: scheduler)
        let script = Array(repeating: Upstream.Step.value(1), count: 10)
        let slow = [Upstream.Step.never, .value(2, after: .milliseconds(5))]
        let upstream = Upstream(on: scheduler, script + slow + slow)
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        for number in 0..<10 { _ = load(Ask(number)) }
        for _ in 0..<2 {
            scheduler.run()
            scheduler.advance(by: .seconds(3))
            _ = load(1)
        }
        scheduler.run()
        scheduler.advance(by: .seconds(3))
        // Two of 5, ten of 10, and two of 15 that were given up: one of the 14 may be slower.
        #expect(upstream.count == 14)
        #expect(hedging.delay == .milliseconds(15))
    }

    @Test func itsOwnBudgetBoundsTheExtraLoad() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(after: .milliseconds(1), maxExtraLoad: 0.01, on: scheduler),
            over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        // One at first, and 1 % of a thousand, of which ten are saved.
        #expect(upstream.count == 1_000 + 10)
        for call in calls { call.cancel() }
    }

    @Test func withoutExtraLoadNothingIsHedged() {
        let upstream = Upstream(on: scheduler, [.broken])
        let load = stack(
            .hedge(after: .milliseconds(1), maxExtraLoad: 0, on: scheduler), over: upstream.send)
        let calls = [load(1), load(2)]
        scheduler.advance(by: .seconds(1))
        #expect(upstream.count == 2)
        #expect(calls[0].errorNow is Broken)
    }

    @Test func theRetryBudgetBoundsHedgesToo() {
        let budget = RetryBudget(capacity: 10)
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(
                after: .milliseconds(1), maxExtraLoad: 1, sharing: budget, on: scheduler),
            over: upstream.send)
        let calls = (0..<50).map { load(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        // Of the hedge's own budget forty are left.
        #expect(upstream.count == 60)
        #expect(budget.balance == 0)
        for call in calls { call.cancel() }
    }

    @Test func anEmptyBudgetLeavesTheFailureAsItIs() {
        let budget = RetryBudget(capacity: 0)
        let upstream = Upstream(on: scheduler, [.broken, .value(7, after: .seconds(1))])
        let load = stack(
            .hedge(after: .milliseconds(1), sharing: budget, on: scheduler), over: upstream.send)
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls[0].errorNow is Broken)
        #expect(calls[1].valueNow == 7)
        #expect(upstream.count == 2)
    }

    @Test func severalStacksShareOne() {
        let hedging = Hedging(after: .milliseconds(1), on: scheduler)
        #expect(hedging.delay == .milliseconds(1))
        let upstream = Upstream(on: scheduler)
        let policy = Middleware<Ask, Int>.hedge(sharing: hedging)
        let (one, other) = (stack(policy, over: upstream.send), stack(policy, over: upstream.send))
        let calls = (0..<100).flatMap { [one(Ask($0)), other(Ask($0))] }
        scheduler.advance(by: .seconds(1))
        #expect(upstream.count == 200 + 3)
        for call in calls { call.cancel() }
    }

    @Test func threadsShareOne() {
        let hedging = Hedging(maxExtraLoad: 0.5, on: scheduler)
        let load = stack(.hedge(sharing: hedging), over: { (key: Int) in Future(value: key) })
        let scheduler = scheduler
        let answered = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for key in 0..<2_000 {
                if load(key).valueNow == key { answered.withLock { $0 += 1 } }
                if key % 100 == 0 { scheduler.advance(by: .milliseconds(100)) }
                _ = hedging.delay
            }
        }
        #expect(answered.withLock { $0 } == 8_000)
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay.map { $0 >= .milliseconds(1) } == true)
    }
}

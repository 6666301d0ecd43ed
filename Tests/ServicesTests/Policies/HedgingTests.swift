import Dispatch
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

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
    @Test func aHedgesDelayIsThePercentileOfTheObservedLatencies() {
        let hedging = Hedge(on: scheduler)
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

    @Test func aHedgeLearnsLatenciesFromCallsThatMayNotBeHedgedToo() {
        let hedging = Hedge(maxExtraLoad: 0.1, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 10))
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        for number in 0..<10 { _ = load(Ask(number, isReplayable: false)) }
        scheduler.run()
        scheduler.advance(by: .seconds(3))
        #expect(hedging.delay == .milliseconds(10))
    }

    /// Early failures would make the service look faster than it is.
    ///
    /// Calls that were given up count, since without them the service would look faster, too.
    @Test func aHedgeLearnsLatenciesFromSuccessesTimeoutsAndLosersOnly() {
        let hedging = Hedge(maxExtraLoad: 1, on: scheduler)
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
                .hedge(sharing: hedging), .timeout(.milliseconds(40), on: scheduler),
                over: silent.send)(Ask(number, isReplayable: false))
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

    @Test func aHedgeCountsALoserWithTheTimeItHad() {
        let hedging = Hedge(maxExtraLoad: 0.1, on: scheduler)
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

    @Test func aHedgesOwnBudgetBoundsTheExtraLoad() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(1), maxExtraLoad: 0.01, on: scheduler)),
            over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        // One at first, and 1 % of a thousand, of which ten are saved.
        #expect(upstream.count == 1_000 + 10)
        for call in calls { call.cancel() }
    }

    @Test func aHedgeWithoutExtraLoadHedgesNothing() {
        let upstream = Upstream(on: scheduler, [.broken])
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(1), maxExtraLoad: 0, on: scheduler)),
            over: upstream.send)
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
                sharing: Hedge(
                    after: .milliseconds(1), maxExtraLoad: 1, budget: budget, on: scheduler)),
            over: upstream.send)
        let calls = (0..<50).map { load(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        // Of the hedge's own budget forty are left.
        #expect(upstream.count == 60)
        #expect(budget.balance == 0)
        for call in calls { call.cancel() }
    }

    @Test func aHedgeWithAnEmptyBudgetReturnsTheFailure() {
        let budget = RetryBudget(capacity: 0)
        let upstream = Upstream(on: scheduler, [.broken, .value(7, after: .seconds(1))])
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(1), budget: budget, on: scheduler)),
            over: upstream.send)
        let calls = [load(1), load(2)]
        scheduler.run()
        #expect(calls[0].errorNow is Broken)
        #expect(calls[1].valueNow == 7)
        #expect(upstream.count == 2)
    }

    @Test func severalStacksMayShareAHedge() {
        let hedging = Hedge(after: .milliseconds(1), on: scheduler)
        #expect(hedging.delay == .milliseconds(1))
        let upstream = Upstream(on: scheduler)
        let policy = Middleware<Ask, Int>.hedge(sharing: hedging)
        let (one, other) = (stack(policy, over: upstream.send), stack(policy, over: upstream.send))
        let calls = (0..<100).flatMap { [one(Ask($0)), other(Ask($0))] }
        scheduler.advance(by: .seconds(1))
        #expect(upstream.count == 200 + 3)
        for call in calls { call.cancel() }
    }

    @Test func threadsMayShareAHedge() {
        let hedging = Hedge(maxExtraLoad: 0.5, on: scheduler)
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

/// How many hedges calls have: those that a burst adds, those that are saved, and when a call has ended.
@Suite(.oneAtATime) struct HedgeBudgetTests {
    let scheduler = ManualScheduler()

    /// At 0.5 %, there are the first one and the five that the calls add; otherwise what they add, or the ten that
    /// are saved.
    @Test(arguments: [(0.005, 6), (0.01, 10), (0.02, 20), (0.05, 50), (1, 1_000)])
    func aBurstHasTheHedgesThatItsCallsAdd(share: Double, hedges: Int) {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(10), maxExtraLoad: share, on: scheduler)),
            over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        #expect(upstream.count == 1_000 + hedges)
        for call in calls { call.cancel() }
    }

    /// When the slow ones are hedged, most have ended; and a hedge that a policy beneath refuses costs nothing.
    @Test(arguments: [0, 1, 5]) func theFastCallsOfABurstAddHedgesForItsSlowOnes(refused: Int) {
        let upstream = Upstream(
            on: scheduler, (0..<1_000).map { $0 % 40 == 0 ? .never : .value(1) })
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(20), maxExtraLoad: 0.02, on: scheduler)),
            over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        let refusal = Upstream.Step.atOnce(.failure(Self.refusal))
        upstream.play(Array(repeating: refusal, count: refused))
        scheduler.advance(by: .seconds(1))
        #expect(calls.count { $0.isSettled } == 975)
        #expect(upstream.count == 1_000 + 20 + refused)
        for call in calls { call.cancel() }
    }

    @Test func callsOneAfterTheOtherSaveTenHedges() {
        let hedging = Hedge(after: .seconds(1), maxExtraLoad: 0.02, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 5_000))
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        for number in 0..<5_000 {
            _ = load(Ask(number))
            scheduler.run()
        }
        #expect(hedging.takeSaved() == 10)
    }

    @Test func callsOneAfterTheOtherHaveTheirShareOfHedges() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(sharing: Hedge(after: .milliseconds(10), maxExtraLoad: 0.02, on: scheduler)),
            over: upstream.send)
        for number in 0..<1_000 {
            let call = load(Ask(number))
            scheduler.advance(by: .milliseconds(20))
            call.cancel()
        }
        // One at first, and 2 % of a thousand.
        #expect(upstream.count == 1_000 + 21)
    }

    @Test func hedgesThatABurstHasSavedAreLostWhenACallBeginsAfterIt() {
        let hedging = Hedge(after: .seconds(1), maxExtraLoad: 0.05, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 1_000))
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        scheduler.run()
        #expect(calls.allSatisfy { $0.valueNow == 1 })
        #expect(hedging.takeSaved() == 10)
    }

    /// The ways in which a call ends: what its attempts do, one after the other.
    ///
    /// A call that does not end is cancelled.
    static let ends: [[Upstream.Step]] = [
        [.value(1)], [.broken], [.error(fatal)], [.error(refusal)], [.error(CancellationError())],
        [.asked(100)], [.never],
        [.atOnce(.success(1))], [.atOnce(.failure(Broken()))], [.atOnce(.failure(fatal))],
        [.atOnce(.failure(refusal))],
        [.broken, .broken], [.broken, .atOnce(.failure(Broken()))], [.broken, .value(1)],
        [.value(1, after: .milliseconds(60)), .never], [.never, .value(1)],
        [.never, .error(fatal)],
        [.value(1, after: .milliseconds(60)), .error(refusal, after: .zero)],
    ]
    private static let fatal = Advised(advisedOutcome: .failure)
    private static let refusal = ServiceError(.circuitOpen, policy: "circuitBreaker")

    @Test(arguments: ends.indices, [false, true])
    func aHedgeNoLongerCountsACallAsUnderWayHoweverItEnds(end: Int, isReplayable: Bool) {
        for attempts in 1...3 {
            let hedging = Hedge(
                after: .milliseconds(50), attempts: attempts, maxExtraLoad: 1, on: scheduler)
            let upstream = Upstream(on: scheduler)
            let load = stack(.hedge(sharing: hedging), over: upstream.send)
            for number in 0..<50 {
                upstream.play(Self.ends[end])
                let call = load(Ask(number, isReplayable: isReplayable))
                scheduler.advance(by: .milliseconds(200))
                if call.result == nil { call.cancel() }
            }
            expectNoneUnderWay(hedging)
        }
    }

    @Test(arguments: [1, 2])
    func aHedgeNoLongerCountsACallWhosePromiseIsDropped(attempts: Int) {
        let hedging = Hedge(
            after: .milliseconds(50), attempts: attempts, maxExtraLoad: 1, on: scheduler)
        let promise = Locked<Promise<Int>?>(nil)
        let load = stack(
            .hedge(sharing: hedging),
            over: { (_: Ask) -> Future<Int> in
                let new = Promise<Int>()
                promise.withLock { $0 = new }
                return new
            })
        for number in 0..<50 {
            let call = load(Ask(number, isReplayable: false))
            _ = promise.withLock { $0.take() }
            scheduler.run()
            #expect(call.isSettled)
        }
        expectNoneUnderWay(hedging)
    }

    /// The hedge wins, and the loser's handler cancels the call before it is settled.
    @Test func aHedgedCallThatIsCancelledWhileItEndsHasEndedOnce() {
        let hedging = Hedge(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)
        let call = Locked<Future<Int>?>(nil)
        let (promises, scheduler) = (Locked<[Promise<Int>]>([]), scheduler)
        let load = stack(
            .hedge(sharing: hedging),
            over: { (_: Ask) -> Future<Int> in
                let promise = Promise<Int>()
                promise.onCancel { call.withLock { $0 }?.cancel() }
                promises.withLock { $0.append(promise) }
                if promises.withLock({ $0.count }) % 2 == 1 { return promise }
                scheduler.schedule(after: .milliseconds(1)) { promise.resolve(with: 2) }
                return promise
            })
        for number in 0..<50 {
            let one = load(Ask(number))
            call.withLock { $0 = one }
            scheduler.run()
            #expect(one.isCancelled)
        }
        #expect(promises.withLock { $0.count } == 100)
        expectNoneUnderWay(hedging)
    }

    /// With a share of one, calls one after the other save ten, and calls that are under way as many as they are.
    private func expectNoneUnderWay(
        _ hedging: Hedge, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let load = stack(.hedge(sharing: hedging), over: Upstream(on: scheduler, []).send)
        _ = hedging.takeSaved()
        for _ in 0..<100 { load(1).cancel() }
        #expect(hedging.takeSaved() == 10, sourceLocation: sourceLocation)
        let calls = (0..<50).map { load(Ask($0)) }
        // Beside them, the call that takes them.
        #expect(hedging.takeSaved() == 51, sourceLocation: sourceLocation)
        for call in calls { call.cancel() }
    }

    /// Any calls that begin, end and are cancelled in any order.
    @Test(arguments: 0..<50)
    func aHedgesExtraLoadStaysWithinItsShareOfTheCallsAndTenMore(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let shares = [0, 0.001, 0.01, 0.02, 0.1, 0.5, 1]
        let share: Double = shares.randomElement(using: &generator) ?? 0
        let attempts = Int.random(in: 2...4, using: &generator)
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(
                sharing: Hedge(
                    after: .milliseconds(10), attempts: attempts, maxExtraLoad: share, on: scheduler
                )),
            over: upstream.send)
        var calls: [Future<Int>] = []
        for _ in 0..<12 {
            let burst = [1, 1, 3, 200].randomElement(using: &generator) ?? 1
            upstream.play((0..<burst).map { _ in Self.step(using: &generator) })
            calls += (0..<burst).map { load(Ask($0)) }
            for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                calls.randomElement(using: &generator)?.cancel()
            }
            scheduler.advance(by: .milliseconds(Int.random(in: 0...30, using: &generator)))
            let hedges = Double(upstream.count - calls.count)
            let promised = share == 0 ? 0 : Double(calls.count + 10) * share + 1
            #expect(hedges <= promised)
        }
        for call in calls { call.cancel() }
    }

    /// What a call does: mostly it ends soon.
    private static func step(using generator: inout SeededGenerator) -> Upstream.Step {
        let delay = Duration.milliseconds(Int.random(in: 1...40, using: &generator))
        return switch Int.random(in: 0..<8, using: &generator) {
        case 0..<3: .value(1, after: delay)
        case 3: .error(Broken(), after: delay)
        case 4: .error(fatal, after: delay)
        case 5: .atOnce(.success(1))
        case 6: .atOnce(.failure(Broken()))
        default: .never
        }
    }

    /// Compared with fractions of whole numbers.
    @Test(arguments: [1, 2, 10, 50, 100]) func theExtraLoadOfHedgesAgreesWithAnOracle(price: Int) {
        var generator = SeededGenerator(seed: UInt64(price))
        for _ in 0..<10 {
            var budget = HedgeBudget(share: 1 / Double(price))
            var (underWay, taken) = (0, 0)
            var (parts, most) = ((10 + price - 1) / price * price, 10 * price)
            // Mostly calls begin, then mostly they end.
            for step in 0..<8_000 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    if budget.takeHedge() { (parts, taken) = (parts - price, taken + 1) }
                case 1 where taken > 0:
                    budget.putBack()
                    (parts, taken) = (min(most, parts + price), taken - 1)
                case let other where other < (step / 2_000 % 2 == 0 ? 9 : 3):
                    budget.add()
                    most = max(10 * price, underWay + 1)
                    parts = min(most, parts + 1)
                    if other == 2 { continue }
                    budget.beginCall()
                    underWay += 1
                case _ where underWay > 0:
                    budget.endCall()
                    underWay -= 1
                default: break
                }
                guard parts >= 0, budget.balance == parts / price else {
                    Issue.record("\(budget) in step \(step), and not \(parts) of \(price)")
                    return
                }
            }
        }
    }
}

@Suite struct LatencyWindowTests {
    func at(_ seconds: Int) -> SchedulerInstant { SchedulerInstant(offset: .seconds(seconds)) }

    func expect(
        _ window: inout LatencyWindow, _ delay: Duration?, at instant: SchedulerInstant,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let found = window.delay(at: instant)
        #expect(found == delay, sourceLocation: sourceLocation)
    }

    /// A window with latencies of 1 to n milliseconds.
    func window(_ share: Double, _ count: Int, at instant: SchedulerInstant) -> LatencyWindow {
        var window = LatencyWindow(share: share)
        for milliseconds in (0..<count).map({ $0 + 1 }) {
            window.add(.milliseconds(milliseconds), at: instant)
        }
        return window
    }

    @Test(
        arguments: [
            (0.01, 100, 99), (0.01, 200, 198), (0.1, 10, 9), (0.1, 19, 18), (0.07, 100, 93),
            (0.5, 10, 5), (1, 10, 1), (0.29, 100, 71), (0.01, 5_000, 4_951),
        ] as [(Double, Int, Int)])
    func noMoreThanAHedgesShareIsSlowerThanItsDelay(share: Double, count: Int, milliseconds: Int) {
        var window = window(share, count, at: at(0))
        expect(&window, .milliseconds(milliseconds), at: at(0))
    }

    @Test(arguments: [(0.01, 100), (0.02, 50), (0.1, 10), (0.5, 10), (1, 10), (0.003, 334)])
    func aPercentileIsUnknownBeforeThereAreEnoughLatencies(share: Double, enough: Int) {
        var less = window(share, enough - 1, at: at(0))
        expect(&less, nil, at: at(0))
        var just = window(share, enough, at: at(0))
        let delay = just.delay(at: at(0))
        #expect(delay != nil)
        #expect(just.enough == enough)
    }

    @Test func withoutExtraLoadThereAreNeverEnoughLatenciesForAPercentile() {
        var window = window(0, 10_000, at: at(0))
        expect(&window, nil, at: at(0))
    }

    @Test func aPercentileIsAtLeastOneMillisecond() {
        var window = LatencyWindow(share: 0.5)
        for _ in 0..<10 { window.add(.zero, at: at(0)) }
        expect(&window, .milliseconds(1), at: at(0))
    }

    @Test func aPercentileBeyondTheHistogramIsNoDelay() {
        var window = LatencyWindow(share: 0.5)
        for _ in 0..<10 { window.add(.seconds(66), at: at(0)) }
        expect(&window, nil, at: at(0))
    }

    @Test func aPercentileIsLookedAtAnewAfterThreeSeconds() {
        var window = window(0.1, 10, at: at(0))
        expect(&window, .milliseconds(9), at: at(0))
        for _ in 0..<90 { window.add(.milliseconds(500), at: at(1)) }
        let early = SchedulerInstant(offset: .seconds(3) - .nanoseconds(1))
        expect(&window, .milliseconds(9), at: early)
        expect(&window, .milliseconds(500), at: at(3))
    }

    @Test(arguments: [-1_000, 0, 7]) func aLatencyCountsUntilItsSliceIsThreeOld(origin: Int) {
        let start = origin * 10
        var window = window(0.1, 10, at: at(start + 4))
        expect(&window, .milliseconds(9), at: at(start + 29))
        window = self.window(0.1, 10, at: at(start + 4))
        expect(&window, nil, at: at(start + 30))
    }

    @Test func slicesOfALatencyWindowExpireOneAfterTheOther() {
        var window = LatencyWindow(share: 0.1)
        for slice in 0..<3 {
            for _ in 0..<10 { window.add(.milliseconds(slice + 1), at: at(slice * 10)) }
        }
        expect(&window, .milliseconds(3), at: at(20))
        for _ in 0..<200 { window.add(.milliseconds(1), at: at(30)) }
        expect(&window, .milliseconds(1), at: at(30))
        expect(&window, nil, at: at(1_000))
        for _ in 0..<10 { window.add(.milliseconds(4), at: at(1_000)) }
        expect(&window, .milliseconds(4), at: at(1_003))
    }

    @Test func aLatencyFromBeforeTheNewestSliceCountsInTheNewest() {
        var window = window(0.1, 9, at: at(25))
        window.add(.milliseconds(10), at: at(3))
        expect(&window, .milliseconds(9), at: at(49))
    }
}

@Suite struct LatencyHistogramTests {
    @Test func aLatencyHistogramIsExactUpTo1023Milliseconds() {
        for milliseconds in 0..<1_024 {
            #expect(LatencyHistogram.index(of: milliseconds) == milliseconds)
            #expect(LatencyHistogram.longest(at: milliseconds) == milliseconds)
        }
    }

    @Test func eachCounterOfALatencyHistogramEndsWhereTheNextBegins() {
        var last = -1
        for milliseconds in 0...65_535 {
            let index = LatencyHistogram.index(of: milliseconds)
            #expect(index == last || index == last + 1)
            last = index
        }
        #expect(last == LatencyHistogram.size - 2)
        for index in 0..<(LatencyHistogram.size - 1) {
            guard let longest = LatencyHistogram.longest(at: index) else {
                Issue.record("\(index) has no end")
                return
            }
            #expect(LatencyHistogram.index(of: longest) == index)
            #expect(LatencyHistogram.index(of: longest + 1) == index + 1)
        }
    }

    @Test func noLatencyIsToldMoreThanAFiveHundredthTooLong() {
        for milliseconds in 1_024...65_535 {
            let longest = LatencyHistogram.longest(at: LatencyHistogram.index(of: milliseconds))
            #expect(
                longest.map { $0 >= milliseconds && ($0 - milliseconds) * 500 < milliseconds }
                    == true)
        }
    }

    @Test func aLatencyHistogramHasOneCounterForTheLongestLatencies() {
        #expect(LatencyHistogram.index(of: 65_536) == LatencyHistogram.size - 1)
        #expect(LatencyHistogram.index(of: .max) == LatencyHistogram.size - 1)
        #expect(LatencyHistogram.longest(at: LatencyHistogram.size - 1) == nil)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.nanoseconds(1_000_001), 2),
            (.seconds(-1), 0), (.milliseconds(999), 999),
        ] as [(Duration, Int)])
    func aLatencyHistogramRoundsLatenciesUp(latency: Duration, milliseconds: Int) {
        var histogram = LatencyHistogram()
        histogram.add(latency)
        #expect(histogram.counts.firstIndex(of: 1) == milliseconds)
        #expect(histogram.total == 1)
        histogram.clear()
        #expect(histogram.total == 0)
        #expect(histogram.counts.allSatisfy { $0 == 0 })
    }
}

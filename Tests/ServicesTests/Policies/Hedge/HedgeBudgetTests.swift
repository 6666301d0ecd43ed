import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

/// How many hedges calls have: those that a burst adds, those that are saved, and when a call has ended.
@Suite(.oneAtATime) struct HedgeBudgetTests {
    let scheduler = ManualScheduler()

    /// At 0.5 %, there are the first one and the five that the calls add; otherwise what they add, or the ten that
    /// are saved.
    @Test(arguments: [(0.005, 6), (0.01, 10), (0.02, 20), (0.05, 50), (1, 1_000)])
    func aBurstHasTheHedgesThatItsCallsAdd(share: Double, hedges: Int) {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(after: .milliseconds(10), maxExtraLoad: share, on: scheduler),
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
            .hedge(after: .milliseconds(20), maxExtraLoad: 0.02, on: scheduler),
            over: upstream.send)
        let calls = (0..<1_000).map { load(Ask($0)) }
        let refusal = Upstream.Step.atOnce(.failure(Self.refusal))
        upstream.play(Array(repeating: refusal, count: refused))
        scheduler.advance(by: .seconds(1))
        #expect(calls.count { $0.isSettled } == 975)
        #expect(upstream.count == 1_000 + 20 + refused)
        for call in calls { call.cancel() }
    }

    @Test func callsOneAfterTheOtherSaveTen() {
        let hedging = Hedging(after: .seconds(1), maxExtraLoad: 0.02, on: scheduler)
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 5_000))
        let load = stack(.hedge(sharing: hedging), over: upstream.send)
        for number in 0..<5_000 {
            _ = load(Ask(number))
            scheduler.run()
        }
        #expect(hedging.takeSaved() == 10)
    }

    @Test func callsOneAfterTheOtherHaveTheirShare() {
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(after: .milliseconds(10), maxExtraLoad: 0.02, on: scheduler),
            over: upstream.send)
        for number in 0..<1_000 {
            let call = load(Ask(number))
            scheduler.advance(by: .milliseconds(20))
            call.cancel()
        }
        // One at first, and 2 % of a thousand.
        #expect(upstream.count == 1_000 + 21)
    }

    @Test func whatABurstHasSavedIsLostWhenACallBeginsAfterIt() {
        let hedging = Hedging(after: .seconds(1), maxExtraLoad: 0.05, on: scheduler)
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
    func whateverEndsACallItIsUnderWayNoMore(end: Int, isReplayable: Bool) {
        for attempts in 1...3 {
            let hedging = Hedging(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)
            let upstream = Upstream(on: scheduler)
            let load = stack(.hedge(sharing: hedging, attempts: attempts), over: upstream.send)
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
    func aCallWhosePromiseIsDroppedIsUnderWayNoMore(attempts: Int) {
        let hedging = Hedging(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)
        let promise = Locked<Promise<Int>?>(nil)
        let load = stack(
            .hedge(sharing: hedging, attempts: attempts),
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
    @Test func aCallThatIsCancelledWhileItEndsHasEndedOnce() {
        let hedging = Hedging(after: .milliseconds(50), maxExtraLoad: 1, on: scheduler)
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
        _ hedging: Hedging, sourceLocation: Testing.SourceLocation = #_sourceLocation
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
    @Test(arguments: 0..<50) func nCallsHaveTheirShareOfHedgesAndThatOfTen(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let shares = [0, 0.001, 0.01, 0.02, 0.1, 0.5, 1]
        let share: Double = shares.randomElement(using: &generator) ?? 0
        let attempts = Int.random(in: 2...4, using: &generator)
        let upstream = Upstream(on: scheduler)
        let load = stack(
            .hedge(
                after: .milliseconds(10), attempts: attempts, maxExtraLoad: share, on: scheduler),
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
    @Test(arguments: [1, 2, 10, 50, 100]) func agreesWithASequentialOracle(price: Int) {
        var generator = SeededGenerator(seed: UInt64(price))
        for _ in 0..<10 {
            var budget = HedgeBudget(share: 1 / Double(price))
            var (underWay, taken) = (0, 0)
            var (parts, most) = ((10 + price - 1) / price * price, 10 * price)
            // Mostly calls begin, then mostly they end.
            for step in 0..<8_000 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    if budget.take() { (parts, taken) = (parts - price, taken + 1) }
                case 1 where taken > 0:
                    budget.putBack()
                    (parts, taken) = (min(most, parts + price), taken - 1)
                case let other where other < (step / 2_000 % 2 == 0 ? 9 : 3):
                    budget.add()
                    most = max(10 * price, underWay + 1)
                    parts = min(most, parts + 1)
                    if other == 2 { continue }
                    budget.begin()
                    underWay += 1
                case _ where underWay > 0:
                    budget.end()
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

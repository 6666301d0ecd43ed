import PledgeFutures
import Testing

@testable import PledgeServices

/// The machine compared with lists of all that happened.
@Suite struct AdaptiveThrottleOracleTests {
    /// Everything that a throttle counts, kept as lists of instants in milliseconds.
    private struct Lists {
        let rule: ThrottleRule
        /// In milliseconds, a multiple of ten.
        let window: Int
        let minimumRate: Int
        var requests: [Int] = []
        var accepts: [Int] = []
        var arrivals: [Int] = []
        /// When the calls began that are counted in the rate.
        var firstArrival = 0

        /// What is in a window of ten slices.
        private func count(_ instants: [Int], over window: Int, at now: Int) -> Int {
            let width = window / 10
            return instants.count { now / width - $0 / width < 10 }
        }

        mutating func enter(at now: Int) {
            if count(arrivals, over: 10_000, at: now) == 0 { firstArrival = now }
            arrivals.append(now)
        }

        func quotient(at now: Int) -> Double {
            // The ten slices of a second, of which the last has only begun.
            let time = min(max(now - firstArrival, 1_000), 9_000 + now % 1_000)
            let arrived = count(arrivals, over: 10_000, at: now)
            if minimumRate > 0, (arrived - 1) * 1_000 < minimumRate * time { return 0 }
            let (all, accepted) = (
                Double(count(requests, over: window, at: now)),
                Double(count(accepts, over: window, at: now))
            )
            return max(0, (all - rule.multiplier * accepted) / (all + 1))
        }
    }

    @Test func agreesOverRandomScripts() {
        var generator = SeededGenerator(seed: 29)
        var (refusals, zeros) = (0, 0)
        for _ in 0..<100 {
            let window = Int.random(in: 1...500, using: &generator) * 10
            let minimumRate = Int.random(in: 0...20, using: &generator)
            let rule =
                Bool.random(using: &generator)
                ? ThrottleRule.acceptMultiplier(
                    .random(in: 1...3, using: &generator), over: .milliseconds(window))
                : .successRate(
                    .random(in: 0.2...1, using: &generator), over: .milliseconds(window))
            var lists = Lists(rule: rule, window: window, minimumRate: minimumRate)
            var machine = AdaptiveThrottleMachine(
                rule, maxProbability: 0.8, minimumRate: minimumRate)
            var now = Int.random(in: 0...10_000, using: &generator)
            for _ in 0..<200 {
                now +=
                    Int.random(in: 0..<10, using: &generator) == 0
                    ? .random(in: 0...12_000, using: &generator)
                    : .random(in: 0...60, using: &generator)
                let instant = SchedulerInstant(offset: .milliseconds(now))
                lists.enter(at: now)
                let odds = machine.enter(at: instant)
                #expect(odds.quotient == lists.quotient(at: now))
                if odds.refuses(.random(in: 0..<1, using: &generator)) {
                    machine.refuse(at: instant)
                    if rule.countsRefusals { lists.requests.append(now) }
                    refusals += 1
                    continue
                }
                if odds.isZero { zeros += 1 }
                let isAccepted = Int.random(in: 0..<4, using: &generator) == 0
                machine.end(isAccepted: isAccepted, at: instant)
                lists.requests.append(now)
                if isAccepted { lists.accepts.append(now) }
            }
        }
        #expect(refusals > 1_000 && zeros > 1_000)
    }
}

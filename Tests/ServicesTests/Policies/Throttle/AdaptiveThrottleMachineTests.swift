import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct AdaptiveThrottleMachineTests {
    static func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// Ends of calls, all at one instant, and the quotient then.
    private func quotient(
        _ rule: ThrottleRule, accepted: Int, failed: Int, refused: Int = 0
    ) -> Double {
        var machine = AdaptiveThrottleMachine(rule, maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<accepted { machine.end(isAccepted: true, at: Self.at(0)) }
        for _ in 0..<failed { machine.end(isAccepted: false, at: Self.at(0)) }
        for _ in 0..<refused { machine.refuse(at: Self.at(0)) }
        return machine.odds(at: Self.at(0)).quotient
    }

    @Test func theRuleOfGoogle() {
        #expect(quotient(.acceptMultiplier(), accepted: 50, failed: 50) == 0)
        #expect(quotient(.acceptMultiplier(), accepted: 25, failed: 75) == 50.0 / 101)
        #expect(quotient(.acceptMultiplier(), accepted: 0, failed: 99) == 0.99)
        // The refused calls count as calls, and not as accepted.
        #expect(quotient(.acceptMultiplier(), accepted: 25, failed: 25, refused: 50) == 50.0 / 101)
        #expect(quotient(.acceptMultiplier(1), accepted: 50, failed: 50) == 50.0 / 101)
    }

    @Test func theRuleOfEnvoy() {
        #expect(quotient(.successRate(0.5), accepted: 50, failed: 50) == 0)
        #expect(quotient(.successRate(0.5), accepted: 25, failed: 75) == 50.0 / 101)
        #expect(quotient(.successRate(), accepted: 95, failed: 5) < 1e-12)
        #expect(abs(quotient(.successRate(), accepted: 76, failed: 24) - 20.0 / 101) < 1e-12)
        // The refused calls do not count.
        #expect(quotient(.successRate(0.5), accepted: 25, failed: 75, refused: 900) == 50.0 / 101)
    }

    @Test func callsLeaveTheWindow() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(10)), maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<9 { machine.end(isAccepted: false, at: Self.at(500)) }
        let (inside, outside) = (
            machine.odds(at: Self.at(9_999)), machine.odds(at: Self.at(10_000))
        )
        #expect(inside.quotient == 0.9)
        #expect(outside.isZero)
        let isIdle = machine.isIdle(at: Self.at(10_000))
        #expect(isIdle)
    }

    /// Ten seconds in Google's rule, 30 in Envoy's; the probability is the quotient itself.
    @Test(arguments: [
        (ThrottleRule.acceptMultiplier(), 10_000), (.successRate(), 30_000),
    ])
    func eachRuleHasItsDefaultWindow(rule: ThrottleRule, window: Int) {
        var machine = AdaptiveThrottleMachine(rule, maxProbability: 0.8, minimumRate: 0)
        machine.end(isAccepted: false, at: Self.at(0))
        let (inside, outside) = (
            machine.odds(at: Self.at(window - 1)), machine.odds(at: Self.at(window))
        )
        #expect(inside.probability == 0.5)
        #expect(outside.isZero)
    }

    /// The window of the ends is longer than that of the rate.
    @Test func isIdleWhenNoEndIsInTheWindow() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(120)), maxProbability: 0.8, minimumRate: 5)
        _ = machine.enter(at: Self.at(0))
        machine.end(isAccepted: false, at: Self.at(0))
        let (before, after) = (
            machine.isIdle(at: Self.at(119_999)), machine.isIdle(at: Self.at(120_000))
        )
        #expect(!before && after)
    }

    @Test func theAggressionIsTheRootThatIsTaken() {
        var machine = AdaptiveThrottleMachine(
            .successRate(aggression: 2), maxProbability: 0.8, minimumRate: 0)
        machine.end(isAccepted: false, at: Self.at(0))
        let probability = machine.odds(at: Self.at(0)).probability
        #expect(abs(probability - 0.5.squareRoot()) < 1e-15)
    }

    /// Calls that have begun and not ended are no evidence.
    @Test func callsInFlightDoNotCount() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(), maxProbability: 0.8, minimumRate: 0)
        for _ in 0..<100 {
            let odds = machine.enter(at: Self.at(0))
            #expect(odds.isZero)
        }
        let isIdle = machine.isIdle(at: Self.at(0))
        #expect(!isIdle)
    }

    @Test func belowTheFloorNothingIsRefused() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(), maxProbability: 0.8, minimumRate: 5)
        // The sixth call of the first second is the fifth after the first.
        let first = (0..<6).map { _ in
            defer { machine.end(isAccepted: false, at: Self.at(0)) }
            return machine.enter(at: Self.at(0)).isZero
        }
        #expect(first == [true, true, true, true, true, false])
        let (atOne, after) = (machine.odds(at: Self.at(1_000)), machine.odds(at: Self.at(1_001)))
        #expect(!atOne.isZero && after.isZero)
        // In nine seconds 45 calls after the first.
        let later = (0..<40).map { _ in machine.enter(at: Self.at(9_000)).isZero }
        #expect(later.firstIndex(of: false) == 39)
        // The first six have left the window, whose oldest slice begins at the first second.
        let afterwards = machine.odds(at: Self.at(10_000))
        #expect(afterwards.isZero)
    }

    /// Calls at an even rate: below five a second none, above nearly all; also before the clock's origin.
    @Test(arguments: [1, 3, 4.9, 5.2, 7, 100] as [Double], [317, -1_000_683])
    func anEvenRateIsMeasured(_ rate: Double, from start: Int) {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(3_600)), maxProbability: 0.8, minimumRate: 5)
        let open = (0..<400).count { number in
            let instant = Self.at(Int(Double(number) * 1_000 / rate) + start)
            defer { machine.end(isAccepted: false, at: instant) }
            return !machine.enter(at: instant).isZero
        }
        #expect(rate < 5 ? open == 0 : open > 300)
    }

    /// After a pause the rate is that of the calls since.
    @Test func aPauseBeginsANewRate() {
        var machine = AdaptiveThrottleMachine(
            .acceptMultiplier(over: .seconds(120)), maxProbability: 0.8, minimumRate: 5)
        for _ in 0..<9 {
            _ = machine.enter(at: Self.at(0))
            machine.end(isAccepted: false, at: Self.at(0))
        }
        let after = (0..<6).map { machine.enter(at: Self.at(60_000 + $0)).isZero }
        #expect(after == [true, true, true, true, true, false])
    }

    @Test func theOddsAreTheRootOfTheQuotient() {
        func odds(_ quotient: Double, _ aggression: Int) -> ThrottleOdds {
            ThrottleOdds(quotient: quotient, aggression: aggression, limit: 0.8)
        }
        #expect(odds(0, 2).probability == 0)
        #expect(abs(odds(0.3, 1).probability - 0.3) < 1e-15)
        #expect(abs(odds(0.25, 1).probability - 0.25) < 1e-15)
        #expect(abs(odds(0.25, 2).probability - 0.5) < 1e-15)
        #expect(abs(odds(0.008, 3).probability - 0.2) < 1e-15)
        #expect(odds(0.81, 1).probability == 0.8)
        #expect(odds(0.99, 3).probability == 0.8)
        #expect(!odds(0.99, 1).refuses(0.8) && odds(0.99, 1).refuses(0.799))
        #expect(odds(0.25, 2).refuses(0.499) && !odds(0.25, 2).refuses(0.5))
        #expect(!odds(0, 1).refuses(0))
    }

    /// The share of refusals is the probability, for random odds.
    @Test func asManyAreRefusedAsTheProbabilitySays() {
        let random = RandomSource.seeded(5)
        for _ in 0..<20 {
            let odds = ThrottleOdds(
                quotient: random.fraction(), aggression: 1 + Int(random.next() % 4), limit: 0.8)
            let refused = (0..<10_000).count { _ in odds.refuses(random.fraction()) }
            // Four standard deviations at most.
            #expect(abs(Double(refused) / 10_000 - odds.probability) < 0.02)
        }
    }
}

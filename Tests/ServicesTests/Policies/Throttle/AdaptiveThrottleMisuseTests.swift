import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct AdaptiveThrottleMisuseTests {
    @Test func aProbabilityAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveThrottle(maxProbability: 1.1) }
        expectTrap("a throttle needs a maxProbability in 0...1, not 1.1", in: result)
    }

    @Test func aRateBelowZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveThrottle(minimumRate: -1) }
        expectTrap("a throttle needs a minimumRate in 0...1000000, not -1", in: result)
    }

    @Test func aMultiplierBelowOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(0.9) }
        expectTrap("a throttle needs a multiplier in 1...1000, not 0.9", in: result)
    }

    @Test func aMultiplierThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(.nan) }
        expectTrap("a throttle needs a multiplier in 1...1000, not nan", in: result)
    }

    @Test func aSuccessRateOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.successRate(0) }
        expectTrap("a throttle needs a success rate in 0.01...1, not 0.0", in: result)
    }

    @Test func noAggressionTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.successRate(aggression: 0) }
        expectTrap("a throttle needs an aggression in 1...10, not 0", in: result)
    }

    @Test func anEmptyWindowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ThrottleRule.acceptMultiplier(over: .zero) }
        expectTrap("a throttle needs a window from a millisecond to an hour", in: result)
    }
}
#endif

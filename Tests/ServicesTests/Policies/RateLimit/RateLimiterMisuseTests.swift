import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct RateLimiterMisuseTests {
    @Test func aRateOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 0, per: .seconds(1)) }
        expectTrap("a rate limiter needs a rate in 1...1000000000, not 0", in: result)
    }

    @Test func aPeriodOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .zero) }
        expectTrap("a rate limiter needs a period from a nanosecond to 366 days", in: result)
    }

    @Test func aLongerPeriodThanAYearTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(366 * 24 * 3_600 + 1)) }
        expectTrap("a rate limiter needs a period from a nanosecond to 366 days", in: result)
    }

    @Test func aBurstOfZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(1), burst: 0) }
        expectTrap("a rate limiter needs a burst in 1...1000000000, not 0", in: result)
    }

    @Test func aNegativeWaitTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RateLimiter(rate: 1, per: .seconds(1), maxWait: .seconds(-1)) }
        expectTrap("a rate limiter needs a maxWait of zero or more, not -1.0 seconds", in: result)
    }
}
#endif

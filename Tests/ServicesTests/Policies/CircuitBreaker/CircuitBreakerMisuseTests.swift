import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct CircuitBreakerMisuseTests {
    @Test func noFailureInARowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(failuresInARow: 0) }
        expectTrap("a circuit breaker needs at least 1 of failuresInARow, not 0", in: result)
    }

    @Test func aRateAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(successRate: 1.1) }
        expectTrap("a circuit breaker needs a successRate in 0...1, not 1.1", in: result)
    }

    @Test func aRateThatIsNoNumberTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(successRate: .nan) }
        expectTrap("a circuit breaker needs a successRate in 0...1, not nan", in: result)
    }

    @Test func anEmptyWindowTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(over: .zero) }
        expectTrap("a circuit breaker needs a window of more than zero", in: result)
    }

    @Test func noMinimumTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CircuitBreaker(minimumRequests: 0) }
        expectTrap("a circuit breaker needs at least 1 of minimumRequests, not 0", in: result)
    }
}
#endif

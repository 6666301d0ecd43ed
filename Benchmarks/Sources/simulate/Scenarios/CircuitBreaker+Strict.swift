import PledgeServices
import PledgeSimulation

extension CircuitBreaker {
    /// Creates a breaker with Finagle's limits for one host, which are stricter than the library's defaults.
    static func strict(in world: SimulatedWorld, minimumRequests: Int = 5) -> CircuitBreaker {
        CircuitBreaker(
            failuresInARow: 5, lasting: .zero, successRate: 0.8, minimumRequests: minimumRequests,
            backoff: .equalJitter(base: .seconds(5), cap: .seconds(300)), on: world.scheduler,
            random: world.random)
    }
}

import PledgeServices
import PledgeSimulation

/// A response of a sharded service's clients to failures.
struct BreakerRule: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    let name: String
    /// Creates the parts that all clients share, and returns a function that creates the stack of one client.
    let make: @Sendable (SimulatedWorld) -> @Sendable () -> Part
}

extension BreakerRule {
    static let all: [BreakerRule] = [
        BreakerRule(name: "no breaker") { _ in { .passThrough } },
        ofEachClient,
        BreakerRule(name: "each client, 20 calls at least") { world in
            { .circuitBreaker(sharing: breaker(in: world, minimumRequests: 20)) }
        },
        BreakerRule(name: "one for all clients") { world in
            let shared = breaker(in: world)
            return { .circuitBreaker(sharing: shared) }
        },
        BreakerRule(name: "each client and shard") { world in
            { ofEachShard(in: world) }
        },
        BreakerRule(name: "retry with a budget") { world in
            { .retry(on: world.scheduler, random: world.random) }
        },
    ]

    /// The library's breaker, one for each client.
    static let ofEachClient = BreakerRule(name: "each client") { world in
        { .circuitBreaker(sharing: breaker(in: world)) }
    }

    private static func ofEachShard(in world: SimulatedWorld) -> Part {
        .keyed(by: \.host) { _ in .circuitBreaker(sharing: breaker(in: world)) }
    }

    private static func breaker(
        in world: SimulatedWorld, minimumRequests: Int = 5
    ) -> CircuitBreaker {
        .strict(in: world, minimumRequests: minimumRequests)
    }
}

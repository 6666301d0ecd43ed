import PledgeFutures
import PledgeServices
import PledgeSimulation

/// The time at which clients that were refused with Retry-After come back.
struct ReturnRule: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    let name: String
    /// Creates the stack of one client, for a time in Retry-After.
    let make: @Sendable (SimulatedWorld, Duration) -> Part
}

extension ReturnRule {
    static let all: [ReturnRule] = [
        ReturnRule(name: "exactly then") { world, time in
            retry(in: world, .constant(time), classifier: .withoutRetryAfter)
        },
        ReturnRule(name: "up to a tenth later") { world, _ in retry(in: world, .fullJitter()) },
        ReturnRule(name: "the same, three tries") { world, _ in
            retry(in: world, .fullJitter(), attempts: 3)
        },
        ReturnRule(name: "up to half later") { world, time in
            retry(
                in: world, .later(than: time, byUpTo: time / 2, in: world),
                classifier: .withoutRetryAfter)
        },
        ReturnRule(name: "up to as long again") { world, time in
            retry(
                in: world, .later(than: time, byUpTo: time, in: world),
                classifier: .withoutRetryAfter)
        },
        ReturnRule(name: "by backoff alone") { world, _ in
            retry(in: world, .fullJitter(), classifier: .withoutRetryAfter)
        },
    ]

    /// Retries without a budget, by default with twenty attempts.
    ///
    /// Each client makes a single call, and waits as long as the host asks.
    private static func retry(
        in world: SimulatedWorld, _ backoff: Backoff, attempts: Int = 20,
        classifier: Classifier<SimulatedResponse> = .standard
    ) -> Part {
        .retry(
            Retry(attempts: attempts, backoff: backoff, maxServerDelay: .seconds(60)),
            budget: .unlimited, classifier: classifier, on: world.scheduler, random: world.random)
    }
}

extension Backoff {
    /// A backoff of a fixed time, plus a random time up to a limit.
    fileprivate static func later(
        than time: Duration, byUpTo more: Duration, in world: SimulatedWorld
    ) -> Backoff {
        .custom { _, _ in time + .uniform(upTo: more, bits: world.random.next()) }
    }
}

extension Classifier<SimulatedResponse> {
    /// Treats every failure as retryable at any time.
    fileprivate static let withoutRetryAfter = Classifier { result in
        if case .failure = result { return .retryable }
        return .success
    }
}

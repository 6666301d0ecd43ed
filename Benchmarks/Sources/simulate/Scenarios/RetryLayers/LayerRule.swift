import PledgeServices
import PledgeSimulation

/// The layers of services that repeat a failed call, and how often they do.
struct LayerRule: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    let name: String
    /// Creates the policy of a layer.
    ///
    /// Layer 1 is the client; layer 5 calls the database.
    let make: @Sendable (_ layer: Int, SimulatedWorld) -> Part
}

extension LayerRule {
    static let all: [LayerRule] = [
        LayerRule(name: "no retry") { _, _ in .passThrough },
        LayerRule(name: "three tries in each layer") { _, world in tries(in: world) },
        LayerRule(name: "three tries at the top") { layer, world in
            layer == 1 ? tries(in: world) : .passThrough
        },
        LayerRule(name: "three tries above the database") { layer, world in
            layer == LayeredServices.layers ? tries(in: world) : .passThrough
        },
        LayerRule(name: "not what failed beneath") { _, world in
            tries(in: world, classifier: .exceptDownstream)
        },
        LayerRule(name: "budget of a fifth in each") { _, world in
            tries(in: world, RetryBudget())
        },
        LayerRule(name: "budget of a tenth in each") { _, world in
            tries(in: world, RetryBudget(retriesPerSuccess: 0.1))
        },
        LayerRule(name: "budget of a hundred in each") { _, world in
            tries(in: world, RetryBudget(capacity: 100))
        },
        LayerRule(name: "the default retry in each") { _, world in
            .retry(on: world.scheduler, random: world.random)
        },
    ]

    /// Three attempts, without a wait between them.
    private static func tries(
        in world: SimulatedWorld, _ budget: RetryBudget = .unlimited,
        classifier: Classifier<SimulatedResponse> = .standard
    ) -> Part {
        .retry(
            Retry(attempts: 3, backoff: .constant(.zero)), budget: budget, classifier: classifier,
            on: world.scheduler, random: world.random)
    }
}

extension Classifier<SimulatedResponse> {
    /// Doesn't repeat a call if a host further down has failed, because the caller of that host repeats its own call.
    fileprivate static let exceptDownstream = Classifier { result in
        if case .failure(let failure as SimulatedFailure) = result,
            failure.code == .downstreamFailed
        {
            return .failure
        }
        return Classifier.standard(result)
    }
}

import PledgeAdmission
import PledgeServices
import PledgeSimulation
import PledgeTraffic

/// A policy from the command line, with its value.
struct NamedPolicy: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    /// Creates the policy in a simulation.
    ///
    /// Retries and hedges share the budget, if there is one.
    let make: @Sendable (SimulatedWorld, RetryBudget?) -> Part
    /// True if the policy uses the budget.
    var usesBudget = false

    private init(
        usesBudget: Bool = false, _ make: @escaping @Sendable (SimulatedWorld, RetryBudget?) -> Part
    ) {
        self.make = make
        self.usesBudget = usesBudget
    }
}

extension NamedPolicy {
    private typealias Maker = @Sendable (PolicyValue?) throws(CommandError) -> NamedPolicy

    /// The functions that create a policy from its value, by name.
    private static let all: [(name: String, make: Maker)] = [
        ("retry", retry), ("breaker", breaker), ("hedge", hedge), ("timeout", timeout),
        ("deadline", deadline), ("bulkhead", bulkhead), ("adaptive", adaptive),
        ("throttle", throttle),
    ]

    /// All names, separated by commas.
    static let names = (all.map(\.name) + ["budget"]).sorted().joined(separator: ", ")

    /// Returns the policy with a name and a value.
    ///
    /// Without a value, it has the library's defaults.
    static func named(_ name: String, _ value: String?) throws(CommandError) -> NamedPolicy {
        guard let make = all.first(where: { $0.name == name })?.make else {
            throw CommandError(
                wrongUse: "there is no policy \(Arguments.quoted(name)); there are \(names)")
        }
        return try make(value.map { PolicyValue(of: name, $0) })
    }

    /// "retry=4" makes at most four attempts.
    @Sendable private static func retry(_ value: PolicyValue?) throws(CommandError) -> NamedPolicy {
        let attempts = try value?.count() ?? 3
        return NamedPolicy(usesBudget: true) { world, budget in
            .retry(
                Retry(attempts: attempts), budget: budget ?? .unlimited, on: world.scheduler,
                random: world.random)
        }
    }

    /// "breaker=0.5" opens when less than half of the calls succeed.
    @Sendable private static func breaker(_ value: PolicyValue?) throws(CommandError) -> NamedPolicy
    {
        let rate = try value?.share() ?? 0.5
        return NamedPolicy { world, _ in
            .circuitBreaker(
                sharing: CircuitBreaker(
                    successRate: rate, on: world.scheduler, random: world.random))
        }
    }

    /// "hedge=50ms" hedges after 50 ms, and "hedge" after a percentile.
    ///
    /// If there is a budget, it limits the hedges of both forms to its share of the calls.
    @Sendable private static func hedge(_ value: PolicyValue?) throws(CommandError) -> NamedPolicy {
        let delay = try value?.duration()
        return NamedPolicy(usesBudget: true) { world, budget in
            guard let delay else {
                return .hedge(sharing: Hedge(budget: budget, on: world.scheduler))
            }
            return .hedge(
                sharing: Hedge(after: delay, maxExtraLoad: 1, budget: budget, on: world.scheduler))
        }
    }

    @Sendable private static func timeout(_ value: PolicyValue?) throws(CommandError) -> NamedPolicy
    {
        let limit = try value?.duration() ?? .seconds(1)
        return NamedPolicy { world, _ in .timeout(limit, on: world.scheduler) }
    }

    @Sendable private static func deadline(_ value: PolicyValue?) throws(CommandError)
        -> NamedPolicy
    {
        let limit = try value?.duration() ?? .seconds(10)
        return NamedPolicy { world, _ in .deadline(limit, on: world.scheduler) }
    }

    /// "bulkhead=8" allows eight calls in flight.
    @Sendable private static func bulkhead(_ value: PolicyValue?) throws(CommandError)
        -> NamedPolicy
    {
        let limit = try value?.count() ?? 64
        return NamedPolicy { world, _ in
            .bulkhead(
                sharing: Bulkhead(limit: limit, queue: 0, leaseTime: nil, on: world.scheduler))
        }
    }

    @Sendable private static func adaptive(
        _ value: PolicyValue?
    ) throws(CommandError) -> NamedPolicy {
        try value?.refuse()
        return NamedPolicy { world, _ in
            .adaptiveConcurrency(
                sharing: AdaptiveConcurrency(on: world.scheduler, random: world.random))
        }
    }

    @Sendable private static func throttle(
        _ value: PolicyValue?
    ) throws(CommandError) -> NamedPolicy {
        try value?.refuse()
        return NamedPolicy { world, _ in
            .throttle(sharing: AdaptiveThrottle(on: world.scheduler, random: world.random))
        }
    }
}

import PledgeAdmission
import PledgeServices
import PledgeSimulation

/// A client's rule, or a database's rule, for calls that get no answer within a second.
struct OutageRule: Sendable {
    let name: String
    /// The outage with this rule.
    ///
    /// Its load and duration are set later.
    var outage: DatabaseOutage
}

extension OutageRule {
    /// Rules of the client.
    static let ofClients: [OutageRule] = [
        OutageRule(name: "no retry", outage: DatabaseOutage()),
        OutageRule(name: "one retry", outage: retried { _ in .unlimited }),
        OutageRule(
            name: "one retry, budget of a fifth", outage: retried { _ in RetryBudget() }),
        OutageRule(
            name: "one retry, budget of a twentieth",
            outage: retried { _ in RetryBudget(retriesPerSuccess: 0.05) }),
        OutageRule(
            name: "the default retry",
            outage: DatabaseOutage(policies: { world in
                .retry(on: world.scheduler, random: world.random)
            })),
        OutageRule(name: "one retry, breaker", outage: behindBreaker),
        OutageRule(name: "one retry, bulkhead of 64", outage: inBulkhead),
    ]

    /// Rules of the database, while the client repeats each call once.
    static let ofDatabases: [OutageRule] = [
        changed("nothing") { _ in },
        changed("at most 100 calls wait") { $0.queueLimit = 100 },
        changed("the last call is first") { $0.queueOrder = .lastInFirstOut },
        changed("stops what is given up") { $0.finishesAbandonedCalls = false },
        OutageRule(name: "knows the deadline", outage: knowingDeadlines),
    ]

    private static func retry(
        _ world: SimulatedWorld, _ budget: RetryBudget
    ) -> DatabaseOutage.Part {
        .retry(
            Retry(attempts: 2, backoff: .constant(.zero)), budget: budget, on: world.scheduler,
            random: world.random)
    }

    private static func retried(
        _ budget: @escaping @Sendable (SimulatedWorld) -> RetryBudget
    ) -> DatabaseOutage {
        DatabaseOutage(policies: { retry($0, budget($0)) })
    }

    private static let behindBreaker = DatabaseOutage(policies: { world in
        let breaker = CircuitBreaker.strict(in: world)
        return retry(world, .unlimited).around(.circuitBreaker(sharing: breaker))
    })

    private static let inBulkhead = DatabaseOutage(policies: { world in
        let bulkhead = Bulkhead(limit: 64, queue: 0, leaseTime: nil, on: world.scheduler)
        return retry(world, .unlimited).around(.bulkhead(sharing: bulkhead))
    })

    private static let knowingDeadlines: DatabaseOutage = {
        var outage = retried { _ in .unlimited }
        outage.innerPolicies = { .deadline(.seconds(1), on: $0.scheduler) }
        outage.change = { $0.knowsDeadlines = true }
        return outage
    }()

    private static func changed(
        _ name: String, _ change: @escaping @Sendable (inout HostSettings) -> Void
    ) -> OutageRule {
        var outage = retried { _ in .unlimited }
        outage.change = change
        return OutageRule(name: name, outage: outage)
    }
}

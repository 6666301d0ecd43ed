import PledgeAdmission
import PledgeFutures
import PledgeObservation
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

@Suite struct GaugedStateTests {
    private let scheduler = ManualScheduler()

    @Test func metricsShowTheNumbersOfWatchedPolicies() {
        let metrics = ServiceMetrics()
        let breaker = CircuitBreaker(named: "shop", on: scheduler)
        let bulkhead = Bulkhead(named: "shop", limit: 2, queue: 5, leaseTime: nil, on: scheduler)
        let budget = RetryBudget(named: "shop", capacity: 7)
        metrics.watch(breaker)
        metrics.watch(bulkhead)
        metrics.watch(budget)
        metrics.watch(RetryBudget.unlimited)
        let service = stack(.bulkhead(sharing: bulkhead), over: Upstream(on: scheduler).send)
        let calls = (1...3).map { service(Ask($0)) }
        breaker.isolate()
        _ = budget.withdraw()
        #expect(
            metrics.prometheusText == """
                # HELP pledge_policy_in_flight Calls in flight in a policy.
                # TYPE pledge_policy_in_flight gauge
                pledge_policy_in_flight{policy="bulkhead",policy_name="shop"} 2
                # HELP pledge_policy_queued Calls that wait in a policy.
                # TYPE pledge_policy_queued gauge
                pledge_policy_queued{policy="bulkhead",policy_name="shop"} 1
                # HELP pledge_policy_balance How many retries a budget allows now.
                # TYPE pledge_policy_balance gauge
                pledge_policy_balance{policy="retry",policy_name="shop"} 6
                # HELP pledge_policy_state The state of a breaker: 0 closed, 1 half-open, 2 open, 3 isolated.
                # TYPE pledge_policy_state gauge
                pledge_policy_state{policy="circuitBreaker",policy_name="shop"} 3

                """)
        breaker.reset()
        budget.reset()
        #expect(
            metrics.prometheusText.contains(#"state{policy="circuitBreaker",policy_name="shop"} 0"#)
        )
        #expect(metrics.prometheusText.contains(#"balance{policy="retry",policy_name="shop"} 7"#))
        for call in calls { call.cancel() }
    }

    @Test func metricsShowWatchedPoliciesWithOneNameAsOneSeries() {
        let metrics = ServiceMetrics()
        let budgets = (1...3).map { RetryBudget(named: "a", capacity: $0) }
        let breakers = (1...2).map { _ in CircuitBreaker(named: "a", on: scheduler) }
        for budget in budgets + budgets { metrics.watch(budget) }
        for breaker in breakers { metrics.watch(breaker) }
        breakers[0].isolate()
        #expect(metrics.prometheusText.contains(#"balance{policy="retry",policy_name="a"} 6"#))
        #expect(
            metrics.prometheusText.contains(#"state{policy="circuitBreaker",policy_name="a"} 3"#))
    }

    @Test func metricsShowNoGaugeThatNoWatchedPolicyHas() {
        let metrics = ServiceMetrics(labelLimit: 1)
        for _ in 1...100 { metrics.watch(RetryBudget(named: "a")) }
        #expect(metrics.prometheusText == "")
        let kept = (1...20).map { RetryBudget(named: "\($0)") }
        for budget in kept { metrics.watch(budget) }
        let lines = metrics.prometheusText.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 8)
    }

    @Test func atLeastOnePolicyHasEachGauge() {
        let states: [any StateNumbers] = [
            AdaptiveConcurrency(on: scheduler), LoadShedder(on: scheduler),
            AdaptiveThrottle(on: scheduler), RateLimiter(rate: 1, per: .seconds(1), on: scheduler),
            Pushback(on: scheduler), Bulkhead(limit: 64, queue: 0, leaseTime: nil, on: scheduler),
            CircuitBreaker(on: scheduler),
            RetryBudget(),
        ]
        let shown = Set(states.flatMap { $0.gauges.keys })
        #expect(shown == Set(StateGauge.allCases))
    }
}

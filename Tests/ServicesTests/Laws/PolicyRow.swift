import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// One policy, in the form that the laws of all policies need.
///
/// A new policy adds its rows to `all`, and every law is tested with them.
struct PolicyRow: Sendable, CustomTestStringConvertible {
    /// The name in the test's report.
    let name: String
    /// What the service beneath does, call by call, so that the policy has an effect.
    var script: [Upstream.Step] = [.value(7)]
    /// The number of calls that then reach the service.
    var calls = 1
    /// The result: the value, or nil for a failure.
    var value: Int? = 7
    /// Whether an answer that is there at once passes at once; false for a policy that delays it.
    var passesAtOnce = true
    /// Makes the policy, a new one for each test.
    ///
    /// All its waits are on the scheduler.
    let make: @Sendable (ManualScheduler) -> Middleware<Ask, Int>

    var testDescription: String { name }
}

extension PolicyRow {
    static let all: [PolicyRow] = [
        PolicyRow(name: "passThrough") { _ in .passThrough },
        PolicyRow(name: "observed") { .observed(by: ServiceObserver { _ in }, on: $0) },
        PolicyRow(name: "newTrace") { _ in .newTrace() },
        PolicyRow(name: "deadline") { .deadline(.seconds(100), on: $0) },
        PolicyRow(name: "deadline passing", script: [.never], value: nil) {
            .deadline(.milliseconds(50), on: $0)
        },
        PolicyRow(name: "timeout") { .timeout(.seconds(2), on: $0) },
        PolicyRow(name: "timeout passing", script: [.never], value: nil) {
            .timeout(.milliseconds(20), on: $0)
        },
        PolicyRow(name: "retry", script: [.broken, .broken, .value(7)], calls: 3) {
            .retry(backoff: .constant(.milliseconds(30)), on: $0)
        },
        PolicyRow(name: "retry at once", script: [.broken, .broken, .value(7)], calls: 3) {
            .retry(backoff: .constant(.zero), on: $0)
        },
        PolicyRow(name: "failing retry", script: [.broken, .broken, .broken], calls: 3, value: nil)
        {
            .retry(backoff: .fullJitter(), on: $0, random: RandomSource(SeededGenerator(seed: 7)))
        },
        PolicyRow(name: "retry, asked to wait", script: [.asked(100), .value(7)], calls: 2) {
            .retry(sharing: RetryBudget(), on: $0)
        },
        PolicyRow(name: "coalesce") { _ in .coalesce() },
        PolicyRow(name: "coalesce by key", script: [.broken], value: nil) { _ in
            .coalesce(by: \.number, sharing: Coalescer())
        },
        PolicyRow(name: "memoise") { .memoise(timeToLive: .seconds(1), on: $0) },
        PolicyRow(name: "memoise a failure", script: [.broken], value: nil) {
            .memoise(by: \.number, timeToLive: .seconds(1), limit: 1, on: $0)
        },
        PolicyRow(name: "hedge") { .hedge(after: .milliseconds(20), on: $0) },
        PolicyRow(name: "hedge by percentile") { .hedge(on: $0) },
        PolicyRow(name: "hedge a slow call", script: [.never, .value(7)], calls: 2) {
            .hedge(after: .milliseconds(20), on: $0)
        },
        PolicyRow(name: "hedge a failure", script: [.broken, .value(7)], calls: 2) {
            .hedge(sharing: RetryBudget(), on: $0)
        },
        PolicyRow(name: "failing hedge", script: [.broken, .broken, .broken], calls: 3, value: nil)
        {
            .hedge(after: .milliseconds(5), attempts: 3, maxExtraLoad: 1, on: $0)
        },
        PolicyRow(name: "fallback", script: [.broken]) { scheduler in
            .fallback(to: { _ in
                Future(value: 7).delay(.milliseconds(10), on: scheduler)
            })
        },
        PolicyRow(name: "fallback to a value", script: [.broken]) { _ in .fallback(7) },
        PolicyRow(name: "chaos off") {
            .chaos(.failure(probability: 1), sharing: ChaosSwitch(isOn: false), on: $0)
        },
        PolicyRow(name: "chaos", script: [.value(6)], passesAtOnce: false) {
            .chaos(
                .latency(.milliseconds(20), probability: 1),
                .outcome(probability: 1) { try $0.get() + 1 }, on: $0)
        },
        PolicyRow(name: "chaos failing", calls: 0, value: nil, passesAtOnce: false) {
            .chaos(
                .latency(.milliseconds(20), probability: 1), .failure(probability: 1), on: $0)
        },
        PolicyRow(name: "circuitBreaker") { .circuitBreaker(sharing: CircuitBreaker(on: $0)) },
        PolicyRow(name: "circuitBreaker opening", script: [.broken], value: nil) {
            .circuitBreaker(sharing: CircuitBreaker(failuresInARow: 1, on: $0))
        },
        PolicyRow(name: "circuitBreaker probing", script: [.value(7)]) {
            let breaker = CircuitBreaker(
                failuresInARow: 1, backoff: .constant(.zero), on: $0)
            _ = stack(
                .circuitBreaker(sharing: breaker),
                over: { (_: Ask) in Future<Int>(error: Broken()) })(
                    1)
            return .circuitBreaker(sharing: breaker)
        },
        PolicyRow(name: "bulkhead") { .bulkhead(sharing: Bulkhead(on: $0)) },
        PolicyRow(name: "bulkhead queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(.bulkhead(sharing: Bulkhead(limit: 1, queue: 1, on: $0)))
        },
        PolicyRow(name: "bulkhead queueing without end", script: [.never], value: nil) {
            .twice.around(
                .bulkhead(
                    sharing: Bulkhead(limit: 1, queue: 1, queueTimeout: .milliseconds(20), on: $0)))
        },
        PolicyRow(name: "priority") { _ in .priority(.sheddable) },
        PolicyRow(name: "shed") { .loadShedding(sharing: LoadShedder(on: $0)) },
        PolicyRow(name: "shed queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(.loadShedding(sharing: LoadShedder(limit: 1, queue: 1, on: $0)))
        },
        PolicyRow(name: "shed queueing without end", script: [.never], value: nil) {
            .twice.around(.loadShedding(sharing: LoadShedder(limit: 1, queue: 1, on: $0)))
        },
        PolicyRow(name: "throttle") { .throttle(sharing: AdaptiveThrottle(on: $0)) },
        PolicyRow(name: "throttle refusing", script: [.broken], value: nil) {
            .retry(backoff: .constant(.zero), on: $0).around(
                .throttle(
                    sharing: AdaptiveThrottle(minimumRate: 0, on: $0, random: .constant(0))))
        },
        PolicyRow(name: "adaptiveConcurrency") {
            .adaptiveConcurrency(sharing: AdaptiveConcurrency(on: $0))
        },
        PolicyRow(name: "adaptiveConcurrency queueing", script: [.value(3), .value(7)], calls: 2) {
            .twice.around(
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(algorithm: .one, queue: 1, on: $0)))
        },
        PolicyRow(
            name: "adaptiveConcurrency queueing without end", script: [.never], value: nil
        ) {
            .twice.around(
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(
                        algorithm: .one, queue: 1, queueTimeout: .milliseconds(20), on: $0)))
        },
        PolicyRow(name: "rateLimit") {
            .rateLimit(sharing: RateLimiter(rate: 10, per: .seconds(1), on: $0))
        },
        PolicyRow(name: "rateLimit waiting", script: [.broken, .value(7)], calls: 2) {
            .retry(backoff: .constant(.zero), on: $0).around(
                .rateLimit(
                    sharing: RateLimiter(rate: 10, per: .seconds(1), maxWait: .seconds(1), on: $0)))
        },
        PolicyRow(name: "rateLimit refusing", script: [.broken], value: nil) {
            .retry(backoff: .constant(.zero), on: $0).around(
                .rateLimit(
                    sharing: RateLimiter(rate: 10, per: .seconds(1), maxWait: .zero, on: $0)))
        },
    ]
}

extension Middleware {
    /// Calls again while a call is under way, and returns the second call's future; cancels both.
    static var twice: Middleware {
        Middleware { next in
            { input in
                let first = next(input)
                return first.result == nil ? zip(first, next(input)).map { $1 } : first
            }
        }
    }
}

extension ConcurrencyLimitAlgorithm {
    /// One call at a time.
    fileprivate static var one: ConcurrencyLimitAlgorithm {
        .aimd(initial: 1, minimum: 1, maximum: 1)
    }
}

import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A client's rule for deciding whether to repeat a failed call.
///
/// (Brooker, "Fixing retries with token buckets and circuit breakers", 2022.)
struct RetryRule: Sendable {
    typealias Part = Middleware<SimulatedRequest, SimulatedResponse>

    let name: String
    /// Creates the stack of one client.
    let make: @Sendable (SimulatedWorld) -> Part
}

extension RetryRule {
    /// The published rules, and the library's own.
    static let all: [RetryRule] = [
        RetryRule(name: "no retry") { _ in .passThrough },
        RetryRule(name: "3 retries") { retry(.unlimited, in: $0) },
        RetryRule(name: "token bucket") { _ in .repeated(by: TokenBucketRule()) },
        RetryRule(name: "retry breaker") { _ in .repeated(by: RetryBreakerRule()) },
        RetryRule(name: "budget") { retry(RetryBudget(), in: $0) },
        RetryRule(name: "breaker") { world in
            let breaker = CircuitBreaker.strict(in: world)
            return retry(.unlimited, in: world).around(.circuitBreaker(sharing: breaker))
        },
    ]

    private static func retry(_ budget: RetryBudget, in world: SimulatedWorld) -> Part {
        .retry(
            Retry(attempts: 4, backoff: .constant(.zero)), budget: budget, on: world.scheduler,
            random: world.random)
    }
}

/// The state of a published rule, which sees the calls of its client.
protocol PublishedRetryRule: Sendable {
    /// Records the end of an attempt.
    mutating func noteEnd(isSuccess: Bool)

    /// Returns whether a failed call may be repeated. If so, records the retry.
    mutating func mayRetry() -> Bool
}

/// A token bucket.
///
/// A success adds a tenth of a token, up to five, and a retry takes one token.
struct TokenBucketRule: PublishedRetryRule {
    /// The tokens in tenths, so that nothing is rounded.
    private var tenths = 50

    mutating func noteEnd(isSuccess: Bool) { if isSuccess { tenths = min(tenths + 1, 50) } }

    mutating func mayRetry() -> Bool {
        if tenths < 10 { return false }
        tenths -= 10
        return true
    }
}

/// A breaker that only affects retries: it allows none while more than a tenth of all attempts so far have failed.
struct RetryBreakerRule: PublishedRetryRule {
    private var attempts = 0
    private var failures = 0

    mutating func noteEnd(isSuccess: Bool) {
        attempts += 1
        if !isSuccess { failures += 1 }
    }

    mutating func mayRetry() -> Bool { failures * 10 <= attempts }
}

extension Middleware where Input == SimulatedRequest, Output == SimulatedResponse {
    /// Repeats a call at once, up to three times, as long as a published rule allows it.
    fileprivate static func repeated(by rule: some PublishedRetryRule) -> Self {
        let state = Locked(rule)
        return Middleware(named: "repeated") { service in
            { request in attempt(1, of: request, service, state) }
        }
    }

    private static func attempt(
        _ number: Int, of request: SimulatedRequest,
        _ service: @escaping Service<SimulatedRequest, SimulatedResponse>,
        _ rule: Locked<some PublishedRetryRule>
    ) -> Future<SimulatedResponse> {
        service(request)
            .onSuccess { _ in rule.withLock { $0.noteEnd(isSuccess: true) } }
            .flatMapError { error in
                let mayRetry = rule.withLock { rule in
                    rule.noteEnd(isSuccess: false)
                    return number <= 3 && rule.mayRetry()
                }
                if !mayRetry { return Future(error: error) }
                return attempt(number + 1, of: request, service, rule)
            }
    }
}

import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import Testing

/// Every policy that refuses a call names the call's input in its error.
@Suite struct RefusalLawTests {
    private struct Named: Hashable, Sendable, NamedRequest {
        let isReplayable = true
        let loggedName = "order 7"
    }

    /// Policies that let the first call pass and refuse the second, while the first is in flight.
    private static func policies(
        on scheduler: ManualScheduler
    ) -> [(ServiceError.Code, Middleware<Named, Int>)] {
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: scheduler)
        let limiter = RateLimiter(
            rate: 1, per: .seconds(9), maxWait: .zero, on: scheduler)
        let shared = RateLimiter(
            rate: 1, per: .seconds(9), maxWait: .zero, shared: .inMemory(on: scheduler),
            on: scheduler)
        let throttle = AdaptiveThrottle(minimumRate: 0, on: scheduler, random: .constant(0))
        return [
            (.circuitOpen, .circuitBreaker(sharing: breaker)),
            (.rateLimited, .rateLimit(sharing: limiter)),
            (.rateLimited, .rateLimit(sharing: shared)),
            (.heldBack, .pushback(sharing: Pushback(maxWait: .zero, on: scheduler))),
            (.throttled, .throttle(sharing: throttle)),
            (.bulkheadFull, .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, on: scheduler))),
            (.shed, .loadShedding(sharing: LoadShedder(limit: 1, queue: 0, on: scheduler))),
            (
                .concurrencyLimited,
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(
                        algorithm: .vegas(initial: 1), queue: 0, on: scheduler))
            ),
            (.keysFull, .keyed(by: { _ in Double.nan }) { _ in .passThrough }),
        ]
    }

    @Test func everyRefusalNamesTheInputOfItsCall() throws {
        let scheduler = ManualScheduler()
        let error = Advised(advisedOutcome: .retryable(after: .seconds(5)))
        for (code, policy) in Self.policies(on: scheduler) {
            // A gate refuses while its one place is taken, and all others after the service has failed.
            let isGate = [.bulkheadFull, .shed, .concurrencyLimited].contains(code)
            let pending = Promise<Int>()
            let service = stack(
                policy, over: { (_: Named) in isGate ? pending : Future<Int>(error: error) })
            let first = service(Named())
            let refusal = try #require(service(Named()).serviceError, "\(code)")
            #expect(refusal.code == code)
            #expect(refusal.subject == "order 7", "\(code)")
            #expect("\(refusal)".contains(" for order 7"), "\(code)")
            first.cancel()
            withExtendedLifetime(pending) {}
        }
    }
}

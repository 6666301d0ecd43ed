import Pledge
import Testing

/// The right and the wrong use of what refuses calls.
@Suite struct LimitPictures {
    private typealias Run = PolicyRun
    private let wait = Backoff.constant(.milliseconds(30))

    @Test func circuitBreaker() throws {
        let calls = [(at: 0, name: "first"), (at: 120, name: "second")]
        let right = Run()
        let beneath = right.recorded(
            .retry(Retry(attempts: 2, backoff: wait), on: right.scheduler),
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 2, lasting: .zero, on: right.scheduler)),
            .observed(named: { _ in "request" }),
            over: right.server(.fails(after: .milliseconds(30))))
        let wrong = Run()
        let outside = wrong.recorded(
            .circuitBreaker(
                sharing: CircuitBreaker(failuresInARow: 2, lasting: .zero, on: wrong.scheduler)),
            .retry(Retry(attempts: 2, backoff: wait), on: wrong.scheduler),
            .observed(named: { _ in "request" }),
            over: wrong.server(.fails(after: .milliseconds(30))))
        try Picture.comparing(
            "circuit-breaker", title: "A circuit breaker beneath a retry and outside it",
            description: """
                A server that is down, and a breaker that opens after two failures. Beneath the retry, it opens \
                within the first call, and refuses the second: 2 requests. Outside the retry, two attempts are \
                one failure, and it opens after the second call: 4 requests.
                """,
            [
                try right.panel("right: the breaker beneath the retry, 2 requests", beneath, calls),
                try wrong.panel("wrong: the breaker outside the retry, 4 requests", outside, calls),
            ])
    }

    @Test func rateLimit() throws {
        let calls = [(at: 0, name: "first"), (at: 100, name: "second")]
        let limiter = { (run: Run) in
            RateLimiter(rate: 2, per: .seconds(1), burst: 2, maxWait: .zero, on: run.scheduler)
        }
        let right = Run()
        let beneath = right.recorded(
            .retry(Retry(attempts: 2, backoff: wait), on: right.scheduler),
            .rateLimit(sharing: limiter(right)), .observed(named: { _ in "request" }),
            over: right.server(.fails(after: .milliseconds(30))))
        let wrong = Run()
        let outside = wrong.recorded(
            .rateLimit(sharing: limiter(wrong)),
            .retry(Retry(attempts: 2, backoff: wait), on: wrong.scheduler),
            .observed(named: { _ in "request" }),
            over: wrong.server(.fails(after: .milliseconds(30))))
        try Picture.comparing(
            "rate-limit", title: "A rate limit for a server's quota beneath a retry and outside it",
            description: """
                A quota of two requests in a second. Beneath the retry, the limiter counts requests, and refuses the \
                second call: 2 requests. Outside the retry, it counts calls: 4 requests.
                """,
            [
                try right.panel("right: the limiter counts requests: 2", beneath, calls),
                try wrong.panel("wrong: the limiter counts calls: 4 requests", outside, calls),
            ])
    }

    @Test func bulkhead() throws {
        let calls = ["ada", "ben", "cem"].map { (at: 0, name: $0) }
        let place = { (run: Run) in Bulkhead(limit: 1, queue: 2, leaseTime: nil, on: run.scheduler)
        }
        let backoff = Backoff.constant(.milliseconds(500))
        let answers = { (run: Run) in
            run.server(.fails(after: .seconds(1)), .succeeds(after: .seconds(1)))
        }
        let right = Run()
        let outside = right.recorded(
            .bulkhead(sharing: place(right)), .retry(Retry(backoff: backoff), on: right.scheduler),
            over: answers(right))
        let wrong = Run()
        let beneath = wrong.recorded(
            .retry(Retry(backoff: backoff), on: wrong.scheduler), .bulkhead(sharing: place(wrong)),
            over: answers(wrong))
        try Picture.comparing(
            "bulkhead", title: "A bulkhead outside a retry and beneath it",
            description: """
                One place, three callers, and a first attempt that fails. Outside the retry, ada keeps her place and \
                is served first, after 2.5 s. Beneath the retry, she queues again behind the others, and is served \
                last, after 4 s.
                """,
            [
                try right.panel("right: the bulkhead outside the retry", outside, calls),
                try wrong.panel("wrong: the bulkhead beneath the retry", beneath, calls),
            ])
    }

    @Test func keyed() throws {
        let calls = ["a 1", "a 2", "b 3"].map { (at: 0, name: $0) }
        let right = Run()
        let scheduler = right.scheduler
        let own = right.recorded(
            .keyed(by: \.name.first) { _ in
                .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: scheduler))
            },
            over: right.server(.succeeds(after: .milliseconds(100))))
        let wrong = Run()
        let shared = Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: wrong.scheduler)
        let captured = wrong.recorded(
            .keyed(by: \.name.first) { _ in .bulkhead(sharing: shared) },
            over: wrong.server(.succeeds(after: .milliseconds(100))))
        try Picture.comparing(
            "keyed", title: "A bulkhead for each tenant and one for all",
            description: """
                Two calls of tenant a and one of tenant b, with one place. If the bulkhead is made for each tenant, \
                the second call of a is refused, and b is served. If all share one, b is refused too.
                """,
            [
                try right.panel(
                    "right: the function makes a bulkhead for each tenant", own, calls),
                try wrong.panel("wrong: the function captures one bulkhead", captured, calls),
            ])
    }

    @Test func chaos() throws {
        let right = Run()
        let random = { RandomSource(RetryExamples.Fractions([0.1, 0.9])) }
        let innermost = right.recorded(
            .retry(Retry(backoff: wait), on: right.scheduler),
            .chaos(.failure(probability: 0.5), on: right.scheduler, random: random()),
            over: right.server(.succeeds(after: .milliseconds(30))))
        let wrong = Run()
        let outermost = wrong.recorded(
            .chaos(.failure(probability: 0.5), on: wrong.scheduler, random: random()),
            .retry(Retry(backoff: wait), on: wrong.scheduler),
            over: wrong.server(.succeeds(after: .milliseconds(30))))
        let calls = [(at: 0, name: "load")]
        try Picture.comparing(
            "chaos", title: "Chaos beneath a retry and outside it",
            description: """
                One injected failure. Beneath the retry, the first attempt fails, and the second succeeds. Outside the \
                retry, the call fails at once, and the retry is not tested.
                """,
            [
                try right.panel("right: chaos innermost", innermost, calls),
                try wrong.panel("wrong: chaos outermost", outermost, calls),
            ])
    }
}

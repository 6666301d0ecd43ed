import Pledge
import PledgeTraffic
import Testing

@Suite struct StackProblemTests {
    typealias Part = Middleware<HTTPRequest, HTTPResponse>

    @Test func aRightOrderHasNoProblem() {
        let found = problems(
            of: Part.newTrace(), .deadline(.seconds(10)), .defaultHeaders(["A": "b"]),
            .idempotencyKey(),
            .redirect(), .cookies(sharing: CookieJar()), .cache(), .retry(), .hedge(),
            .circuitBreaker(), .tracePropagation(), .timeout(.seconds(1)), .decompress(upTo: 1))
        #expect(found == [])
    }

    @Test func eachProblemIsNamedOnceWithASentence() throws {
        let found = problems(of: Part.retry(), .retry(), .idempotencyKey())
        #expect(
            found.map { [$0.outer, $0.inner] } == [
                ["retry", "retry"], ["retry", "idempotencyKey"],
            ])
        #expect("\(found[0])".hasPrefix("retry twice: "))
        #expect("\(found[1])".hasPrefix("retry above idempotencyKey: each attempt has its own key"))
        #expect(found.allSatisfy { $0.consequence.hasSuffix(".") })
    }

    @Test func aTraceBelongsOutermostAndItsHeadersInnermost() {
        let resending: [Part] = [
            .redirect(), .authorize(.bearer("t"), for: .all), .retry(), .hedge(),
        ]
        for part in resending {
            #expect(problems(of: part, .tracePropagation()) == [])
            let found = problems(of: .tracePropagation(), part)
            #expect(found.map(\.outer) == ["tracePropagation"], "\(part.parts)")
        }
        let late = problems(of: Part.retry(), .newTrace(), .tracePropagation())
        #expect(late.map { [$0.outer, $0.inner] } == [["retry", "newTrace"]])
        #expect(problems(of: Part.tracePropagation(), .newTrace()).count == 1)
    }

    @Test func headersBeneathARedirectGoAnywhere() {
        let found = problems(of: Part.redirect(), .defaultHeaders(["X-API-Key": "k"]))
        #expect(found.map { [$0.outer, $0.inner] } == [["redirect", "defaultHeaders"]])
    }

    @Test func composedPartsAreLookedIntoForProblems() {
        let inner = Part.retry().around(.timeout(.seconds(1)))
        #expect(problems(of: .circuitBreaker(), inner).map(\.outer) == ["circuitBreaker"])
        #expect(inner.parts == ["retry", "timeout"])
    }

    @Test func aTimeoutAroundOneBoundsTheWhole() {
        let beneath: Part = .circuitBreaker().around(.timeout(.seconds(1)))
        #expect(problems(of: Part.timeout(.seconds(9)), beneath) == [])
        #expect(problems(of: Part.timeout(.seconds(9)), .circuitBreaker()).count == 1)
    }

    @Test func aPartWithoutANameHasNoProblem() {
        #expect(problems(of: Part { $0 }, .passThrough, .retry()) == [])
    }

    @Test func cookiesBelongBeneathATokenThatIsRenewed() {
        let (authorize, cookies): (Part, Part) = (
            .authorize(.bearer("t"), for: .all), .cookies(sharing: CookieJar())
        )
        #expect(problems(of: authorize, cookies) == [])
        #expect(pairs(problems(of: cookies, authorize)) == [["cookies", "authorize"]])
    }

    @Test func whatJudgesTheServiceBelongsBeneathWhatCallsItAgain() {
        let throttle: Part = .throttle(sharing: AdaptiveThrottle())
        let limit: Part = .adaptiveConcurrency(sharing: AdaptiveConcurrency())
        for part in [throttle, limit] {
            #expect(problems(of: .cache(), .retry(), part, .timeout(.seconds(1))) == [])
            let name = part.parts[0]
            #expect(pairs(problems(of: part, .retry())) == [[name, "retry"]])
            #expect(pairs(problems(of: part, .cache())) == [[name, "cache"]])
            #expect(
                pairs(problems(of: part, .fallback(to: { _ in Future(error: Lost()) })))
                    == [[name, "fallback"]])
            #expect(pairs(problems(of: .timeout(.seconds(1)), part)) == [["timeout", name]])
        }
    }

    /// What is refused above it waits for no turn; what it holds back is nobody's time.
    @Test func aRateLimitStandsDirectlyAroundWhatIsSent() {
        let limit: Part = .rateLimit(sharing: RateLimiter(rate: 1, per: .seconds(1)))
        let throttle: Part = .throttle(sharing: AdaptiveThrottle())
        #expect(
            problems(
                of: .cache(), .retry(), .hedge(), throttle, .circuitBreaker(), limit,
                .timeout(.seconds(1))) == [])
        for part: Part in [.cache(), .retry(), .hedge(), throttle, .circuitBreaker()] {
            #expect(pairs(problems(of: limit, part)) == [["rateLimit", part.parts[0]]])
        }
        let measuring: [Part] = [
            .timeout(.seconds(1)), .adaptiveConcurrency(sharing: AdaptiveConcurrency()),
        ]
        for part in measuring {
            #expect(pairs(problems(of: part, limit)) == [[part.parts[0], "rateLimit"]])
            #expect(problems(of: limit, part) == [])
        }
    }

    @Test func aShedderIsWhereABulkheadIs() {
        let shed: Part = .loadShedding(sharing: LoadShedder())
        #expect(problems(of: .priority(.sheddable), .cache(), shed, .retry()) == [])
        #expect(pairs(problems(of: shed, .cache())) == [["loadShedding", "cache"]])
        #expect(pairs(problems(of: shed, .priority(.critical))) == [["loadShedding", "priority"]])
        #expect(pairs(problems(of: .retry(), shed)) == [["retry", "loadShedding"]])
    }

    @Test func theTimeThatIsLeftIsSentLast() {
        let sent: Part = .callPropagation(to: .all)
        let waiting: [Part] = [
            .redirect(), .authorize(.bearer("t"), for: .all), .cache(), .coalesce(), .retry(),
            .hedge(), .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil)),
            .loadShedding(sharing: LoadShedder()),
            .adaptiveConcurrency(sharing: AdaptiveConcurrency()),
            .rateLimit(sharing: RateLimiter(rate: 1, per: .seconds(1))), .deadline(.seconds(1)),
            .priority(.critical),
        ]
        for part in waiting {
            #expect(problems(of: part, sent) == [])
            #expect(pairs(problems(of: sent, part)) == [["callPropagation", part.parts[0]]])
        }
    }

    private struct Lost: Error {}

    private func pairs(_ problems: [StackProblem]) -> [[String]] {
        problems.map { [$0.outer, $0.inner] }
    }
}

private func problems<Input, Output>(of parts: Middleware<Input, Output>...) -> [StackProblem] {
    Middleware(stacking: parts).stackProblems
}

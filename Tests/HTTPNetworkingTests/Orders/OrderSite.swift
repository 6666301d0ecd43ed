import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices
import TestSupport

/// Makes random layers, and has the state that they share.
struct OrderSite {
    let scheduler: ManualScheduler
    let server: OrderServer
    let watch: OrderWatch
    var dice: SeededGenerator
    /// Whether a request that is not known to be safe may be repeated.
    var unproven = UnprovenRetries.allowed
    /// The maximum time of a call through each layer; nil if the layer has no limit.
    var limits: [Duration?] = []
    /// The layers that may repeat calls, outermost first.
    var loads: [OrderLoad] = []
    /// The first step of each retry's backoff.
    var firstSteps: [Duration] = []

    mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &dice) }
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(number(range))
    }
    mutating func random() -> RandomSource { RandomSource(SeededGenerator(seed: dice.next())) }
    mutating func isTails() -> Bool { .random(using: &dice) }

    /// A policy for any input.
    mutating func policy<Input: Sendable, Output: Sendable>(
        _ kind: OrderedLayer, coalesce: Middleware<Input, Output>, substitute: Output
    ) -> Middleware<Input, Output> {
        var limit: Duration?
        defer { limits.append(limit) }
        switch kind {
        case .observed: return .observed(by: watch.observer, on: scheduler)
        case .deadline:
            limit = milliseconds(0...8_000)
            return .deadline(limit ?? .zero, on: scheduler)
        case .timeout:
            limit = milliseconds(0...3_000)
            return noting(.timeout(limit ?? .zero, on: scheduler))
        case .retry: return retry()
        case .hedge:
            let (delay, attempts) = (milliseconds(0...100), number(1...3))
            loads.append(OrderLoad(attempts: attempts))
            return .hedge(
                after: delay, attempts: attempts, maxExtraLoad: Double(number(0...2)) / 2,
                on: scheduler)
        case .coalesce: return coalesce
        case .bulkhead:
            return .bulkhead(
                sharing: Bulkhead(
                    limit: number(1...2), queue: number(0...2),
                    queueTimeout: isTails() ? milliseconds(0...500) : nil, on: scheduler))
        case .rateLimit:
            return .rateLimit(
                sharing: RateLimiter(
                    rate: number(1...5), per: .seconds(1), burst: number(1...4),
                    maxWait: milliseconds(0...1_000), on: scheduler))
        case .circuitBreaker: return circuitBreaker()
        default: return .fallback(substitute)
        }
    }

    private mutating func retry<Input, Output>() -> Middleware<Input, Output> {
        let own = OrderLoad.Budget(
            capacity: number(0...3), retriesPerSuccess: Double(number(0...4)) / 4)
        let usual = OrderLoad.Budget(capacity: 10, retriesPerSuccess: 0.2)
        let budgets: [(limit: OrderLoad.Budget?, budget: RetryBudget?)] = [
            (usual, nil), (nil, .unlimited),
            (
                own,
                RetryBudget(
                    capacity: own.capacity, retriesPerSuccess: own.retriesPerSuccess)
            ),
        ]
        let (attempts, base) = (number(1...4), milliseconds(0...200))
        let (limit, budget) = budgets[number(0...2)]
        loads.append(OrderLoad(attempts: attempts, budget: limit))
        firstSteps.append(base)
        return .retry(
            attempts: attempts, backoff: .fullJitter(base: base), sharing: budget,
            unproven: unproven, on: scheduler, random: random())
    }

    private mutating func circuitBreaker<Input, Output>() -> Middleware<Input, Output> {
        let breaker = CircuitBreaker(
            failuresInARow: number(1...3), minimumRequests: number(1...5),
            backoff: .constant(milliseconds(0...5_000)), on: scheduler, random: random())
        watch.add(breaker)
        return .circuitBreaker(sharing: breaker)
    }

    /// Counts the failures into which a layer turns answers.
    private func noting<Input, Output>(
        _ layer: Middleware<Input, Output>
    ) -> Middleware<Input, Output> {
        let server = server
        return Middleware { next in
            let service = layer(next)
            return { input in
                service(input).onFailure { error in
                    switch error {
                    case let error as ServiceError where error.code == .timedOut:
                        server.noteEvidence()
                    case let error as HTTPError
                    where [.badResponse, .tooManyRedirects].contains(error.code):
                        server.noteEvidence()
                    default: break
                    }
                }
            }
        }
    }
}

// MARK: - HTTP

extension OrderSite {
    /// An HTTP middleware, or a policy for requests.
    mutating func middleware(_ kind: OrderedLayer) -> Middleware<HTTPRequest, HTTPResponse> {
        if kind.isGeneral {
            return policy(
                kind, coalesce: .coalesce(by: .safeRequest), substitute: HTTPResponse(status: 200))
        }
        limits.append(nil)
        let (secrets, watch) = (server.secrets, watch)
        let origin = HTTPOrigins.origins(of: OrderServer.tokenURL)
        switch kind {
        case .redirect: return noting(.redirect(limit: number(1...5)))
        case .authorizeKey:
            let key = secrets.plant(in: "API key", for: OrderServer.host)
            return .authorize(.header("X-API-Key", key), for: origin)
        case .authorizeToken: return .authorize(.bearer(from: refresher()), for: origin)
        case .cookies: return .cookies(sharing: jar())
        case .cache:
            let server = server
            return .cache(
                sharing: HTTPCache(
                    coalescesMisses: isTails(),
                    now: { HTTPDate(secondsSince1970: server.now) }, on: scheduler))
        case .acceptStatus: return .acceptStatus()
        case .decompress: return noting(.decompress(upTo: 10_000))
        case .defaultHeaders:
            return .defaultHeaders(["X-Client": secrets.plant(in: "default header")])
        case .idempotencyKey: return .idempotencyKey(random: random())
        default: return .exchangeLog(on: scheduler) { watch.see($0) }
        }
    }

    private func jar() -> CookieJar {
        let server = server
        let jar = CookieJar(now: { HTTPDate(secondsSince1970: server.now) })
        for host in [OrderServer.host, OrderServer.otherHost] {
            let cookie = server.secrets.plant(in: "cookie", for: host)
            jar.store("sid=\(cookie); Path=/", from: URL(string: "https://\(host)/")!)
        }
        return jar
    }
}

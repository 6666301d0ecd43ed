import Foundation
import HTTPTestSupport
import PledgeAdmission
import PledgeComposition
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
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
                sharing: Hedge(
                    after: delay, attempts: attempts, maxExtraLoad: Double(number(0...2)) / 2,
                    on: scheduler))
        case .coalesce: return coalesce
        case .bulkhead:
            return .bulkhead(
                sharing: Bulkhead(
                    limit: number(1...2), queue: number(0...2),
                    queueTimeout: isTails() ? milliseconds(0...500) : nil, leaseTime: nil,
                    on: scheduler))
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
            Retry(attempts: attempts, backoff: .fullJitter(base: base), unproven: unproven),
            budget: budget, on: scheduler, random: random())
    }

    private mutating func circuitBreaker<Input, Output>() -> Middleware<Input, Output> {
        let breaker = CircuitBreaker(
            failuresInARow: number(1...3), lasting: .zero, minimumRequests: number(1...5),
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
                kind, coalesce: .coalesceSafeRequests(), substitute: HTTPResponse(status: 200))
        }
        limits.append(nil)
        let (secrets, watch) = (server.secrets, watch)
        let origin = HTTPOrigins.origins(of: OrderServer.tokenURL)
        switch kind {
        case .redirect: return noting(.redirect(Redirects(limit: number(1...5))))
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
                    now: { Date(secondsSince1970: server.now) }, on: scheduler))
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
        let jar = CookieJar(now: { Date(secondsSince1970: server.now) })
        for host in [OrderServer.host, OrderServer.otherHost] {
            let cookie = server.secrets.plant(in: "cookie", for: host)
            jar.store("sid=\(cookie); Path=/", from: URL(string: "https://\(host)/")!)
        }
        return jar
    }
}

extension OrderSite {
    /// A refresher that detects refreshes that are too frequent.
    mutating func refresher() -> TokenRefresher {
        let (server, scheduler, random) = (server, scheduler, random())
        func token() -> AccessToken {
            AccessToken(
                server.secrets.plant(in: "access token", for: OrderServer.host),
                lifetime: .seconds(number(1...20)),
                refreshToken: server.secrets.plant(in: "refresh token", for: OrderServer.host))
        }
        let first = token()
        let (leeway, grace) = (Duration.seconds(number(0...2)), Duration.seconds(number(0...2)))
        let isDead = Locked(false)
        /// The time until which the last token is valid, so that a 401 does not refute it.
        let kept = Locked(Duration.zero)
        return TokenRefresher(first, leeway: leeway, grace: grace, on: scheduler) { token in
            if isDead.withLock({ $0 }) {
                server.note(OrderFault(.deadTokensAreNotSent, "it was asked for once more"))
            }
            if scheduler.now.offset < kept.withLock({ $0 }) {
                server.note(OrderFault(.youngTokensAreKept, "a young token was renewed"))
            }
            if random.happens(withProbability: 0.1) {
                isDead.withLock { $0 = true }
                return Future(error: TokenRefresher.InvalidGrant())
            }
            return Self.renew(token, server).onSuccess { token in
                let life = token.lifetime ?? .zero
                let end = min(grace, life - min(leeway, life / 2))
                kept.withLock { $0 = scheduler.now.offset + end }
            }
        }
    }

    private static func renew(_ token: AccessToken, _ server: OrderServer) -> Future<AccessToken> {
        let form: Endpoint.Query = ["refresh_token": token.refreshToken]
        let request = HTTPRequest(.post, OrderServer.tokenURL, body: .form(form))
        return server.send(request).map { response in
            guard response.status == 200 else {
                throw HTTPError(code: .unacceptableStatus, request: request, response: response)
            }
            return try JSONDecoder().decode(AccessToken.self, from: response.body)
        }
    }
}

/// How a script calls the random server.
enum OrderForm: Sendable {
    /// With requests.
    case requests
    /// With a function that makes a request from a number.
    case function
    /// With a function of a number that first sends a query and then the request, or the reverse.
    case twice(isFirst: Bool)
    /// With a function that makes an endpoint from a number, and decodes the result or not.
    case network(isDecoded: Bool)

    /// Makes a random form.
    ///
    /// A server that does not record what it sends is known only by its errors, each of which names one
    /// request. So it gets no form that sends twice.
    static func draw(_ site: inout OrderSite, isTransport: Bool) -> OrderForm {
        switch site.number(0...5) {
        case 0...2: .requests
        case 3: .network(isDecoded: site.isTails())
        case 4 where isTransport: .twice(isFirst: site.isTails())
        default: .function
        }
    }

    /// Makes the service of layers, outermost first.
    func service(
        _ layers: [OrderedLayer], _ drawn: [OrderRequest], _ site: inout OrderSite,
        observers: [ServiceObserver]
    ) -> @Sendable (Int) -> Future<HTTPResponse?> {
        let observer = ServiceObserver(combining: observers)
        let server = site.server
        if case .requests = self {
            let inner = Self.stacked(layers.map { site.middleware($0) }, &site, over: server.send)
            let all =
                observers.isEmpty
                ? inner : stack(.observed(by: observer, on: site.scheduler), over: inner)
            return { call in
                do { return all(try drawn[call].request).map { $0 } } catch {
                    return Future(error: error)
                }
            }
        }
        let general = layers.prefix { $0.isGeneral }.count
        let outer = layers.prefix(site.number(0...general))
        if case .function = self, !server.isTransport { site.unproven = .never }
        let policies = outer.map { kind in
            site.policy(kind, coalesce: .coalesce(), substitute: Data()) as Middleware<Int, Data>
        }
        site.unproven = .allowed
        let http = Self.stacked(
            layers.dropFirst(outer.count).map { site.middleware($0) }, &site, over: server.send)
        // Beneath a function that sends twice, a limit applies to each request.
        if case .twice = self {
            for index in outer.count..<layers.count { site.limits[index] = nil }
        }
        let inner = Self.stacked(policies, &site, over: function(drawn, http))
        let all =
            observers.isEmpty
            ? inner : stack(.observed(by: observer, on: site.scheduler), over: inner)
        return { call in all(call).map { _ in nil } }
    }

    /// Puts layers around a service, some of them as a nested stack.
    private static func stacked<Input: Sendable, Output: Sendable>(
        _ layers: [Middleware<Input, Output>], _ site: inout OrderSite,
        over service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        let inner = Array(layers.suffix(site.number(0...layers.count)))
        let outer = Middleware(stacking: Array(layers.dropLast(inner.count)))
        guard site.isTails() else {
            return outer.around(Middleware(stacking: inner))(service)
        }
        return stack(outer, over: stack(Middleware(stacking: inner), over: service))
    }

    private func function(
        _ drawn: [OrderRequest], _ http: @escaping HTTPService
    ) -> Service<Int, Data> {
        let send: Service<Int, HTTPResponse> = { call in
            do { return http(try drawn[call].request) } catch { return Future(error: error) }
        }
        let ask = HTTPRequest(URL(string: "https://\(OrderServer.host)/first")!)
        switch self {
        case .requests, .function: return { send($0).map(\.body) }
        case .twice(isFirst: true):
            return { call in send(call).flatMap { _ in http(ask) }.map(\.body) }
        case .twice(isFirst: false):
            return { call in http(ask).flatMap { _ in send(call) }.map(\.body) }
        case .network(let isDecoded):
            let network = makeNetworking(over: http)
            return { call in
                do {
                    let data = network(try drawn[call].endpoint)
                    return isDecoded ? data.decoded(as: [Int].self).map { _ in Data() } : data
                } catch { return Future(error: error) }
            }
        }
    }
}

/// The kinds of middleware in random stacks.
enum OrderedLayer: String, CaseIterable, Sendable {
    case observed, deadline, timeout, retry, hedge, coalesce, bulkhead, rateLimit, circuitBreaker
    case fallback
    case redirect, authorizeKey, authorizeToken, cookies, cache, acceptStatus, decompress
    case defaultHeaders, idempotencyKey, exchangeLog

    /// Whether it goes around functions of any input.
    var isGeneral: Bool {
        switch self {
        case .observed, .deadline, .timeout, .retry, .hedge, .coalesce, .bulkhead, .rateLimit,
            .circuitBreaker, .fallback:
            true
        default: false
        }
    }

    /// Whether it adds no time to a call.
    var takesNoTime: Bool {
        switch self {
        case .observed, .fallback, .authorizeKey, .cookies, .acceptStatus, .decompress,
            .defaultHeaders, .idempotencyKey, .exchangeLog, .circuitBreaker:
            true
        default: false
        }
    }

    /// Whether it adds credentials to requests.
    var addsCredentials: Bool {
        switch self {
        case .authorizeKey, .authorizeToken, .cookies: true
        default: false
        }
    }

    /// The layers of a stack, outermost first: 1 to 8, and at least four in half of the stacks.
    ///
    /// Two kinds that hide the layers beneath them are rarer than the others. In half of the stacks the
    /// policies for any input are outermost, so that they can go around functions of a number.
    static func draw(_ dice: inout SeededGenerator) -> [OrderedLayer] {
        let count = Int.random(in: Bool.random(using: &dice) ? 1...3 : 4...8, using: &dice)
        let layers = (0..<count).map { _ in
            let kind = allCases.randomElement(using: &dice) ?? .observed
            let isRare = kind == .fallback || kind == .idempotencyKey
            guard isRare, Int.random(in: 0..<3, using: &dice) > 0 else { return kind }
            return allCases.randomElement(using: &dice) ?? .observed
        }
        guard Bool.random(using: &dice) else { return layers }
        return layers.filter(\.isGeneral) + layers.filter { !$0.isGeneral }
    }
}

/// A layer and one beneath it, at any distance.
struct LayerPair: Hashable, Sendable, CustomStringConvertible {
    let outer: OrderedLayer
    let inner: OrderedLayer

    var description: String { "\(outer) > \(inner)" }

    /// All pairs of a stack.
    static func all(of layers: [OrderedLayer]) -> Set<LayerPair> {
        var pairs: Set<LayerPair> = []
        for (index, outer) in layers.enumerated() {
            for inner in layers[(index + 1)...] {
                pairs.insert(LayerPair(outer: outer, inner: inner))
            }
        }
        return pairs
    }
}

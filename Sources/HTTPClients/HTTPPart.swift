public import PledgeAdmission
import PledgeFutures
public import PledgeHTTPAuthentication
import PledgeHTTPBodies
public import PledgeHTTPCaching
public import PledgeHTTPMessages
public import PledgeHTTPNetworking
public import PledgeHTTPTransportKit
public import PledgeServices

/// A part of an ``HTTPStack``, at one of its levels.
///
/// The parts are static members, so that completion lists those of a level.
public struct HTTPPart<Level>: Sendable {
    package typealias Whole = Middleware<HTTPRequest, HTTPResponse>
    package typealias Streamed = Middleware<HTTPRequest, HTTPStreamedResponse>

    typealias Made = (
        whole: PartContent<HTTPResponse>, streamed: PartContent<HTTPStreamedResponse>
    )

    /// Makes the part for a stack.
    let make: @Sendable (StackSettings) -> Made

    /// True for the part that makes the passes of the next level.
    private(set) var isInnermost = false

    /// The observers that see the objects of all parts.
    private(set) var observers: [ServiceObserver] = []

    /// The same part, below all others of its level.
    var innermost: Self {
        var part = self
        part.isInnermost = true
        return part
    }

    /// The same part, whose observers see the objects of all parts.
    func observing(by observers: [ServiceObserver]) -> Self {
        var part = self
        part.observers = observers
        return part
    }

    /// Your own middleware, at any level.
    ///
    /// - Parameter middleware: The middleware for whole and for streamed responses.
    public init(_ middleware: HTTPClient.CustomMiddleware) {
        self.init(middleware.send, middleware.stream)
    }

    package init(_ whole: Whole, _ streamed: Streamed) {
        make = { _ in (.part(whole), .part(streamed)) }
    }

    /// A part that is made by a stack's clock or source of randomness.
    package init(
        _ whole: @escaping @Sendable (StackSettings) -> Whole,
        _ streamed: @escaping @Sendable (StackSettings) -> Streamed
    ) {
        make = { (.part(whole($0)), .part(streamed($0))) }
    }

    /// A part with an object of a policy for each origin.
    init<Policy: AnyObject & Sendable>(
        _ name: StackPlace, _ policies: any OriginPolicy<Policy>,
        _ whole: @escaping @Sendable (Policy, StackSettings) -> Whole,
        _ streamed: @escaping @Sendable (Policy, StackSettings) -> Streamed
    ) {
        make = { settings in
            let kept = policies.kept(
                in: StatesByOrigin(),
                place: places(on: settings.scheduler, random: settings.random),
                watch: settings.watch)
            if let one = policies as? any RenewablePolicy { settings.watch(one) }
            return (
                .ofOrigin(name) { whole(kept.policy(of: $0), settings) },
                .ofOrigin(name) { streamed(kept.policy(of: $0), settings) }
            )
        }
    }
}

// MARK: - Once for each call

extension HTTPPart where Level == HTTPStack.Call {
    /// Lets observers see the call and the events of all parts; outermost.
    ///
    /// The metrics among them also show the objects of all parts, such as each origin's breaker.
    ///
    /// - Parameters:
    ///   - observers: The observers, such as that of a `ServiceMetrics`.
    ///   - name: Returns a call's name for observers, which must hold no secrets; with nil, it is like
    ///     "GET api.example.com".
    public static func observed(
        by observers: ServiceObserver..., named name: (@Sendable (HTTPRequest) -> String)? = nil
    ) -> Self {
        let (all, name) = (ServiceObserver(combining: observers), name ?? HTTPClient.methodAndHost)
        return Self(
            { .observed(by: all, on: $0.scheduler, named: name) },
            { .observed(by: all, on: $0.scheduler, named: name) }
        ).observing(by: observers)
    }

    /// Begins a trace for each call that isn't part of one; see the middleware `newTrace`.
    public static func newTrace(samplingShare share: Double = 1) -> Self {
        Self(
            { .newTrace(samplingShare: share, random: $0.random) },
            { .newTrace(samplingShare: share, random: $0.random) })
    }

    /// Limits the time of the whole call, or of a streamed call until its headers arrive; see
    /// ``HTTPClient/Settings/deadline``.
    public static func deadline(_ limit: Duration) -> Self { deadline { _ in limit } }

    static func deadline(of limit: @escaping @Sendable (HTTPRequest) -> Duration?) -> Self {
        Self(
            { .deadline(on: $0.scheduler, excludingUploads: \.body.isUpload, of: limit) },
            {
                .deadline(
                    on: $0.scheduler, untilStreamedBody: true, excludingUploads: \.body.isUpload,
                    of: limit)
            })
    }

    /// Gives a priority to calls that have none; see the middleware `priority`.
    public static func priority(_ priority: CallPriority) -> Self {
        Self(.priority(priority), .priority(priority))
    }

    /// Makes an error of a response whose status isn't accepted; see the middleware `acceptStatus`.
    public static func acceptStatus(_ statuses: ClosedRange<Int> = 200...299) -> Self {
        Self(
            { .acceptStatus(statuses, on: $0.scheduler) },
            { .acceptStatus(statuses, on: $0.scheduler) })
    }

    /// Adds a User-Agent to requests that have none.
    public static func userAgent(_ product: String) -> Self {
        Self(
            Middleware.userAgent(product).named(.userAgent),
            Middleware.userAgent(product).named(.userAgent))
    }

    /// Adds a key to requests that must not be carried out twice; see the middleware `idempotencyKey`.
    public static func idempotencyKey() -> Self {
        Self({ .idempotencyKey(random: $0.random) }, { .idempotencyKey(random: $0.random) })
    }

    /// Shares one request among equal requests that are in flight at once, for whole responses; see the middleware
    /// `coalesceSafeRequests`.
    public static func coalesceSafeRequests() -> Self {
        Self(.coalesceSafeRequests(), .passThrough)
    }

    /// Asks another service when a call fails, for whole responses; see the middleware `fallback`.
    public static func fallback(to other: @escaping HTTPService) -> Self {
        Self({ .fallback(to: other, classifier: $0.judge()) }, { _ in .passThrough })
    }

    /// Adds headers to the requests that the caller makes; redirects to other origins remove those that may be secret.
    public static func defaultHeaders(_ headers: HTTPHeaders) -> Self {
        Self(.defaultHeaders(headers), .defaultHeaders(headers))
    }

    /// Follows redirects; always the innermost part of the level, so there is at most one.
    ///
    /// - Parameter redirects: The rules.
    public static func redirect(_ redirects: Redirects = Redirects()) -> Self {
        Self(.redirect(redirects), .redirect(redirects)).innermost
    }
}

// MARK: - Once for each URL

extension HTTPPart where Level == HTTPStack.Hop {
    /// Adds headers to requests to some origins.
    public static func headers(_ headers: HTTPHeaders, for origins: HTTPOrigins) -> Self {
        func part<Output: HTTPResponseHead>() -> Middleware<HTTPRequest, Output> {
            Middleware.defaultHeaders(headers).only { origins.contains($0) }
                .named(.headersOfOrigin)
        }
        return Self(part(), part())
    }

    /// Adds credentials to requests to some origins; see the middleware `authorize`.
    public static func authorize(
        _ credentials: HTTPCredentials, for origins: HTTPOrigins, as account: String? = nil
    ) -> Self {
        Self(
            .authorize(credentials, for: origins, as: account),
            .authorize(credentials, for: origins, as: account))
    }

    /// Keeps the servers' cookies and sends them back.
    public static func cookies(_ jar: CookieJar) -> Self {
        Self(.cookies(sharing: jar), .cookies(sharing: jar))
    }

    /// Answers from a cache, for whole responses.
    public static func cache(_ cache: HTTPCache) -> Self {
        Self(.cache(sharing: cache), .passThrough)
    }

    /// Limits the calls in flight.
    public static func bulkhead(_ bulkheads: any OriginPolicy<Bulkhead> = .perOrigin(Bulkhead()))
        -> Self
    {
        Self(
            .bulkhead, bulkheads, { b, _ in .bulkhead(sharing: b) },
            { b, _ in .bulkhead(sharing: b) })
    }

    /// Repeats failed requests that may be repeated; always the innermost part of the level, so there is at most one.
    ///
    /// - Parameters:
    ///   - retry: The settings.
    ///   - budgets: The budgets of the retries.
    public static func retry(
        _ retry: Retry = Retry(),
        budget budgets: any OriginPolicy<RetryBudget> = .perOrigin(RetryBudget())
    ) -> Self {
        @Sendable func part<Output: HTTPResponseHead>(
            _ budget: RetryBudget, _ settings: StackSettings
        ) -> Middleware<HTTPRequest, Output> {
            Middleware.retry(
                retry, budget: budget, classifier: settings.judge(), on: settings.scheduler,
                random: settings.random
            ).only { !$0.context.skipsRetry }
        }
        return Self(.retry, budgets, part, part).innermost
    }
}

// MARK: - Once for each attempt

extension HTTPPart where Level == HTTPStack.Attempt {
    /// Sends a second request beside a slow one.
    public static func hedge(_ hedges: any OriginPolicy<Hedge> = .perOrigin(Hedge())) -> Self {
        @Sendable func part<Output: HTTPResponseHead>(
            _ hedge: Hedge, _ settings: StackSettings
        ) -> Middleware<HTTPRequest, Output> {
            Middleware.hedge(sharing: hedge, classifier: settings.judge())
                .only { !$0.context.skipsHedge }
        }
        return Self(.hedge, hedges, part, part)
    }

    /// Refuses requests to an origin that fails.
    public static func circuitBreaker(
        _ breakers: any OriginPolicy<CircuitBreaker> = .perOrigin(CircuitBreaker())
    ) -> Self {
        @Sendable func part<Output: HTTPResponseHead>(
            _ breaker: CircuitBreaker, _ settings: StackSettings
        ) -> Middleware<HTTPRequest, Output> {
            Middleware.circuitBreaker(sharing: breaker, classifier: settings.judge())
                .only { !$0.context.skipsCircuitBreaker }
        }
        return Self(.circuitBreaker, breakers, part, part)
    }

    /// Makes all requests wait while the server asks for a pause.
    public static func pushback(_ pushbacks: any OriginPolicy<Pushback> = .perOrigin(Pushback()))
        -> Self
    {
        Self(
            .pushback, pushbacks, { .pushback(sharing: $0, classifier: $1.judge()) },
            { .pushback(sharing: $0, classifier: $1.judge()) })
    }

    /// Limits the requests in a period.
    public static func rateLimit(_ limiters: any OriginPolicy<RateLimiter>) -> Self {
        Self(
            .rateLimit, limiters, { l, _ in .rateLimit(sharing: l) },
            { l, _ in .rateLimit(sharing: l) })
    }

    /// Sends the attempt's number, starting from 1, in a header.
    public static func attemptHeader(_ header: String) -> Self {
        func part<Output: HTTPResponseHead>() -> Middleware<HTTPRequest, Output> {
            .changing(named: StackPlace.attemptHeader.rawValue) { request in
                var request = request
                request.headers.set("\(CallContext.current.attempt)", for: header)
                return request
            }
        }
        return Self(part(), part())
    }

    /// Sends the call's trace to some origins; see the middleware `tracePropagation`.
    public static func tracePropagation(to origins: HTTPOrigins = .all) -> Self {
        Self(
            { .tracePropagation(to: origins, random: $0.random) },
            { .tracePropagation(to: origins, random: $0.random) })
    }

    /// Calls a function for each exchange; see the middleware `exchangeLog`.
    public static func exchangeLog(
        _ write: @escaping @Sendable (HTTPExchange) -> Void
    ) -> Self {
        Self({ .exchangeLog(on: $0.scheduler, write) }, { .exchangeLog(on: $0.scheduler, write) })
    }

    /// Limits the time of one request; see ``HTTPClient/Settings/attemptTimeout``.
    public static func timeout(_ limit: Duration) -> Self { timeout { _ in limit } }

    static func timeout(of limit: @escaping @Sendable (HTTPRequest) -> Duration?) -> Self {
        Self({ .timeout(on: $0.scheduler, of: limit) }, { .timeout(on: $0.scheduler, of: limit) })
    }
}

// MARK: - Once for each request

extension HTTPPart where Level == HTTPStack.Exchange {
    /// Decodes compressed bodies; innermost.
    ///
    /// - Parameter limit: The largest decoded body, in bytes.
    public static func decompress(upTo limit: Int = 64 << 20) -> Self {
        Self(.decompress(upTo: limit), .decompress(upTo: limit))
    }
}

import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices

/// The places of a client's parts, outermost first.
///
/// This is the only list of their order: the client's stack, the guide's table and the picture are built from it.
/// ``StackProblem/consequences`` tells what goes wrong in another order.
enum StackPlace: String, CaseIterable {
    case observed, newTrace, aroundCall, deadline, acceptStatus, userAgent, idempotencyKey
    case defaultHeaders
    case redirect, headersOfOrigin, authorize, cookies, cache, bulkhead
    case retry, aroundAttempt, hedge
    case circuitBreaker, pushback, rateLimit, attemptHeader, tracePropagation, exchangeLog, timeout
    case aroundExchange, decompress
}

/// Assembles the client's parts in the order of ``StackPlace``.
extension HTTPClient {
    func wholeStack(sharing shared: SharedStates) -> Middleware<HTTPRequest, HTTPResponse> {
        stack(
            sharing: shared, own: \.send,
            limit: .deadline(
                on: scheduler, excludingUploads: \.body.isUpload, of: timeOfCall),
            cache: cache.map { .cache(sharing: $0) },
            decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    func streamingStack(
        sharing shared: SharedStates
    ) -> Middleware<HTTPRequest, HTTPStreamedResponse> {
        stack(
            sharing: shared, own: \.stream,
            limit: .deadline(
                on: scheduler, untilStreamedBody: true, excludingUploads: \.body.isUpload,
                of: timeOfCall),
            cache: nil, decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    private func stack<Output: HTTPResponseHead>(
        sharing shared: SharedStates,
        own: KeyPath<CustomMiddleware, Middleware<HTTPRequest, Output>>,
        limit: Middleware<HTTPRequest, Output>, cache: Middleware<HTTPRequest, Output>?,
        decompression: Middleware<HTTPRequest, Output>?
    ) -> Middleware<HTTPRequest, Output> {
        let judge: Classifier<Output> = outcomes()
        func part(_ place: StackPlace) -> Middleware<HTTPRequest, Output>? {
            switch place {
            case .observed: observation()
            case .newTrace: tracing.flatMap(newTrace)
            case .aroundCall: aroundCall?[keyPath: own]
            case .deadline: limit
            case .acceptStatus: acceptedStatuses.map { .acceptStatus($0, on: scheduler) }
            case .userAgent: userAgent.map { .userAgent($0).named(place) }
            case .idempotencyKey: sendsIdempotencyKeys ? .idempotencyKey(random: random) : nil
            case .redirect: redirects.map(following)
            case .defaultHeaders: base == nil ? defaultHeaders() : nil
            case .headersOfOrigin: base == nil ? nil : defaultHeaders()
            case .authorize:
                authorization.map { .authorize($0, for: credentialOrigins, as: account) }
            case .cookies: cookies.map { .cookies(sharing: $0) }
            case .cache: cache
            case .aroundAttempt: aroundAttempt?[keyPath: own]
            case .bulkhead, .retry, .hedge, .circuitBreaker, .pushback, .rateLimit: nil
            case .attemptHeader: retry?.attemptHeader.map(numbering)
            case .tracePropagation:
                tracing.map { .tracePropagation(to: $0.origins, random: random) }
            case .exchangeLog: log.map(logging)
            case .timeout: .timeout(on: scheduler, of: timeOfAttempt)
            case .aroundExchange: aroundExchange?[keyPath: own]
            case .decompress: decompression
            }
        }
        // Adjacent parts that keep a state for each origin become one part, so that a call looks up its origin only
        // once for all of them.
        var parts: [Middleware<HTTPRequest, Output>] = []
        var ofOrigin: [StackPlace] = []
        for place in StackPlace.allCases {
            if hasOriginStates(place) {
                ofOrigin.append(place)
            } else if let part = part(place) {
                if !ofOrigin.isEmpty { parts.append(forOrigins(ofOrigin, shared, judge)) }
                ofOrigin = []
                parts.append(part)
            }
        }
        if !ofOrigin.isEmpty { parts.append(forOrigins(ofOrigin, shared, judge)) }
        return Middleware(stacking: parts)
    }

    /// Returns whether the part at a place is in use and has a state for each origin.
    private func hasOriginStates(_ place: StackPlace) -> Bool {
        switch place {
        case .bulkhead: bulkhead != nil
        case .retry: retry != nil
        case .hedge: hedge != nil
        case .circuitBreaker: circuitBreaker != nil
        case .pushback: retry?.holdsBackOrigin ?? false
        case .rateLimit: rateLimit != nil
        default: false
        }
    }

    /// Builds one part for several adjacent places, with the states of the called origin.
    private func forOrigins<Output>(
        _ places: [StackPlace], _ shared: SharedStates, _ judge: Classifier<Output>
    ) -> Middleware<HTTPRequest, Output> {
        let (retry, hedge, scheduler, random) = (
            self.retry, self.hedge, self.scheduler, self.random
        )
        typealias Part = Middleware<HTTPRequest, Output>
        @Sendable func part(
            _ place: StackPlace, of origin: HTTPOrigin?
        ) -> Middleware<HTTPRequest, Output>? {
            switch place {
            case .bulkhead:
                return shared.bulkhead(of: origin).map { Part.bulkhead(sharing: $0) }
                    ?? shared.shedder(of: origin).map { Part.loadShedding(sharing: $0) }
            case .retry:
                return retry.map {
                    Part.retry(
                        attempts: $0.attempts, backoff: $0.backoff,
                        sharing: shared.budget(of: origin), maxServerDelay: $0.maxServerDelay,
                        unproven: .never, classifier: judge, on: scheduler, random: random)
                }?.only { !$0.context.skipsRetry }
            case .hedge:
                return hedge.map {
                    Part.hedge(
                        sharing: shared.hedging(of: origin, by: $0), attempts: $0.attempts,
                        classifier: judge)
                }?.only { !$0.context.skipsHedge }
            case .circuitBreaker:
                return shared.breaker(of: origin).map {
                    Part.circuitBreaker(sharing: $0, classifier: judge)
                }?
                .only { !$0.context.skipsCircuitBreaker }
            case .pushback:
                return retry.map {
                    Part.pushback(
                        sharing: shared.pushback(of: origin, within: $0.maxServerDelay),
                        classifier: judge)
                }
            case .rateLimit: return shared.limiter(of: origin).map { Part.rateLimit(sharing: $0) }
            default: return nil
            }
        }
        return Middleware(parts: places.map(\.rawValue)) { next in
            OriginServices<Output>(
                { origin in Middleware(stacking: places.compactMap { part($0, of: origin) }) },
                around: next
            ).call
        }
    }
}

extension HTTPClient {
    /// The base's origin; nil without a base.
    private var home: HTTPOrigins? { base.map { .origins(of: $0) } }

    /// The origins that get credentials.
    private var credentialOrigins: HTTPOrigins {
        authorizedOrigins ?? home ?? .origins { _ in false }
    }

    private func observation<Output>() -> Middleware<HTTPRequest, Output>? {
        var all = observers
        if let log, log.showsEvents { all.append(.logging(log.write)) }
        if all.isEmpty { return nil }
        return .observed(by: ServiceObserver(combining: all), on: scheduler, named: callName)
    }

    /// Begins a call's trace, above every part that repeats requests, so that the call has only one trace.
    private func newTrace<Output>(_ tracing: Tracing) -> Middleware<HTTPRequest, Output>? {
        guard tracing.beginsTraces else { return nil }
        return .newTrace(samplingShare: tracing.samplingShare, random: random)
    }

    private func defaultHeaders<Output>() -> Middleware<HTTPRequest, Output>? {
        if headers.isEmpty { return nil }
        let adding = Middleware<HTTPRequest, Output>.defaultHeaders(headers)
        guard let home else { return adding }
        return adding.only { home.contains($0) }.named(.headersOfOrigin)
    }

    private func following<Output: HTTPResponseHead>(
        _ redirects: Redirects
    ) -> Middleware<HTTPRequest, Output> {
        .redirect(
            limit: redirects.limit,
            strippingAcrossOrigins: redirects.stripped, keepingAcrossOrigins: redirects.kept,
            allowingDowngrade: redirects.allowsDowngrade,
            refusingPrivateAddresses: redirects.refusesPrivateAddresses,
            sendingBodiesAcrossOrigins: redirects.sendsBodiesAcrossOrigins)
    }

    /// Adds the attempt's number to each request.
    private func numbering<Output: HTTPResponseHead>(
        by header: String
    ) -> Middleware<HTTPRequest, Output> {
        Middleware { next in
            { request in
                var request = request
                request.headers.set("\(CallContext.current.attempt)", for: header)
                return next(request).naming(request)
            }
        }.named(.attemptHeader)
    }

    /// The classifier of all policies: the client's own, or the standard rules if it's missing or returns nil.
    private func outcomes<Output: HTTPResponseHead>() -> Classifier<Output> {
        guard let classifier else { return .standard }
        let standard = Classifier<Output>.standard
        return Classifier { result in classifier(result.map { $0 }) ?? standard(result) }
    }

    /// The time limit of a request: the request's own, or else the limit in the client's slot.
    private func time(
        _ own: @escaping @Sendable (HTTPRequest) -> Duration?, or slot: Duration?, _ name: String
    ) -> @Sendable (HTTPRequest) -> Duration? {
        let time = slot ?? .zero
        precondition(time >= .zero, "\(name) needs a duration of zero or more, not \(time)")
        return { request in own(request).map { max($0, .zero) } ?? slot }
    }

    private var timeOfCall: @Sendable (HTTPRequest) -> Duration? {
        time({ $0.context.deadline }, or: deadline, "deadline")
    }

    private var timeOfAttempt: @Sendable (HTTPRequest) -> Duration? {
        time({ $0.context.attemptTimeout }, or: attemptTimeout, "timeout")
    }

    private func logging<Output: HTTPResponseHead>(
        _ log: Log
    ) -> Middleware<HTTPRequest, Output> {
        .exchangeLog(on: scheduler) { exchange in
            log.write(log.showsHeaders ? exchange.logLineWithHeaders : exchange.logLine)
        }
    }

    /// The default name of a call, like "GET api.example.com".
    static let methodAndHost: @Sendable (HTTPRequest) -> String = { request in
        request.origin.map { "\(request.method) \($0.host)" } ?? "\(request.method)"
    }
}

extension Middleware {
    /// Returns the same middleware with the name of a client's place.
    fileprivate func named(_ place: StackPlace) -> Middleware {
        Middleware(named: place.rawValue, wrap)
    }
}

import Futures
import HTTPAuthentication
import HTTPBodies
import HTTPCaching
import HTTPNetworking
import Services

/// The order of a client's parts, from outside. Docs/Guides/TheWholeStack.md gives the reason for each place.
extension HTTPClient {
    /// - Parameter statuses: The accepted statuses if ``acceptedStatuses`` is nil.
    func wholeStack(
        sharing shared: SharedStates, accepting statuses: ClosedRange<Int>? = nil
    ) -> Middleware<HTTPRequest, HTTPResponse> {
        stack(
            sharing: shared, accepting: acceptedStatuses ?? statuses, own: \.send,
            limit: .deadline(
                on: scheduler, excludingUploads: \.body.isReadWhileSent, of: timeOfCall),
            cache: cache.map { .cache(sharing: $0) },
            decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    func streamingStack(
        sharing shared: SharedStates
    ) -> Middleware<HTTPRequest, HTTPStreamedResponse> {
        // A deadline of its own would end the body as well; the caller's does.
        stack(
            sharing: shared, accepting: acceptedStatuses, own: \.stream,
            limit: .deadline(on: scheduler) { _ in nil }
                .around(.timeout(excluding: [.upload], on: scheduler, of: timeOfCall)),
            cache: nil, decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    private func stack<Output: HTTPResponseHead>(
        sharing shared: SharedStates, accepting statuses: ClosedRange<Int>?,
        own: KeyPath<OwnMiddleware, Middleware<HTTPRequest, Output>>,
        limit: Middleware<HTTPRequest, Output>, cache: Middleware<HTTPRequest, Output>?,
        decompression: Middleware<HTTPRequest, Output>?
    ) -> Middleware<HTTPRequest, Output> {
        let judge: Classifier<Output> = outcomes()
        let parts: [Middleware<HTTPRequest, Output>?] = [
            observation(),
            tracing.flatMap(newTrace),
            aroundCall?[keyPath: own],
            limit,
            statuses.map { .acceptStatus($0, on: scheduler) },
            userAgent.map { .userAgent($0) },
            sendsIdempotencyKeys ? .idempotencyKey(random: random) : nil,
            base == nil ? defaultHeaders() : nil,
            redirects.map(following),
            base == nil ? nil : defaultHeaders(),
            authorization.map { .authorize($0, for: credentialOrigins, as: account) },
            cookies.map { .cookies(sharing: $0) },
            cache,
            forOrigins(of: bulkhead) { shared.bulkhead(of: $0).map { .bulkhead(sharing: $0) } },
            retry.map { repeating($0, shared, judge) },
            aroundAttempt?[keyPath: own],
            hedge.map { hedging($0, shared, judge) },
            forOrigins(of: circuitBreaker) { [judge] in
                shared.breaker(of: $0).map { .circuitBreaker(sharing: $0, classifier: judge) }
            }?.only { !$0.context.skipsCircuitBreaker },
            retry.flatMap { holdingBack($0, shared, judge) },
            forOrigins(of: rateLimit) { shared.limiter(of: $0).map { .rateLimit(sharing: $0) } },
            retry?.attemptHeader.map(numbering),
            tracing.map { .tracePropagation(to: $0.origins, random: random) },
            log.map(logging),
            .timeout(on: scheduler, of: timeOfAttempt),
            aroundExchange?[keyPath: own],
            decompression,
        ]
        return Middleware(stacking: parts.compactMap { $0 })
    }
}

extension HTTPClient {
    /// The base's origin; nil without a base.
    private var home: HTTPOrigins? { base.map { .origins(of: $0) } }

    /// The origins that credentials are sent to.
    private var credentialOrigins: HTTPOrigins {
        authorizedOrigins ?? home ?? .origins { _ in false }
    }

    private func observation<Output>() -> Middleware<HTTPRequest, Output>? {
        var all = observers
        if let metrics { all.append(metrics.observer) }
        if let log, log.showsEvents { all.append(.logging(log.write)) }
        if all.isEmpty { return nil }
        return .observed(by: ServiceObserver(combining: all), on: scheduler, named: callName)
    }

    /// Above every part that sends again, so that a call has one trace.
    private func newTrace<Output>(_ tracing: Tracing) -> Middleware<HTTPRequest, Output>? {
        guard tracing.beginsTraces else { return nil }
        return .newTrace(samplingShare: tracing.samplingShare, random: random)
    }

    /// With a base it stands beneath the redirects, so that each request gets the headers by its own origin.
    ///
    /// It then has another name than the middleware for all origins, which stands above the redirects.
    private func defaultHeaders<Output>() -> Middleware<HTTPRequest, Output>? {
        if headers.isEmpty { return nil }
        let adding = Middleware<HTTPRequest, Output>.defaultHeaders(headers)
        guard let home else { return adding }
        return Middleware(named: "headersOfOrigin") { next in
            let added = adding(next)
            return { request in home.contains(request) ? added(request) : next(request) }
        }
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

    private func repeating<Output>(
        _ retry: Retry, _ shared: SharedStates, _ judge: Classifier<Output>
    ) -> Middleware<HTTPRequest, Output> {
        .retry(
            attempts: retry.attempts, backoff: retry.backoff, maxServerDelay: retry.maxServerDelay,
            unproven: .never, classifier: judge, on: scheduler, random: random,
            budget: { shared.budget(of: $0.origin) ?? .unlimited }
        ).only { !$0.context.skipsRetry }
    }

    private func hedging<Output>(
        _ hedge: Hedge, _ shared: SharedStates, _ judge: Classifier<Output>
    ) -> Middleware<HTTPRequest, Output> {
        let middleware = Middleware<HTTPRequest, Output>.each(by: \.origin) { origin in
            .hedge(
                sharing: shared.hedging(of: origin, by: hedge), attempts: hedge.attempts,
                classifier: judge)
        }
        return middleware.only { !$0.context.skipsHedge }
    }

    /// A Retry-After holds back the other calls to the origin, if the retry says so.
    private func holdingBack<Output>(
        _ retry: Retry, _ shared: SharedStates, _ judge: Classifier<Output>
    ) -> Middleware<HTTPRequest, Output>? {
        guard retry.holdsBackOrigin else { return nil }
        return .each(by: \.origin) { origin in
            .pushback(
                sharing: shared.pushback(of: origin, within: retry.maxServerDelay),
                classifier: judge)
        }
    }

    /// Adds the number of the attempt to each request.
    private func numbering<Output: HTTPResponseHead>(
        by header: String
    ) -> Middleware<HTTPRequest, Output> {
        Middleware(named: "attemptHeader") { next in
            { request in
                var request = request
                request.headers.set("\(CallContext.current.attempt)", for: header)
                return next(request).naming(request)
            }
        }
    }

    /// What the ends of exchanges mean for the policies: the client's answer, or else the standard rules'.
    private func outcomes<Output: HTTPResponseHead>() -> Classifier<Output> {
        guard let classifier else { return .standard }
        let standard = Classifier<Output>.standard
        return .assessing { result in classifier(result.map { $0 }) ?? standard.assess(result) }
    }

    private var timeOfCall: @Sendable (HTTPRequest) -> Duration? {
        { [deadline] request in request.context.deadline.map { max($0, .zero) } ?? deadline }
    }

    private var timeOfAttempt: @Sendable (HTTPRequest) -> Duration? {
        { [attemptTimeout] request in
            request.context.attemptTimeout.map { max($0, .zero) } ?? attemptTimeout
        }
    }

    private func logging<Output: HTTPResponseHead>(
        _ log: Log
    ) -> Middleware<HTTPRequest, Output> {
        .exchangeLog(on: scheduler) { exchange in
            log.write(log.showsHeaders ? exchange.logLineWithHeaders : exchange.logLine)
        }
    }

    /// Puts a policy with a state around calls: one state for each origin, or one for all.
    private func forOrigins<State, Output>(
        of slot: OriginState<State>?,
        _ middleware: @escaping @Sendable (HTTPOrigin?) -> Middleware<HTTPRequest, Output>?
    ) -> Middleware<HTTPRequest, Output>? {
        guard let slot else { return nil }
        if slot.shared != nil { return middleware(nil) }
        return .each(by: \.origin, limit: slot.limit) { middleware($0) ?? .passThrough }
    }

    /// The default name of a call: like "GET api.example.com".
    static let methodAndHost: @Sendable (HTTPRequest) -> String = { request in
        request.origin.map { "\(request.method) \($0.host)" } ?? "\(request.method)"
    }
}

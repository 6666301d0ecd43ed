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
            deadline: deadline, timeout: nil,
            cache: cache.map { .cache(sharing: $0) },
            decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    func streamingStack(
        sharing shared: SharedStates
    ) -> Middleware<HTTPRequest, HTTPStreamedResponse> {
        // A deadline of its own would end the body as well; the caller's does.
        stack(
            sharing: shared, accepting: acceptedStatuses, own: \.stream,
            deadline: nil, timeout: deadline,
            cache: nil, decompression: decompressionLimit.map { .decompress(upTo: $0) })
    }

    private func stack<Output: HTTPResponseHead>(
        sharing shared: SharedStates, accepting statuses: ClosedRange<Int>?,
        own: KeyPath<OwnMiddleware, Middleware<HTTPRequest, Output>>,
        deadline: Duration?, timeout: Duration?, cache: Middleware<HTTPRequest, Output>?,
        decompression: Middleware<HTTPRequest, Output>?
    ) -> Middleware<HTTPRequest, Output> {
        let parts: [Middleware<HTTPRequest, Output>?] = [
            observation(),
            tracing.flatMap(newTrace),
            aroundCall?[keyPath: own],
            .deadline(deadline, on: scheduler, excludingUploads: \.body.isReadWhileSent),
            timeout.map { .timeout($0, excluding: [.upload], on: scheduler) },
            statuses.map { .acceptStatus($0, on: scheduler) },
            userAgent.map { .userAgent($0) },
            sendsIdempotencyKeys ? .idempotencyKey(random: random) : nil,
            base == nil ? defaultHeaders() : nil,
            redirects.map(following),
            base == nil ? nil : defaultHeaders(),
            authorization.map { .authorize($0, for: credentialOrigins, as: account) },
            cookies.map { .cookies(sharing: $0) },
            cache,
            bulkhead.map { limiting($0, shared, shared.bulkheads) { .bulkhead(sharing: $0) } },
            retry.map { repeating($0, shared) },
            aroundAttempt?[keyPath: own],
            hedge.map { hedging($0, shared) },
            circuitBreaker.map {
                limiting($0, shared, shared.breakers) { .circuitBreaker(sharing: $0) }
            },
            rateLimit.map { limiting($0, shared, shared.limiters) { .rateLimit(sharing: $0) } },
            tracing.map { .tracePropagation(to: $0.origins, random: random) },
            log.map(logging),
            attemptTimeout.map { .timeout($0, on: scheduler) },
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
        _ retry: Retry, _ shared: SharedStates
    ) -> Middleware<HTTPRequest, Output> {
        .retry(
            attempts: retry.attempts, backoff: retry.backoff, maxServerDelay: retry.maxServerDelay,
            unproven: .never, on: scheduler, random: random,
            budget: { shared.budget(of: $0.origin, by: retry) })
    }

    private func hedging<Output>(
        _ hedge: Hedge, _ shared: SharedStates
    ) -> Middleware<HTTPRequest, Output> {
        .each(by: \.origin) { [retry] origin in
            .hedge(
                sharing: shared.hedging(of: origin, by: hedge, retry), attempts: hedge.attempts)
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
    private func limiting<State, Output>(
        _ slot: OriginState<State>, _ shared: SharedStates,
        _ states: StatesByOrigin<State>,
        _ middleware: @escaping @Sendable (State) -> Middleware<HTTPRequest, Output>
    ) -> Middleware<HTTPRequest, Output> {
        let state: @Sendable (HTTPOrigin?) -> State = { origin in
            states.state(of: origin) { shared.make(slot, of: origin) }
        }
        guard let limit = slot.limit else { return middleware(state(nil)) }
        return .each(by: \.origin, limit: limit) { middleware(state($0)) }
    }

    /// The default name of a call: like "GET api.example.com".
    static let methodAndHost: @Sendable (HTTPRequest) -> String = { request in
        request.origin.map { "\(request.method) \($0.host)" } ?? "\(request.method)"
    }
}

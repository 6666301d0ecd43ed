import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices

/// The places of a client's parts, outermost first.
///
/// The client's table has a row for each; the guide's table and the picture are built from them.
/// ``StackProblem/consequences`` tells what goes wrong in another order.
enum StackPlace: String, CaseIterable {
    case observed, newTrace, aroundCall, deadline, acceptStatus, userAgent, idempotencyKey
    case defaultHeaders
    case redirect, headersOfOrigin, authorize, cookies, cache, bulkhead
    case retry, aroundAttempt, hedge
    case circuitBreaker, pushback, rateLimit, attemptHeader, tracePropagation, exchangeLog, timeout
    case aroundExchange, decompress
}

/// A row of the table of a client's parts: a place, and the part that is there.
private struct StackRow<Output: Sendable>: Sendable {
    typealias Part = Middleware<HTTPRequest, Output>

    private enum Content: Sendable {
        case part(Part)
        /// Makes an origin's part.
        case ofOrigin(@Sendable (HTTPOrigin?) -> Part)
    }

    let place: StackPlace
    /// Nil if the slot is empty.
    private let content: Content?

    init(_ place: StackPlace, _ part: Part?) {
        self.place = place
        content = part.map { .part($0) }
    }

    /// A part for each of the objects that a slot has for the origins.
    init<Policy>(
        _ place: StackPlace, _ policies: PolicyLookup<Policy>?,
        _ part: @escaping @Sendable (Policy) -> Part
    ) {
        self.place = place
        content = policies.map { policy in .ofOrigin { part(policy($0)) } }
    }

    /// One middleware of all rows.
    ///
    /// Adjacent parts of an origin become one part, so that a call looks up its origin only once for all of them.
    static func assembled(_ rows: [StackRow]) -> Part {
        var (parts, ofOrigin): ([Part], [StackRow]) = ([], [])
        for row in rows {
            switch row.content {
            case nil: continue
            case .ofOrigin: ofOrigin.append(row)
            case .part(let part):
                parts += forOrigins(ofOrigin) + [part]
                ofOrigin = []
            }
        }
        return Middleware(stacking: parts + forOrigins(ofOrigin))
    }

    private static func forOrigins(_ rows: [StackRow]) -> [Part] {
        if rows.isEmpty { return [] }
        let part = Part(parts: rows.map(\.place.rawValue)) { next in
            OriginServices<Output>(
                { origin in Middleware(stacking: rows.compactMap { $0.part(of: origin) }) },
                around: next
            ).call
        }
        return [part]
    }

    private func part(of origin: HTTPOrigin?) -> Part? {
        switch content {
        case nil: nil
        case .part(let part): part
        case .ofOrigin(let part): part(origin)
        }
    }
}

/// The parts that differ between whole and streamed responses.
private struct OutputParts<Output: HTTPResponseHead> {
    let own: KeyPath<HTTPClient.CustomMiddleware, Middleware<HTTPRequest, Output>>
    let deadline: Middleware<HTTPRequest, Output>
    let cache: Middleware<HTTPRequest, Output>?
    let decompress: Middleware<HTTPRequest, Output>?
}

/// Assembles the client's parts from one table.
extension HTTPClient {
    func wholeStack(sharing shared: SharedStates) -> Middleware<HTTPRequest, HTTPResponse> {
        let parts = OutputParts<HTTPResponse>(
            own: \.send,
            deadline: .deadline(
                on: slots.scheduler, excludingUploads: \.body.isUpload, of: timeOfCall),
            cache: slots.cache.map { .cache(sharing: $0) },
            decompress: slots.decompressionLimit.map { .decompress(upTo: $0) })
        return StackRow.assembled(table(shared, parts))
    }

    func streamingStack(
        sharing shared: SharedStates
    ) -> Middleware<HTTPRequest, HTTPStreamedResponse> {
        let parts = OutputParts<HTTPStreamedResponse>(
            own: \.stream,
            deadline: .deadline(
                on: slots.scheduler, untilStreamedBody: true, excludingUploads: \.body.isUpload,
                of: timeOfCall),
            cache: nil, decompress: slots.decompressionLimit.map { .decompress(upTo: $0) })
        return StackRow.assembled(table(shared, parts))
    }

    /// The table: each place, outermost first, with its part.
    private func table<Output: HTTPResponseHead>(
        _ shared: SharedStates, _ parts: OutputParts<Output>
    ) -> [StackRow<Output>] {
        typealias Part = Middleware<HTTPRequest, Output>
        let judge: Classifier<Output> = outcomes()
        let (slots, scheduler, random) = (slots, slots.scheduler, slots.random)
        let (base, tracing) = (slots.base, slots.tracing)
        return [
            .init(.observed, observation()),
            .init(.newTrace, tracing.flatMap(newTrace)),
            .init(.aroundCall, slots.aroundCall?[keyPath: parts.own]),
            .init(.deadline, parts.deadline),
            .init(.acceptStatus, slots.acceptedStatuses.map { .acceptStatus($0, on: scheduler) }),
            .init(.userAgent, slots.userAgent.map { Part.userAgent($0).named(.userAgent) }),
            .init(
                .idempotencyKey, slots.sendsIdempotencyKeys ? .idempotencyKey(random: random) : nil),
            .init(.defaultHeaders, base == nil ? defaultHeaders() : nil),
            .init(.redirect, slots.redirects.map { .redirect($0) }),
            .init(.headersOfOrigin, base == nil ? nil : defaultHeaders()),
            .init(
                .authorize,
                slots.authorization.map {
                    .authorize($0, for: credentialOrigins, as: slots.account)
                }),
            .init(.cookies, slots.cookies.map { .cookies(sharing: $0) }),
            .init(.cache, parts.cache),
            .init(.bulkhead, shared.shedders) { .loadShedding(sharing: $0) },
            .init(.bulkhead, shared.bulkheads) { .bulkhead(sharing: $0) },
            .init(.retry, shared.budgets) { [retry = slots.retry ?? Retry()] budget in
                Part.retry(retry, budget: budget, classifier: judge, on: scheduler, random: random)
                    .only { !$0.context.skipsRetry }
            },
            .init(.aroundAttempt, slots.aroundAttempt?[keyPath: parts.own]),
            .init(.hedge, shared.hedges) {
                Part.hedge(sharing: $0, classifier: judge).only { !$0.context.skipsHedge }
            },
            .init(.circuitBreaker, shared.breakers) {
                Part.circuitBreaker(sharing: $0, classifier: judge)
                    .only { !$0.context.skipsCircuitBreaker }
            },
            .init(.pushback, shared.pushbacks) { .pushback(sharing: $0, classifier: judge) },
            .init(.rateLimit, shared.limiters) { .rateLimit(sharing: $0) },
            .init(.attemptHeader, slots.attemptHeader.map(numbering)),
            .init(
                .tracePropagation,
                tracing.map { .tracePropagation(to: $0.origins, random: random) }),
            .init(.exchangeLog, slots.log.map(logging)),
            .init(.timeout, .timeout(on: scheduler, of: timeOfAttempt)),
            .init(.aroundExchange, slots.aroundExchange?[keyPath: parts.own]),
            .init(.decompress, parts.decompress),
        ]
    }
}

extension HTTPClient {
    /// The base's origin; nil without a base.
    private var home: HTTPOrigins? { slots.base.map { .origins(of: $0) } }

    /// The origins that get credentials.
    private var credentialOrigins: HTTPOrigins {
        slots.authorizedOrigins ?? home ?? .origins { _ in false }
    }

    private func observation<Output>() -> Middleware<HTTPRequest, Output>? {
        var all = slots.observers
        if let log = slots.log, log.showsEvents { all.append(.logging(log.write)) }
        if all.isEmpty { return nil }
        return .observed(
            by: ServiceObserver(combining: all), on: slots.scheduler, named: slots.callName)
    }

    /// Begins a call's trace, above every part that repeats requests, so that the call has only one trace.
    private func newTrace<Output>(_ tracing: Tracing) -> Middleware<HTTPRequest, Output>? {
        guard tracing.beginsTraces else { return nil }
        return .newTrace(samplingShare: tracing.samplingShare, random: slots.random)
    }

    private func defaultHeaders<Output>() -> Middleware<HTTPRequest, Output>? {
        if slots.headers.isEmpty { return nil }
        let adding = Middleware<HTTPRequest, Output>.defaultHeaders(slots.headers)
        guard let home else { return adding }
        return adding.only { home.contains($0) }.named(.headersOfOrigin)
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
        guard let classifier = slots.classifier else { return .standard }
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
        time({ $0.context.deadline }, or: slots.deadline, "deadline")
    }

    private var timeOfAttempt: @Sendable (HTTPRequest) -> Duration? {
        time({ $0.context.attemptTimeout }, or: slots.attemptTimeout, "timeout")
    }

    private func logging<Output: HTTPResponseHead>(
        _ log: Log
    ) -> Middleware<HTTPRequest, Output> {
        .exchangeLog(on: slots.scheduler) { exchange in
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
        Middleware(named: place.rawValue) { self($0) }
    }
}

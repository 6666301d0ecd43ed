import PledgeAdmission
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
import PledgeServices

extension HTTPClient {
    /// Puts what is in the client's slots into a stack: the client's table, whose rows are below.
    func stack(sharing shared: SharedStates) -> HTTPStack {
        HTTPStack(
            call: .init(callParts.compactMap(\.self)),
            hop: .init(hopParts(shared).compactMap(\.self)),
            attempt: .init(attemptParts(shared).compactMap(\.self)),
            exchange: .init(exchangeParts.compactMap(\.self)), classifier: slots.classifier,
            on: slots.scheduler, random: slots.random)
    }

    private var callParts: [HTTPPart<HTTPStack.Call>?] {
        [
            observation,
            slots.tracing.flatMap {
                $0.beginsTraces ? .newTrace(samplingShare: $0.samplingShare) : nil
            },
            slots.aroundCall.map { HTTPPart($0) },
            .deadline(of: time({ $0.context.deadline }, or: slots.deadline, "deadline")),
            slots.acceptedStatuses.map { .acceptStatus($0) },
            slots.userAgent.map { .userAgent($0) },
            slots.sendsIdempotencyKeys ? .idempotencyKey() : nil,
            home == nil && !slots.headers.isEmpty ? .defaultHeaders(slots.headers) : nil,
            slots.redirects.map { .redirect($0) },
        ]
    }

    private func hopParts(_ shared: SharedStates) -> [HTTPPart<HTTPStack.Hop>?] {
        [
            home.flatMap { slots.headers.isEmpty ? nil : .headers(slots.headers, for: $0) },
            (slots.authorization ?? slots.credentialsOfBase).map {
                .authorize($0, for: credentialOrigins, as: slots.account)
            },
            slots.cookies.map { .cookies($0) },
            slots.cache.map { .cache($0) },
            slots.admission.flatMap { slot in
                shared.shedders.map { HTTPPart(slot, $0) }
            },
            shared.bulkheads.map { .bulkhead($0) },
            slots.retry.flatMap { retry in
                shared.budgets.map { .retry(retry, budget: $0) }
            },
        ]
    }

    private func attemptParts(_ shared: SharedStates) -> [HTTPPart<HTTPStack.Attempt>?] {
        [
            slots.aroundAttempt.map { HTTPPart($0) },
            shared.hedges.map { .hedge($0) },
            shared.breakers.map { .circuitBreaker($0) },
            shared.pushbacks.map { .pushback($0) },
            shared.limiters.map { .rateLimit($0) },
            slots.attemptHeader.map { .attemptHeader($0) },
            slots.tracing.map { .tracePropagation(to: $0.origins) },
            slots.log.map { log in
                .exchangeLog { log.write(log.showsHeaders ? $0.logLineWithHeaders : $0.logLine) }
            },
            .timeout(of: time({ $0.context.attemptTimeout }, or: slots.attemptTimeout, "timeout")),
        ]
    }

    private var exchangeParts: [HTTPPart<HTTPStack.Exchange>?] {
        [
            slots.aroundExchange.map { HTTPPart($0) },
            slots.decompressionLimit.map { .decompress(upTo: $0) },
        ]
    }

    /// The base's origin; nil without a base.
    private var home: HTTPOrigins? { slots.base.map { .origins(of: $0) } }

    /// The origins that get credentials.
    private var credentialOrigins: HTTPOrigins {
        slots.authorizedOrigins ?? home ?? .origins { _ in false }
    }

    private var observation: HTTPPart<HTTPStack.Call>? {
        var all = slots.observers
        if let log = slots.log, log.showsEvents { all.append(.logging(log.write)) }
        if all.isEmpty { return nil }
        return .observed(by: ServiceObserver(combining: all), named: slots.callName)
    }

    /// The time limit of a request: the request's own, or else the limit in the client's slot.
    private func time(
        _ own: @escaping @Sendable (HTTPRequest) -> Duration?, or slot: Duration?, _ name: String
    ) -> @Sendable (HTTPRequest) -> Duration? {
        let time = slot ?? .zero
        precondition(time >= .zero, "\(name) needs a duration of zero or more, not \(time)")
        return { request in own(request).map { max($0, .zero) } ?? slot }
    }

    /// The default name of a call, like "GET api.example.com".
    static let methodAndHost: @Sendable (HTTPRequest) -> String = { request in
        request.origin.map { "\(request.method) \($0.host)" } ?? "\(request.method)"
    }
}

extension HTTPClient.Settings {
    /// The base without a user and a password; the transports don't send those.
    var bareBase: URL? {
        guard let base, let text = base.partsOfUserInfo else { return base }
        return URL(string: text.bare)
    }

    /// The user and the password of the base as Basic authorization; nil if it has none.
    var credentialsOfBase: HTTPCredentials? {
        guard let info = base?.partsOfUserInfo?.info else { return nil }
        let parts = info.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { PercentEncoding.decode($0) ?? String($0) }
        return .basic(user: parts[0], password: parts.count > 1 ? parts[1] : "")
    }
}

extension URL {
    /// The userinfo, and the URL without it; nil if there is none, or if the URL isn't absolute.
    fileprivate var partsOfUserInfo: (info: Substring, bare: String)? {
        guard let url = AbsoluteURL(self) else { return nil }
        let authority = url.schemeAndAuthority
        guard let at = authority.lastIndex(of: "@"), let slash = authority.lastIndex(of: "/"),
            slash < at
        else { return nil }
        let start = authority.index(after: slash)
        let place = url.path + (url.query.map { "?" + $0 } ?? "")
        return (
            authority[start..<at],
            "\(authority[..<start])\(authority[authority.index(after: at)...])\(place)"
        )
    }
}

extension Middleware {
    /// Returns the same middleware with the name of a client's place.
    func named(_ place: StackPlace) -> Middleware {
        Middleware(named: place.rawValue, wrap)
    }
}

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

/// The rules of redirects: the allowed targets, and the kept headers.
struct RedirectRules: Sendable {
    /// How many are followed.
    var limit = 20
    /// The names of headers that are sent only to the first origin, harmless or not.
    var secrets: [String] = []
    /// The names of headers that are kept for other origins, harmless or not.
    var kept: [String] = []
    /// Whether https may lead to http.
    var allowsDowngrade = false
    /// Whether a redirect from elsewhere to a private network is not followed.
    var refusesPrivate = false
    /// Whether a body may be sent to another origin than its own.
    var sendsBodies = true

    /// Whether a header, its name in lower case, is kept for another origin.
    ///
    /// A list of secrets would be incomplete, so this is a list of harmless names.
    func mayLeave(_ name: String, _ meant: [String]) -> Bool {
        if kept.contains(where: { $0.lowercased() == name }) { return true }
        if secrets.contains(where: { $0.lowercased() == name }) { return false }
        return HTTPHeaders.isHarmless(name) && !Self.ofOneRequest.contains(name)
            || meant.contains(name) && !Self.ofOneOrigin.contains(name)
    }

    /// Harmless headers of one request only: its host, its place in a trace, its time and its priority.
    private static let ofOneRequest = [
        "host", "traceparent", "tracestate", "baggage", "grpc-timeout", "request-criticality",
        "request-timeout", "x-envoy-expected-rq-timeout-ms",
    ]

    /// Headers for one origin only, whichever middleware has added them.
    private static let ofOneOrigin = ["authorization", "cookie", "proxy-authorization"]
}

/// Decides whether an answer is a redirect to follow.
///
/// Asking. Next: asking again, after a redirect; or finished, or failed.
struct RedirectMachine {
    enum Decision: Equatable {
        /// The answer is returned, with the reason if it is a redirect that is not followed.
        case finish(because: String?)
        /// ``request`` is sent next.
        case follow
        /// The redirects form a loop, or there are too many.
        case fail
    }

    /// The current request.
    private(set) var request: HTTPRequest
    private let rules: RedirectRules
    private var followed = 0
    /// The requests since an answer last set a cookie.
    ///
    /// With a further cookie, the same request may have another answer.
    private var asked: Set<HTTPRequest> = []

    init(_ request: HTTPRequest, _ rules: RedirectRules) {
        self.request = request
        self.rules = rules
    }

    /// Makes ``request`` for the users of the one before it, as that was sent.
    mutating func bind(_ signIns: SignIns?) { request.context.signIns.bind(signIns) }

    /// Takes the head of the answer to ``request``.
    mutating func receive(_ status: Int, _ headers: HTTPHeaders) -> Decision {
        guard Self.mayFollow(status) else { return .finish(because: nil) }
        // The same field twice is harmless; with two different ones, none is chosen.
        let locations = Set(headers.received("Location"))
        guard let location = locations.first, locations.count == 1 else {
            return .finish(because: "there is not one Location")
        }
        guard let bytes = location.bytes,
            let url = URLReference(bytes).resolved(against: request.url),
            let target = HTTPOrigin(url)
        else { return .finish(because: "its Location is no http or https URL") }
        let origin = HTTPOrigin(request.url)
        if origin?.scheme == "https", target.scheme == "http", !rules.allowsDowngrade {
            return .finish(because: "it leads from https to http")
        }
        let refusesPrivate = rules.refusesPrivate && origin?.isPrivate != true
        if refusesPrivate, target.isPrivate {
            return .finish(because: HTTPError.privateNetwork)
        }
        var next = request.redirected(with: status)
        guard next.body.isReplayable else {
            return .finish(because: "the body can be sent only once")
        }
        if origin != target, !next.body.isEmpty {
            guard rules.sendsBodies else {
                return .finish(because: "it leads with the body to another origin")
            }
            guard !next.hasCredentialsInBody else {
                return .finish(because: "it leads with credentials in the body to another origin")
            }
        }
        next.url = url
        next.context.refusesPrivateAddresses = refusesPrivate
        if let origin { next.context.redirectingOrigins.insert(origin) }
        if origin != target { next.removeSecrets(rules, leavingFor: target) }
        return go(to: next, settingCookies: headers["Set-Cookie"] != nil)
    }

    private mutating func go(to next: HTTPRequest, settingCookies: Bool) -> Decision {
        if settingCookies {
            asked.removeAll()
        } else {
            asked.insert(request.withoutFragment)
        }
        guard followed < rules.limit, !asked.contains(next.withoutFragment) else { return .fail }
        followed += 1
        request = next
        return .follow
    }

    /// Whether an answer with this status may be followed.
    static func mayFollow(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Follows redirects (RFC 9110, section 15.4).
    ///
    /// ```swift
    /// let api = stack(.redirect(), .authorize(.bearer(token), for: origins), .retry(), over: send)
    /// ```
    ///
    /// | Status | Method and body |
    /// |---|---|
    /// | 301, 302 | POST becomes GET without a body; other methods do not change |
    /// | 303 | GET and HEAD do not change; other methods become GET without a body |
    /// | 307, 308 | do not change |
    /// | 300, 304, 305, 306 | not followed |
    ///
    /// If a request becomes a GET, it loses its idempotency key, its preconditions, and the headers that describe a
    /// body, such as Transfer-Encoding and every header whose name begins with "Content-".
    ///
    /// **Location** is resolved against the requested URL (RFC 3986, section 5.2). Existing escapes do not change;
    /// characters that a URL does not allow, such as text beyond ASCII, are escaped byte by byte. A Unicode host
    /// becomes its IDNA form if the platform supports IDNA: Foundation does, FoundationEssentials alone does not.
    /// Userinfo in the Location is removed. A Location without a fragment inherits the fragment of the requested URL.
    ///
    /// **Secrets.** A redirect to another `HTTPOrigin` keeps three kinds of headers: those known to hold no secret,
    /// those that you name in ``Redirects/kept``, and those, except Authorization, that an `.authorize` above
    /// `.redirect` has added, if the new origin is one of its origins too. Headers known to hold no secret are Accept
    /// and Content- headers, User-Agent, Range, the preconditions, Cache-Control, Pragma, X-Request-ID and
    /// Idempotency-Key. All other headers are removed, such as Authorization, Cookie and X-API-Key. (curl, Go and
    /// WHATWG's Fetch remove only the headers on a list of secrets, and X-API-Key isn't on it.) Removed headers stay
    /// removed even if a later redirect leads back to the first origin, because another origin has chosen that
    /// request's URL. For the same reason, an `.authorize` below `.redirect` adds no credentials to that request; but a
    /// cookie jar adds its cookies, as a browser does. No Referer is added.
    ///
    /// **A body** is sent to another origin after 307 and 308, and after 301 and 302 unless the method is POST, as in
    /// curl, Requests, Node's fetch and browsers. A body with credentials is not sent. Two kinds of body count as such:
    /// the body of a request with `HTTPRequest.Context.skipsAuthorization`, as for a login or a token's renewal; and a
    /// form or JSON with a name like "password", "refresh_token" or "client_secret" within its first 64 KiB.
    ///
    /// **Place.** Put it above `.authorize`, `.cookies`, `.cache` and `.retry`. Each request in a chain of redirects
    /// then has the cookies and credentials of its own origin, and its own stored response and attempts. A chain
    /// belongs to one sign-in: after a sign-out or another sign-in, the chain's next request fails in `.authorize` or
    /// `.cookies`, with `HTTPError.Code.sessionEnded`.
    ///
    /// **Errors.** If an `.acceptStatus()` below `.redirect` has turned a redirect into an error, the redirect is still
    /// followed.
    ///
    /// **A redirect that cannot be followed is returned** unchanged, including its body. This happens to a redirect
    ///
    /// - without a Location, with several different ones, or with one that is not an http or https URL with a host;
    /// - from https to http, unless allowed;
    /// - from a public host into a private network, if ``Redirects/refusesPrivateAddresses`` is set;
    /// - that would send a body to another origin, if the body has credentials or ``Redirects/sendsBodiesAcrossOrigins`` is
    ///   false;
    /// - that would repeat a body that can be sent only once.
    ///
    /// Each request is sent in the caller's context: the first on the caller's thread, the others on the thread where
    /// the previous response arrived. The streamed body of a redirect is discarded before the next request is sent. If
    /// the transport sets no URL in the response, the response gets the URL that was requested last. Cancelling cancels
    /// the running call. Stack depth is constant, whatever the number of redirects.
    ///
    /// - Parameter redirects: The rules. A negative limit is a programming error and traps.
    /// - Returns: A middleware. It rejects with an `HTTPError` with the code `HTTPError.Code.tooManyRedirects` if
    ///   there are more redirects than the limit, or if the next request equals an earlier one and no cookie has been
    ///   set since. The error keeps the last request and its response, with up to 64 KiB of a streamed body.
    public static func redirect(_ redirects: Redirects = Redirects()) -> Middleware {
        precondition(
            redirects.limit >= 0, "redirect needs a limit of zero or more, not \(redirects.limit)")
        return Middleware(named: "redirect") { service in
            let next = Self.addingRequests(to: service)
            return { request in
                let future = service(request)
                // If the response has already arrived and is no redirect, no closure and no future are allocated.
                if future.hasSucceeded({ $0.url != nil && !RedirectMachine.mayFollow($0.status) }) {
                    return future
                }
                return follow(
                    future, RedirectMachine(request, redirects),
                    CallerContext(keeping: .current, until: future), next)
            }
        }
    }
}

/// Waits for the response to the machine's request, and follows the response if it is a redirect.
private func follow<Output: HTTPResponseHead>(
    _ future: Future<Output>, _ machine: RedirectMachine, _ caller: CallerContext,
    _ service: @escaping Service<HTTPRequest, Output>
) -> Future<Output> {
    let context = caller.context
    return future.flatMapAtEnd { result in
        guard let result, let head = result.answerHead else { return nil }
        let asked = machine.request
        var machine = machine
        let step = machine.receive(head.status, head.headers)
        report(step, of: head.status, to: machine.request, in: context)
        let url = machine.request.url
        switch step {
        case .finish:
            guard head.url == nil else { return nil }
            return result.located(at: url).map(Future.init(result:))
        case .fail:
            return (result.located(at: url) ?? result).answer?
                .failure(.tooManyRedirects, of: machine.request)
        case .follow:
            if let answer = result.answer {
                machine.bind(to: answer.request ?? asked)
                answer.discardBody()
            }
            noteProcessed(asked, head.status, in: context)
            let next = caller.run { service(machine.request) }
            return follow(next, machine, caller, service)
        }
    }
}

/// Notes in the attempt's record that the server has processed a request and answered with a redirect.
///
/// Usually the transport has noted this too. Without such a note, the error of the next request, such as a failed
/// connection, would count as this request's error. A retry would then repeat this request, although the server has
/// processed it.
private func noteProcessed(_ request: HTTPRequest, _ status: Int, in context: CallContext) {
    guard let record = context.record, !request.isReplayable,
        CallRecord.Fate(status: status) == .mayHaveArrived
    else { return }
    // If the record is closed, it throws here. The error is ignored, because the record will refuse the next request.
    _ = try? record.willSend(replayable: false)
}

/// Reports only the status and the origin, because the rest of a URL may hold secrets.
private func report(
    _ step: RedirectMachine.Decision, of status: Int, to request: HTTPRequest,
    in context: CallContext
) {
    let note: String
    switch step {
    case .finish(because: nil): return
    case .finish(because: let reason?): note = "\(status) not followed: \(reason)"
    case .fail: note = "\(status) not followed: \(HTTPError.Code.tooManyRedirects)"
    case .follow:
        note = "\(status) to \(HTTPOrigin(request.url)?.description ?? "another place")"
    }
    context.report(.note(note), by: "redirect")
}

/// The rules for following redirects, for the middleware `redirect` and for a client.
///
/// ```swift
/// client.redirects = Redirects(limit: 5, keeping: ["X-Locale"])
/// let api = stack(.redirect(Redirects(limit: 5, keeping: ["X-Locale"])), over: send)
/// ```
public struct Redirects: Hashable, Sendable {
    /// The largest number of redirects to follow; with zero, a redirect is an error.
    ///
    /// Less than zero is a programming error and traps when the rules are used.
    public var limit: Int

    /// Harmless headers to remove anyway when a redirect leads to another origin, such as "User-Agent".
    public var stripped: [String]

    /// Headers to keep for every origin, such as "X-Locale".
    public var kept: [String]

    /// Allows redirects from https to http.
    public var allowsDowngrade: Bool

    /// Refuses a redirect to a private host (`HTTPOrigin.isPrivate`), unless the previous host is private too.
    ///
    /// Set it in a server that fetches URLs from strangers, so that the strangers cannot lead the server into its own
    /// network. The transport over libcurl also checks the address that a name resolves to, unless a proxy makes the
    /// connection. If that address is private, the transport connects, but sends nothing, and the call fails with
    /// `HTTPError.Code.redirectRefused`. Other transports do not check the address: they follow a redirect to a name
    /// with a private address.
    public var refusesPrivateAddresses: Bool

    /// Allows redirects to send the body to another origin.
    ///
    /// A body with credentials never leaves its origin.
    public var sendsBodiesAcrossOrigins: Bool

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - limit: The largest number of redirects to follow; 20, as in WHATWG's Fetch standard.
    ///   - stripped: Harmless headers to remove anyway when a redirect leads to another origin.
    ///   - kept: Headers to keep for every origin.
    ///   - allowsDowngrade: Allows redirects from https to http.
    ///   - refusesPrivateAddresses: Refuses a redirect from a public host to a private, loopback or link-local address.
    ///   - sendsBodiesAcrossOrigins: Allows redirects to send the body to another origin.
    public init(
        limit: Int = 20, stripping stripped: [String] = [], keeping kept: [String] = [],
        allowsDowngrade: Bool = false, refusesPrivateAddresses: Bool = false,
        sendsBodiesAcrossOrigins: Bool = true
    ) {
        self.limit = limit
        self.stripped = stripped
        self.kept = kept
        self.allowsDowngrade = allowsDowngrade
        self.refusesPrivateAddresses = refusesPrivateAddresses
        self.sendsBodiesAcrossOrigins = sendsBodiesAcrossOrigins
    }
}

extension Redirects {
    /// Returns whether another origin gets a header; `name` is the header's name in lower case.
    ///
    /// It looks the name up in a list of harmless headers, because a list of secret headers would be incomplete.
    func mayLeave(_ name: String, _ meant: [String]) -> Bool {
        if kept.contains(where: { $0.lowercased() == name }) { return true }
        if stripped.contains(where: { $0.lowercased() == name }) { return false }
        return HTTPHeaders.isHarmless(name) && !Self.ofOneRequest.contains(name)
            || meant.contains(name) && !Self.ofOneOrigin.contains(name)
    }

    /// Harmless headers that belong to one request: its host, its trace, its remaining time, its priority, and its place
    /// in a server's stream of events.
    private static let ofOneRequest = [
        "host", "traceparent", "tracestate", "baggage", "grpc-timeout", "request-criticality",
        "request-timeout", "x-envoy-expected-rq-timeout-ms", "last-event-id",
    ]

    /// Headers for one origin only, whichever middleware added them.
    private static let ofOneOrigin = ["authorization", "cookie", "proxy-authorization"]
}

/// The reason why the rules of redirects forbid a URL.
package struct RedirectRefusal: Error {
    /// The reason, as a sentence about the redirect without a full stop.
    package let reason: String

    fileprivate init(_ reason: String) { self.reason = reason }
}

/// Decides whether a response is a redirect to follow.
///
/// The machine has one state: it waits for the response to ``request``. With the response, it goes on to the next
/// request, finishes, or fails.
struct RedirectMachine {
    enum Decision: Equatable {
        /// Return the response. For a redirect that is not followed, `because` is the reason; otherwise it is nil.
        case finish(because: String?)
        /// Send ``request`` next.
        case follow
        /// Fail, because the redirects form a loop or there are too many.
        case fail
    }

    private(set) var request: HTTPRequest
    private let rules: Redirects
    private var followed = 0
    /// The requests sent since a response last set a cookie.
    ///
    /// With a new cookie, the same request may get another response.
    private var asked: Set<HTTPRequest> = []

    init(_ request: HTTPRequest, _ rules: Redirects) {
        self.request = request
        self.rules = rules
    }

    /// Makes ``request`` belong to the users that the previous request was sent for.
    mutating func bind(to sent: HTTPRequest) {
        request.context.signIns.bind(sent.context.signIns)
        if request.context.users != nil { request.context.users?.add(sent) }
    }

    /// Decides what to do with a response to ``request``.
    mutating func receive(_ status: Int, _ headers: HTTPHeaders) -> Decision {
        guard Self.mayFollow(status) else { return .finish(because: nil) }
        // Two equal Location fields are harmless, but if two fields differ, nothing says which of them is right.
        let locations = Set(headers.received("Location"))
        guard let location = locations.first, locations.count == 1 else {
            return .finish(because: "there is not one Location")
        }
        let url = location.bytes.flatMap { URLReference($0).resolved(against: request.url) }
        do {
            let next = try request.redirected(with: status).moved(to: url, by: rules)
            return go(to: next, settingCookies: headers["Set-Cookie"] != nil)
        } catch {
            return .finish(because: error.reason)
        }
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

    /// Returns whether a response with this status may be followed.
    static func mayFollow(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

extension HTTPRequest {
    /// Returns the request that follows a redirect, still with the old URL (RFC 9110, section 15.4).
    func redirected(with status: Int) -> HTTPRequest {
        let becomesGet =
            status == 303
            ? method != .head && method != .get
            : (status == 301 || status == 302) && method == .post
        guard becomesGet else { return self }
        var request = self
        request.method = .get
        request.body = .none
        request.context.idempotencyKey = nil
        for (name, _) in headers where Self.isOfBody(name) { request.headers.remove(name) }
        return request
    }

    /// Returns the request with another URL, which a server or a file names, if the rules of redirects allow it.
    ///
    /// Another origin gets no secret header.
    ///
    /// - Parameter target: The URL; nil if what was named is none.
    package func moved(to target: URL?, by rules: Redirects) throws(RedirectRefusal)
        -> HTTPRequest
    {
        guard let url = target, let target = HTTPOrigin(url) else {
            throw RedirectRefusal("its Location is no http or https URL")
        }
        let origin = HTTPOrigin(self.url)
        if origin?.scheme == "https", target.scheme == "http", !rules.allowsDowngrade {
            throw RedirectRefusal("it leads from https to http")
        }
        let refusesPrivate = rules.refusesPrivateAddresses && origin?.isPrivate != true
        if refusesPrivate, target.isPrivate { throw RedirectRefusal(HTTPError.privateNetwork) }
        guard body.isReplayable else { throw RedirectRefusal("the body can be sent only once") }
        if origin != target, !body.isEmpty {
            guard rules.sendsBodiesAcrossOrigins else {
                throw RedirectRefusal("it leads with the body to another origin")
            }
            guard !hasCredentialsInBody else {
                throw RedirectRefusal("it leads with credentials in the body to another origin")
            }
        }
        var next = self
        next.url = url
        next.context.refusesPrivateAddresses = refusesPrivate
        if let origin { next.context.redirectingOrigins.insert(origin) }
        if origin != target { next.removeSecrets(rules, leavingFor: target) }
        return next
    }

    /// Removes headers that may be secrets of the current origin, unless the other origin may get them too.
    mutating func removeSecrets(_ rules: Redirects, leavingFor other: HTTPOrigin) {
        let meant = context.credentials.filter { $0.isFor(other) }.map { $0.header.lowercased() }
        for (name, _) in headers where !rules.mayLeave(name.lowercased(), meant) {
            headers.remove(name)
        }
        context.credentials.removeAll { headers[$0.header] == nil }
    }

    /// The request without its URL's fragment, which is never sent.
    var withoutFragment: HTTPRequest {
        let text = url.absoluteString
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "#")),
            let url = URL(string: String(text[..<end]))
        else { return self }
        var request = self
        request.url = url
        return request
    }

    /// Returns whether a header describes a body, or is a precondition.
    private static func isOfBody(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-") || ofBody.contains(name)
    }

    private static let ofBody: Set<String> = [
        "transfer-encoding", "trailer", "expect", "digest", "repr-digest", "last-modified",
        "idempotency-key", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range",
    ]
}

extension HTTPRequest {
    /// True if the body holds a login, or the renewal of a token.
    ///
    /// Either the request's context says so, or a name in the first 64 KiB of a form or of JSON does.
    fileprivate var hasCredentialsInBody: Bool {
        if body.isEmpty { return false }
        if context.skipsAuthorization { return true }
        guard case .data(let data) = body.content else { return false }
        switch BodyText(data, contentType: effectiveHeaders["Content-Type"]) {
        case .json(let outline): return outline.names.contains(where: SensitiveNames.contain)
        case .form(let text, _):
            let items = text.split(separator: UInt8(ascii: "&"))
            return items.map { $0.prefix { $0 != UInt8(ascii: "=") } }
                .contains { SensitiveNames.contain($0) || $0.elementsEqual("grant_type".utf8) }
        case .plain, .opaque: return false
        }
    }
}

extension HTTPResponseHead {
    /// Rejects with an error that keeps this response, with a body of limited size.
    ///
    /// - Returns: A future that rejects at once if the body is whole. Otherwise it rejects when the body has ended, or
    ///   after a second. The error keeps no body that is larger than 64 KiB, takes longer than a second, or fails.
    fileprivate func failure<Output>(
        _ code: HTTPError.Code, of request: HTTPRequest, cause: (any Error)? = nil,
        on scheduler: some FutureScheduler = .live
    ) -> Future<Output> {
        kept(on: scheduler).mapWithoutOrigin { response in
            throw HTTPError(code: code, request: request, response: response, cause: cause)
        }
    }
}

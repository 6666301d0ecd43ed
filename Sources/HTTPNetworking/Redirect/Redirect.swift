import PledgeFutures
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
    /// | 301, 302 | POST becomes GET without a body; others do not change |
    /// | 303 | HEAD does not change; others become GET without a body |
    /// | 307, 308 | do not change |
    /// | 300, 304, 305, 306 | not followed |
    ///
    /// If a request becomes GET, the headers that describe a body are removed: those whose names begin
    /// with Content-, Transfer-Encoding and its like, preconditions, and the idempotency key.
    ///
    /// **Location** is resolved by RFC 3986, section 5.2, against the requested URL. Escapes do not change;
    /// characters that are not allowed in a URL, such as text beyond ASCII, are escaped byte by byte. A
    /// Unicode host becomes its IDNA form, where the platform has IDNA: Foundation has, FoundationEssentials
    /// alone has not. Userinfo in it is removed. Without a fragment, it inherits the fragment of the requested
    /// URL.
    ///
    /// **Secrets.** If a redirect leads to another ``HTTPOrigin``, these headers are kept: those that are
    /// known to contain no secret, those that you name in `keepingAcrossOrigins`, and those that an
    /// `.authorize` above has added for that origin too. Known are Accept and Content- headers, User-Agent,
    /// Range, the preconditions, Cache-Control, Pragma, X-Request-ID and Idempotency-Key. All others are removed:
    /// Authorization and Cookie, and X-API-Key as well. (curl, Go and WHATWG's Fetch remove a list of
    /// secrets, which misses that one.) They stay removed, even if a later redirect leads back: the origin in
    /// between must not choose a URL to request with them. For the same reason `.authorize` beneath adds no
    /// credentials there; a cookie jar sends its cookies, as in a browser. No Referer is added.
    ///
    /// **A body** is sent to another origin by 307 and 308, and by 301 and 302 unless the method is POST, as
    /// by curl, Requests, Node's fetch and browsers. A body with credentials is not: that of a request with
    /// `HTTPRequest.Context.skipsAuthorization`, which is a login or a renewal, and a form or JSON up to 64
    /// KiB that has a name like "password", "refresh_token" or "client_secret".
    ///
    /// **Place.** Above `.authorize`, `.cookies`, `.cache` and `.retry`: each request of a chain then has the
    /// cookies and the credentials of its own origin, and its own stored answer and attempts. A chain stays that of
    /// one sign-in: after a sign-out or another sign-in, `.authorize` and `.cookies` fail its next request with
    /// ``HTTPError/Code/sessionEnded``.
    ///
    /// **Errors.** A redirect within the error of an `.acceptStatus()` beneath is followed as well.
    ///
    /// **A redirect that cannot be followed is returned** unchanged, body included: a redirect without a
    /// Location, or with several, or with one that is not an http or https URL with a host; one from https to
    /// http, unless allowed; one from elsewhere into a private network, if that is refused; one that sends a
    /// body to another origin which must not leave its own; and one that repeats a body which can be sent only
    /// once.
    ///
    /// Each request is sent in the caller's context, the first on the caller's thread, the others on the
    /// thread on which the response arrived. A streamed body is discarded before the next request. If the
    /// transport sets no URL, the response has the last requested one. Cancelling cancels the call under way.
    /// Constant stack, whatever the number of redirects.
    ///
    /// - Parameters:
    ///   - limit: How many are followed; 20, as in WHATWG's Fetch standard. Zero: a redirect is an error.
    ///     Less is a programming error and traps.
    ///   - names: Further headers to remove if the origin changes, such as "User-Agent".
    ///   - kept: Headers that are kept for every origin, such as "X-Locale".
    ///   - allowingDowngrade: Whether https may lead to http.
    ///   - refusingPrivateAddresses: Whether to refuse a redirect whose host
    ///     ``HTTPOrigin/isPrivate``, if the host of the request before is not: a server that
    ///     fetches URLs from strangers must not be led into its own network. The transport over libcurl
    ///     also checks the address that a name has, unless a proxy connects to it: it makes the connection,
    ///     sends nothing, and fails with ``HTTPError/Code/redirectRefused``. Over other transports a name whose
    ///     address is private is followed.
    ///   - sendingBodies: Whether a body without credentials may be sent to another origin.
    /// - Returns: A middleware. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/tooManyRedirects`` that keeps the last request and its response, with up
    ///   to 64 KiB of a streamed body, if there are more than `limit`, or if the next request
    ///   equals one that was sent before, with no cookie set since.
    public static func redirect(
        limit: Int = 20, strippingAcrossOrigins names: [String] = [],
        keepingAcrossOrigins kept: [String] = [], allowingDowngrade: Bool = false,
        refusingPrivateAddresses: Bool = false,
        sendingBodiesAcrossOrigins sendingBodies: Bool = true
    ) -> Middleware {
        precondition(limit >= 0, "redirect needs a limit of zero or more, not \(limit)")
        let rules = RedirectRules(
            limit: limit, secrets: names, kept: kept, allowsDowngrade: allowingDowngrade,
            refusesPrivate: refusingPrivateAddresses, sendsBodies: sendingBodies)
        return Middleware(named: "redirect") { service in
            { request in
                let future = service(request)
                // An answer that is here already, and is no redirect, makes no closure and no future.
                if future.hasSucceeded({ $0.url != nil && !RedirectMachine.mayFollow($0.status) }) {
                    return future
                }
                return follow(
                    future, RedirectMachine(request, rules), KeptCaller(until: future), service)
            }
        }
    }
}

/// Waits for the answer to the machine's request, and follows it.
private func follow<Output: HTTPResponseHead>(
    _ future: Future<Output>, _ machine: RedirectMachine, _ caller: KeptCaller,
    _ service: @escaping Service<HTTPRequest, Output>
) -> Future<Output> {
    let context = caller.context
    return future.flatMapSomeResults { result in
        guard let head = result.answerHead else { return nil }
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
                asked.keepCookies(of: answer)
                machine.bind(answer.request?.context.signIns)
                answer.discardBody()
            }
            noteProcessed(asked, head.status, in: context)
            let next = caller.run { service(machine.request).naming(machine.request) }
            return follow(next, machine, caller, service)
        }
    }
}

/// Notes in the attempt's record that a request whose answer is a redirect was processed.
///
/// Usually the transport notes it as well. If it does not, a caller that repeats the call would attribute an
/// error of the next request to this one.
private func noteProcessed(_ request: HTTPRequest, _ status: Int, in context: CallContext) {
    guard let record = context.record, !request.isReplayable,
        CallRecord.Fate(status: status) == .mayHaveArrived
    else { return }
    // A closed record refuses the next request as well.
    _ = try? record.willSend(replayable: false)
}

/// Reports the status and the origin: the rest of a URL may contain secrets.
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

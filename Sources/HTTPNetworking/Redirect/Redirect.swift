import Futures
public import Services

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Follows redirects (RFC 9110, section 15.4).
    ///
    /// ```swift
    /// let api = stack(.redirect(), .authorize(.bearer(token), for: origins), .retry(), over: send)
    /// ```
    ///
    /// | Status | Method and body |
    /// |---|---|
    /// | 301, 302 | POST becomes GET without a body; any other stays as it is |
    /// | 303 | HEAD stays; any other becomes GET without a body |
    /// | 307, 308 | stay as they are |
    /// | 300, 304, 305, 306 | not followed |
    ///
    /// Where a request becomes GET, the headers that tell of a body go with it: those whose names begin
    /// with Content-, Transfer-Encoding and its like, preconditions, and the idempotency key.
    ///
    /// **Location** is resolved by RFC 3986, section 5.2, against the URL that was asked. Escapes stay as
    /// they are; what may not stand in a URL, text beyond ASCII among it, is escaped as UTF-8. Userinfo in
    /// it is dropped. A fragment is inherited where it has none.
    ///
    /// **Secrets.** Where a redirect leads to another ``HTTPOrigin``, these headers are kept: those
    /// that are known to hold no secret, those that you name in `keepingAcrossOrigins`, and what an
    /// `.authorize` above has added for that origin too. Known are Accept and Content- headers,
    /// User-Agent, Range, the preconditions, Cache-Control, X-Request-ID and Idempotency-Key. All
    /// others are removed: Authorization and Cookie, and X-API-Key as well. (curl, Go and WHATWG's
    /// Fetch remove a list of secrets, which misses that one.) They stay removed, even if a later
    /// redirect leads back: the origin in between must not choose what is asked with them. No
    /// Referer is added.
    ///
    /// **Place.** Above `.cookies`, `.authorize`, `.cache` and `.retry`: each request of a chain then has the
    /// cookies and the credentials of its own origin, and its own stored answer and attempts.
    ///
    /// **Errors.** A redirect within the error of an `.acceptStatus()` beneath is followed as well.
    ///
    /// **A redirect that cannot be followed is returned** as it came, body included: a redirect
    /// without a Location, or with several, or with one that is no http or https URL with a host;
    /// one from https to http, unless allowed; one from elsewhere into a private network, where
    /// that is refused; and one that repeats a body which can be sent only once.
    ///
    /// Each request goes out in the caller's context, the first on the caller's thread, the others on
    /// the thread on which the response came. A streamed body is discarded before the next request. The
    /// response's URL is the last that was asked, where the transport names none. Cancelling
    /// cancels the call under way. Constant stack, whatever the number of redirects.
    ///
    /// - Parameters:
    ///   - limit: How many are followed; 20, as in WHATWG's Fetch standard. Zero: a redirect is an error.
    ///     Less is a programming error and traps.
    ///   - names: More headers to be taken out where the origin changes, such as "User-Agent".
    ///   - kept: Headers that are kept for every origin, such as "X-Locale".
    ///   - allowingDowngrade: Whether https may lead to http.
    ///   - refusingPrivateAddresses: Whether to refuse a redirect whose host
    ///     ``HTTPOrigin/isPrivate``, if the host of the request before is not: a server that
    ///     fetches URLs from strangers must not be led into its own network. Only the URL counts; a
    ///     name whose address is private is followed.
    /// - Returns: A middleware. It rejects with an ``HTTPError`` with the code
    ///   ``HTTPError/Code/tooManyRedirects`` that keeps the last request and its response, with up
    ///   to 64 KiB of a streamed body, if there are more than `limit`, or if the next request
    ///   equals one that was sent before, with no cookie set since.
    public static func redirect(
        limit: Int = 20, strippingAcrossOrigins names: [String] = [],
        keepingAcrossOrigins kept: [String] = [], allowingDowngrade: Bool = false,
        refusingPrivateAddresses: Bool = false
    ) -> Middleware {
        precondition(limit >= 0, "redirect needs a limit of zero or more, not \(limit)")
        let rules = RedirectRules(
            limit: limit, secrets: names, kept: kept, allowsDowngrade: allowingDowngrade,
            refusesPrivate: refusingPrivateAddresses)
        return Middleware(named: "redirect") { service in
            { request in
                follow(
                    service(request), RedirectMachine(request, rules), CallContext.current,
                    service)
            }
        }
    }
}

/// Waits for the answer to the machine's request, and goes where it leads.
private func follow<Output: HTTPResponseHead>(
    _ future: Future<Output>, _ machine: RedirectMachine, _ context: CallContext,
    _ service: @escaping Service<HTTPRequest, Output>
) -> Future<Output> {
    future.continued { result in
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
            result.answer?.discardBody()
            noteProcessed(asked, head.status, in: context)
            let next = context.run { service(machine.request).naming(machine.request) }
            return follow(next, machine, context, service)
        }
    }
}

/// Notes in the attempt's record that a request was processed whose answer leads to another one.
///
/// Whatever sends requests notes that as well, as a rule. Where it does not, a caller that repeats the call would take an
/// error of the next request for an error of this one.
private func noteProcessed(_ request: HTTPRequest, _ status: Int, in context: CallContext) {
    guard let record = context.record, !request.isReplayable,
        CallRecord.Fate(status: status) == .mayHaveArrived
    else { return }
    // A record that is closed refuses what comes next as well.
    _ = try? record.willSend(replayable: false)
}

/// Tells the status and the origin: the rest of a URL may hold secrets.
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

import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Sends the cookies of a jar, and stores those of responses.
    ///
    /// ```swift
    /// let jar = CookieJar()
    /// let service = stack(.redirect(), .cookies(sharing: jar), .retry(), over: transport.send)
    /// ```
    ///
    /// Cookies are kept from every response, of any status, before the caller gets it, and from the
    /// response that an `HTTPError` holds. Beneath `.redirect` these are all responses of the chain. A response
    /// that a part beneath replaces counts too (RFC 6265, section 3): one that `.retry` or `.hedge` repeats,
    /// `.fallback` replaces, or `.cache` confirms or covers with a stored one. All attempts beneath carry the
    /// same cookies. Of a response that several callers share, its own caller gets the cookies.
    ///
    /// **Place.** Beneath `.redirect`, so that each request of the chain carries its own origin's cookies;
    /// beneath `.authorize`, so that the cookies of a 401 are stored although the request is sent again with a
    /// new token; and above `.cache(sharing:)`, which separates the answers for different jars.
    ///
    /// The cookies in the request's own header Cookie are sent first, unchanged; the jar's cookies
    /// of the same names are left out. All are sent as one header.
    ///
    /// The transport beneath must not keep cookies of its own: they would be sent twice.
    ///
    /// **Users.** A call stays that of one account: after `CookieJar.removeAll()`, a request that follows a redirect,
    /// and a further attempt of a retry or a hedge above, fails with `HTTPError.Code.sessionEnded`, and no cookie of
    /// a late answer is kept.
    ///
    /// - Parameter jar: The jar, shared by all stacks that use its cookies.
    public static func cookies(sharing jar: CookieJar) -> Middleware {
        Middleware(named: "cookies") { next in
            { request in
                let sent = jar.adding(to: request)
                // After the cookies, which may be of another account than the request before a redirect.
                if request.context.signIns.cookies?.isOver ?? false {
                    return Future(error: HTTPError(code: .sessionEnded, request: request))
                }
                sent.noteSignIns()
                return next(sent).naming(sent).flatMapSomeResults { result in
                    switch result {
                    case .success(let response): sent.keepCookies(of: response)
                    case .failure: sent.keep(result)
                    }
                    return nil
                }
            }
        }
    }
}

extension CookieJar {
    /// The request with its own cookies and the jar's, and with the jar.
    func adding(to request: HTTPRequest) -> HTTPRequest {
        guard let (cookies, signIn) = use(for: request.url) else { return request }
        var request = request
        request.context.cookieJar = self
        request.context.signIns.cookies = signIn
        return adding(cookies, of: signIn, to: request)
    }

    private func adding(
        _ cookies: [Cookie], of signIn: SignIn, to request: HTTPRequest
    ) -> HTTPRequest {
        if cookies.isEmpty { return request }
        let own = request.headers.received("Cookie")
        // A transport refuses what the app's text must not hold: bytes would hide it.
        guard
            own.allSatisfy({
                $0.keptBytes != nil || HTTPHeaders.isValid(name: "Cookie", value: $0.text)
            })
        else { return request }
        let names = Set(
            own.flatMap { $0.text.utf8.split(separator: UInt8(ascii: ";")) }.map(Self.name))
        let ours = cookies.filter { !names.contains($0.name) }.compactMap(\.pair)
        if ours.isEmpty { return request }
        let all = own.map { $0.keptBytes ?? Array($0.text.utf8) }.filter { !$0.isEmpty } + ours
        return request.ownCookiesMarked.adding(
            HTTPRequest.Credential(
                header: "Cookie", bytes: Array(all.joined(separator: "; ".utf8)),
                principal: .signIn(signIn), origins: nil))
    }

    /// The name in one pair of a Cookie header.
    private static func name(of pair: Substring.UTF8View) -> String {
        String(Substring(pair.prefix { $0 != UInt8(ascii: "=") }.trimmed))
    }
}

extension HTTPRequest {
    /// The same, with its own cookies marked as those of the holder of their values.
    fileprivate var ownCookiesMarked: HTTPRequest {
        guard let own = headers["Cookie"], !context.credentials.contains(where: \.isCookie) else {
            return self
        }
        return adding(
            Credential(
                header: "Cookie", value: own, principal: .holder(of: own, in: "Cookie"),
                origins: nil))
    }
}

extension HTTPRequest.Credential {
    /// Whether a jar has added it.
    var isCookie: Bool { header == "Cookie" }
}

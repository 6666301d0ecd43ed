import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Sends a jar's cookies with requests, and stores the cookies of responses.
    ///
    /// ```swift
    /// let jar = CookieJar()
    /// let service = stack(.redirect(), .cookies(sharing: jar), .retry(), over: transport.send)
    /// ```
    ///
    /// The jar stores the cookies of a response where it arrives, below all middleware: over a transport with the head
    /// of the response, and over a function with its answer. So it stores the cookies of every response before the
    /// caller gets the response, whatever its status, and even if it's within an `HTTPError`. Below `.redirect`, that
    /// includes all responses of the chain.
    ///
    /// The jar also stores the cookies of responses that the caller doesn't get, because middleware below `.cookies`
    /// returns another response (RFC 6265, section 3). For example, `.retry` and `.hedge` send the request again,
    /// `.fallback` returns a substitute, and `.cache` returns a stored response. All attempts that middleware below
    /// `.cookies` makes carry the same cookies. If several callers share a response, its cookies go only to the caller
    /// whose request was sent.
    ///
    /// The jar travels in the request. Middleware of your own that changes the request passes it on; a new
    /// `HTTPRequest` doesn't have it, and then the jar stores only the cookies of the response that `.cookies` gets.
    ///
    /// **Place.** Put `.cookies` below `.redirect`, so that each request of the chain carries its own origin's cookies.
    /// Put it below `.authorize`, so that the jar stores the cookies of a 401 even if the request is then sent again
    /// with a new token. Put it above `.cache(sharing:)`, which separates the answers for different jars.
    ///
    /// If the request has a header Cookie already, the header's cookies are sent first, unchanged. They are followed by
    /// the jar's cookies, except those with the same names. All cookies are sent as one header.
    ///
    /// The transport must not keep cookies itself, or they would be sent twice.
    ///
    /// **Users.** A call belongs to one account. If `CookieJar.removeAll()` is called during a call, the call's next
    /// request after a redirect fails with `HTTPError.Code.sessionEnded`, and so does the next attempt of a retry or
    /// hedge above `.cookies`. If an answer to the call arrives later, its cookies aren't stored.
    ///
    /// - Parameter jar: The jar, shared by all stacks that use its cookies.
    public static func cookies(sharing jar: CookieJar) -> Middleware {
        Middleware(changing: "cookies") { next in
            { request in
                let sent = jar.adding(to: request)
                // The user may have changed since the call's first request. Checking after the jar was read makes sure
                // that these cookies aren't another user's.
                if request.context.signIns.cookies?.isOver ?? false {
                    return Future(error: HTTPError(code: .sessionEnded, request: request))
                }
                sent.noteSignIns()
                return next(sent).keepingCookies(of: sent)
            }
        }
    }
}

extension CookieJar {
    /// Returns the request with the jar's cookies added to its own, and tied to the jar's sign-in.
    func adding(to request: HTTPRequest) -> HTTPRequest {
        guard let (cookies, signIn) = use(for: request.url) else { return request }
        var request = request
        request.context.cookieKeeper = CookieKeeper(self, of: signIn)
        request.context.signIns.cookies = signIn
        return adding(cookies, of: signIn, to: request)
    }

    private func adding(
        _ cookies: [Cookie], of signIn: SignIn, to request: HTTPRequest
    ) -> HTTPRequest {
        if cookies.isEmpty { return request }
        let own = request.headers.received("Cookie")
        // If the app's own text is invalid, it stays as it is, so that the transport refuses it. As bytes, it would get
        // through.
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
    /// The request, with its own Cookie header declared as a credential of whoever holds that value.
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
    var isCookie: Bool { header == "Cookie" }
}

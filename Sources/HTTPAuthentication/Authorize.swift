import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Sends requests with credentials, and renews the credentials if possible.
    ///
    /// ```swift
    /// let api = stack(
    ///     .redirect(), .authorize(.bearer(from: refresher), for: .origins(of: server)), .cache(),
    ///     .retry(), over: transport.send)
    /// ```
    ///
    /// A request gets the header with the credentials only if all of these conditions are true:
    ///
    /// - The URL's origin is one of `origins`.
    /// - No other origin has redirected to that URL.
    /// - The request doesn't have a header with that name.
    /// - The request's context doesn't set `HTTPRequest.Context.skipsAuthorization`.
    ///
    /// All other requests and their answers pass unchanged.
    ///
    /// **Place.** Below `.redirect()`, `.authorize` sees each request of a chain of redirects, and adds the header to
    /// every request for one of the origins. Above `.redirect()`, `.authorize` adds the header only to the first
    /// request. The redirect removes the header when the chain leaves the origins, and removes Authorization at each
    /// change of origin. Either way, no other origin gets the header.
    ///
    /// Put `.authorize` above `.cache(sharing:)`, so that the cache knows each request's user; a cache above
    /// `.authorize` doesn't store the answers. Put `.authorize` above `.retry()`, which doesn't treat a 401 as a
    /// failure.
    ///
    /// **A 401** to the token of a ``TokenRefresher`` makes the middleware send the request again with a new token. It
    /// does so only once: a second 401 is returned. The 401 must come from one of the origins, and may be within the
    /// error of an `.acceptStatus()` below `.authorize`. The method doesn't matter, because a server that answers 401
    /// hasn't processed the request.
    ///
    /// If the token has been renewed since the request was sent, the request is sent again at once. Otherwise the
    /// request waits for the refresh. During the wait, up to 64 KiB of a streamed 401's body are read, so that the 401
    /// doesn't hold a connection that the refresh may need. In the following cases, the 401 is returned, and the
    /// request isn't sent again:
    ///
    /// - The request was sent with a token that is only a few seconds old. A server that refuses a new token forbids
    ///   the request itself, so a refresh wouldn't help.
    /// - The request's body can be sent only once. The token is then renewed before the next request is sent.
    ///
    /// If the token contains a character that a header must not hold, such as a line feed, requests are sent without
    /// the token. A 401 to such a request counts as a 401 to the token.
    ///
    /// **A 401 with a challenge** makes digest credentials send the request a second time with a digest, and a third
    /// time if the nonce was stale; see `HTTPCredentials.digest(user:password:random:)`.
    ///
    /// Requests are sent in the caller's context. A request that doesn't have to wait is sent at once, on the caller's
    /// thread. A request that has waited is sent on the thread that ended the wait. Cancelling a call cancels its
    /// request in flight. If the cancelled call waits for a refresh, the refresh and the other waiting calls continue.
    ///
    /// - Parameters:
    ///   - credentials: The credentials of the requests.
    ///   - origins: The origins that get the credentials.
    ///   - account: A text that identifies the account, so that a cache below `.authorize` returns stored answers only
    ///     to this account. Pass the same text for the same account, whatever the credentials. With nil, the cache
    ///     returns stored answers to requests with equal credentials. For the credentials of a ``TokenRefresher``, nil
    ///     means that the cache returns stored answers until a user signs in or out, even if the token is renewed
    ///     meanwhile. Pass nil if several accounts may sign in to one refresher. With a text, a later user would get
    ///     the stored answers of an earlier one.
    /// - Returns: A middleware. It rejects with `HTTPError.Code.tokenRefreshFailed` if a refresh failed, and with
    ///   `HTTPError.Code.signInNeeded` if the refresh token is no longer valid; both keep the request, its 401 if there
    ///   was one, and the refresh's error as the cause. It rejects with `HTTPError.Code.sessionEnded` if a user signed
    ///   in or out while the request waited, after the first request of a chain of redirects, or after the first
    ///   attempt of a retry or hedge above `.authorize`. It rejects with `HTTPError.Code.unsupported` if a server asks
    ///   for the digest of a body that isn't in memory, and with `Endpoint.Error.invalidHeader(name:)` if a name or
    ///   password can't be sent.
    public static func authorize(
        _ credentials: HTTPCredentials, for origins: HTTPOrigins, as account: String? = nil
    ) -> Middleware {
        let authorize = Authorize(
            credentials: credentials.kind, origins: origins, account: account)
        return Middleware(changing: "authorize") { service in
            { request in authorize.call(service, request) }
        }
    }
}

/// Adds credentials to requests for certain origins.
package struct Authorize: Sendable {
    package static let policy = "authorize"

    let credentials: HTTPCredentials.Kind
    let origins: HTTPOrigins
    let account: String?

    func call<Output: HTTPResponseHead>(
        _ service: @escaping Service<HTTPRequest, Output>, _ request: HTTPRequest
    ) -> Future<Output> {
        guard !request.context.skipsAuthorization, origins.contains(request) else {
            return service(request)
        }
        switch credentials {
        case .invalid:
            return Future(error: Endpoint.Error.invalidHeader(name: "Authorization"))
        case .fixed(let name, let value, let holder):
            guard request.headers[name] == nil else { return service(request) }
            let sent = request.adding(credential(name, value, of: holder))
            return service(sent)
        case .refreshed(let refresher):
            let context = CallContext.current
            guard request.headers["Authorization"] == nil, !context.isWithin(refresher) else {
                return service(request)
            }
            return AuthorizedCall(
                service: service, request: request, refresher: refresher, authorize: self,
                context: context
            ).start()
        case .digest(let session):
            guard request.headers["Authorization"] == nil, let origin = HTTPOrigin(request.url),
                let target = request.url.requestTarget
            else { return service(request) }
            return DigestCall(
                service: service, request: request, session: session, authorize: self,
                context: .current, origin: origin, target: target
            ).start()
        }
    }

    /// Returns the request with the token, or unchanged if a header can't hold the token.
    func adding(_ grant: TokenGrant, to request: HTTPRequest) -> HTTPRequest {
        let sent =
            grant.token.isReturnable
            ? request.adding(
                credential(
                    "Authorization", grant.token.authorization, of: .signIn(grant.signIn)))
            : request
        return bind(sent, to: grant.signIn)
    }

    /// Returns the request tied to a sign-in, so that no later part of the call is sent for another user.
    func bind(_ request: HTTPRequest, to signIn: SignIn) -> HTTPRequest {
        var sent = request
        sent.context.signIns.token = signIn
        sent.noteSignIns()
        return sent
    }

    func credential(
        _ header: String, _ value: String, of principal: Principal
    ) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: header, value: value, principal: account.map(Principal.account) ?? principal,
            origins: origins)
    }

    /// Like the other `credential`, for a value that contains bytes from a server.
    func credential(
        _ header: String, _ value: [UInt8], of principal: Principal
    ) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: header, bytes: value, principal: account.map(Principal.account) ?? principal,
            origins: origins)
    }
}

/// A request that is sent with a refresher's token.
struct AuthorizedCall<Output: HTTPResponseHead>: Sendable {
    let service: Service<HTTPRequest, Output>
    let request: HTTPRequest
    let refresher: TokenRefresher
    let authorize: Authorize
    let context: CallContext

    /// Sends the request, as soon as there is a token for it.
    func start() -> Future<Output> { goOnOnceOver() ?? ask() }

    private func ask() -> Future<Output> {
        switch refresher.ask(sendsOnce: !request.body.isReplayable) {
        case .send(let grant): return send(with: grant)
        case .sendBare(let signIn):
            if let end = goOnOnceOver() { return end }
            let sent = authorize.bind(request, to: signIn)
            return service(sent)
        case .giveBack: return service(request)
        case .fail(let error):
            return Future(error: HTTPError(refreshing: error, request: request))
        case .wait(let grant):
            report("waiting for a token")
            let caller = CallerContext(keeping: context)
            return grant.mapError { HTTPError(refreshing: $0, request: request) }
                .flatMap { grant in caller.run { send(with: grant) } }
        }
    }

    /// Ends the call if its user has signed out, or another has signed in, since its first request was sent.
    ///
    /// It's called before and after the refresher is asked, because the sign-in may end in between.
    ///
    /// - Returns: Nil if the sign-in still holds. Otherwise a future that fails with `sessionEnded`; or, if nobody was
    ///   signed in when the call began, the answer to the request without a token.
    private func goOnOnceOver() -> Future<Output>? {
        guard let earlier = request.context.signIns.token, earlier.isOver else { return nil }
        return earlier.isOfNobody
            ? service(request) : Future(error: HTTPError(code: .sessionEnded, request: request))
    }

    private func send(with grant: TokenGrant) -> Future<Output> {
        if let end = goOnOnceOver() { return end }
        let sent = authorize.adding(grant, to: request)
        let future = service(sent)
        let caller = CallerContext(keeping: context, until: future)
        return future.flatMapSomeResults { result in
            guard isRefusal(result, of: grant), let response = result.answer else { return nil }
            return sendAgain(after: response, grant, for: caller)
        }
    }

    /// Returns whether the result is a 401 that refuses this token.
    ///
    /// If a header can't hold the token, the request went without it. Then a 401 counts too, because only a new token
    /// can help.
    private func isRefusal(_ result: Result<Output, any Error>, of grant: TokenGrant) -> Bool {
        guard result.answerHead?.status == 401, let answer = result.answer else { return false }
        // If the request has lost its token, a redirect to another origin has removed it, and the 401 says nothing
        // about it.
        let hadToken =
            !grant.token.isReturnable
            || (answer.request.map { $0.headers["Authorization"] != nil } ?? true)
        return hadToken && answer.url.map(authorize.origins.contains) ?? true
    }

    /// Sends the request again after a 401; returns nil if the caller is to get the 401.
    private func sendAgain(
        after response: any HTTPResponseHead, _ grant: TokenGrant, for caller: CallerContext
    ) -> Future<Output>? {
        guard request.body.isReplayable, mayBeRepeated(after: response) else {
            refresher.reject(grant)
            return nil
        }
        switch caller.run({ refresher.refused(grant) }) {
        case .giveBack, .sendBare: return nil
        case .send(let grant):
            response.discardBody()
            return replay(with: grant, after: response, for: caller)
        case .fail(let error): return fail(error, after: kept(response))
        case .wait(let grant):
            report("waiting for a new token")
            let kept = kept(response)
            return grant.flatMapError { error in fail(error, after: kept) }.flatMap { grant in
                response.discardBody()
                return replay(with: grant, after: response, for: caller)
            }
        }
    }

    private func kept(_ response: any HTTPResponseHead) -> Future<HTTPResponse> {
        response.kept(on: refresher.scheduler)
    }

    /// Returns whether the request may be sent again after a 401.
    ///
    /// If a `.redirect` below has turned a POST into a GET, the server has already processed the POST. So the POST must
    /// be safe to repeat.
    private func mayBeRepeated(after response: any HTTPResponseHead) -> Bool {
        request.isReplayable || response.request?.method ?? request.method == request.method
    }

    /// Fails with a refresh's error, which gets the 401 that caused the refresh.
    private func fail<Value>(
        _ error: any Error, after kept: Future<HTTPResponse>
    ) -> Future<Value> {
        kept.mapWithoutOrigin { kept in
            throw HTTPError(refreshing: error, request: request, response: kept)
        }
    }

    /// Sends the request with the new token.
    ///
    /// If the token came from another process, it may be old. So if the server refuses it too, one more refresh
    /// follows.
    ///
    /// The request keeps its idempotency key, because an earlier attempt may have reached the server.
    private func replay(
        with grant: TokenGrant, after response: any HTTPResponseHead, for caller: CallerContext
    ) -> Future<Output> {
        report("sent again with a new token")
        var sent = authorize.adding(grant, to: request)
        sent.context.followsRefusal = true
        sent.context.signIns.bind(response.request?.context.signIns)
        sent.context.idempotencyKey =
            request.context.idempotencyKey ?? response.request?.context.idempotencyKey
        let future = caller.run { service(sent) }
        guard grant.isFound else { return future }
        return future.flatMapSomeResults { result in
            guard isRefusal(result, of: grant), let response = result.answer else { return nil }
            return sendAgain(after: response, grant, for: caller)
        }
    }

    private func report(_ note: String) {
        context.report(.note(note), by: Authorize.policy, named: refresher.name)
    }
}

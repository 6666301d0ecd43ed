import PledgeFutures
public import PledgeHTTPNetworking
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
    /// A request gets the header if its URL's origin is one of `origins`, if no other origin has redirected to it,
    /// if it has no header of that name itself, and if its context does not set
    /// `HTTPRequest.Context.skipsAuthorization`. All other requests and their answers pass unchanged.
    ///
    /// **Where to put it.** Beneath `.redirect()`, it sees each request of a chain, and adds the
    /// header to those that go to its origins. Above `.redirect()`, it adds the header to the first request,
    /// and the redirect removes it when the chain leaves the origins; it removes Authorization at each change
    /// of origin. So the header is not sent to another origin in either order. Above `.cache(sharing:)`, so
    /// that the cache knows for which user a request is; beneath a cache, answers are not stored. Above
    /// `.retry()`, for which a 401 is not a failure.
    ///
    /// **A 401**, also within the error of an `.acceptStatus()` beneath, to a token of a
    /// ``TokenRefresher`` that came from one of the origins sends the request again with a new
    /// token, once: a second 401 is returned. This holds for every method, because a server that
    /// answers 401 has not processed the request. If the token has been renewed since the request
    /// was sent, the request is sent again at once; otherwise it waits for the refresh. A 401 to a
    /// token that is a few seconds old is returned, without a refresh: it means that the server
    /// forbids the request. A request whose body can be sent only once gets its 401; the next
    /// request then renews the token first. A streamed 401 is read, up to 64 KiB, while the request
    /// waits, so that it holds no connection that the refresh may need. A token that no header may hold, such
    /// as one with a line feed, is left out, and a 401 to that request counts as a 401 to the token.
    ///
    /// **A 401 with a challenge**, to credentials that answer by digest, leads to a second request with a
    /// digest, and to a third if its nonce was stale; see `HTTPCredentials.digest(user:password:random:)`.
    ///
    /// Requests are sent in the caller's context: at once on the caller's thread, otherwise on the thread
    /// that ended their wait. Cancelling cancels the request under way, or leaves the others waiting for the
    /// refresh.
    ///
    /// - Parameters:
    ///   - credentials: The credentials of the requests.
    ///   - origins: The origins that they are sent to.
    ///   - account: Identifies to a cache beneath the stored answers that it may return; the same text for
    ///     the same account, whatever the credentials. With nil, these are the answers to equal credentials,
    ///     or, with a ``TokenRefresher``, of one sign-in: they outlast each of its tokens, and end when a
    ///     user signs in or out. Name an account only if no other account signs in.
    /// - Returns: A middleware. It rejects with `HTTPError.Code.tokenRefreshFailed`, keeping the
    ///   request, its 401 if there was one, and the refresh's error as the cause, if a refresh
    ///   failed; with `HTTPError.Code.signInNeeded` likewise if the refresh token is not valid any
    ///   more; with `HTTPError.Code.sessionEnded` if a user signed in or out while it waited, or since the
    ///   first request of a chain of redirects or the first attempt of a retry or a hedge above; with
    ///   `HTTPError.Code.unsupported` if a server asks for the digest of a body that is not in
    ///   memory; and with `Endpoint.Error.invalidHeader(name:)` if a name or a password cannot be
    ///   sent.
    public static func authorize(
        _ credentials: HTTPCredentials, for origins: HTTPOrigins, as account: String? = nil
    ) -> Middleware {
        let authorize = Authorize(
            credentials: credentials.kind, origins: origins, account: account)
        return Middleware(named: "authorize") { service in
            { request in authorize.call(service, request) }
        }
    }
}

/// Credentials and their origins.
struct Authorize: Sendable {
    static let policy = "authorize"

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
            return Future(error: HTTPRequest.Error.invalidHeader(name: "Authorization"))
        case .fixed(let name, let value, let holder):
            guard request.headers[name] == nil else { return service(request) }
            let sent = request.adding(credential(name, value, of: holder))
            return service(sent).naming(sent)
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

    /// A request with a token; without it if no request may hold it.
    func adding(_ grant: TokenGrant, to request: HTTPRequest) -> HTTPRequest {
        let sent =
            grant.token.isReturnable
            ? request.adding(
                credential(
                    "Authorization", grant.token.authorization, of: .signIn(grant.signIn)))
            : request
        return bind(sent, to: grant.signIn)
    }

    /// A request that stays that of a sign-in, or of nobody.
    func bind(_ request: HTTPRequest, to signIn: SignIn) -> HTTPRequest {
        var sent = request
        sent.context.signIns.token = signIn
        sent.noteSignIns()
        return sent
    }

    /// A header with its origins and its user.
    func credential(
        _ header: String, _ value: String, of principal: Principal
    ) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: header, value: value, principal: account.map(Principal.account) ?? principal,
            origins: origins)
    }

    /// The same, with a value that has bytes of a server.
    func credential(
        _ header: String, _ value: [UInt8], of principal: Principal
    ) -> HTTPRequest.Credential {
        HTTPRequest.Credential(
            header: header, bytes: value, principal: account.map(Principal.account) ?? principal,
            origins: origins)
    }
}

/// One request with the token of a refresher.
struct AuthorizedCall<Output: HTTPResponseHead>: Sendable {
    let service: Service<HTTPRequest, Output>
    let request: HTTPRequest
    let refresher: TokenRefresher
    let authorize: Authorize
    let context: CallContext

    /// Sends it, at once or when there is a token.
    func start() -> Future<Output> { goOnOnceOver() ?? ask() }

    private func ask() -> Future<Output> {
        switch refresher.ask(sendsOnce: !request.body.isReplayable) {
        case .send(let grant): return send(with: grant)
        case .sendBare(let signIn):
            if let end = goOnOnceOver() { return end }
            let sent = authorize.bind(request, to: signIn)
            return service(sent).naming(sent)
        case .giveBack: return service(request)
        case .fail(let error):
            return Future(error: HTTPError(refreshing: error, request: request))
        case .wait(let grant):
            report("waiting for a token")
            let caller = KeptCaller(context)
            return grant.mapError { HTTPError(refreshing: $0, request: request) }
                .flatMap { grant in caller.run { send(with: grant) } }
        }
    }

    /// What becomes of a request whose sign-in has ended since it was sent before a redirect, or in an earlier attempt.
    ///
    /// Asked after the refresher too, which may have another sign-in by then.
    ///
    /// - Returns: Nil if it has not ended. What was nobody's stays without a token.
    private func goOnOnceOver() -> Future<Output>? {
        guard let earlier = request.context.signIns.token, earlier.isOver else { return nil }
        return earlier.isOfNobody
            ? service(request) : Future(error: HTTPError(code: .sessionEnded, request: request))
    }

    private func send(with grant: TokenGrant) -> Future<Output> {
        if let end = goOnOnceOver() { return end }
        let sent = authorize.adding(grant, to: request)
        let future = service(sent)
        let caller = KeptCaller(context, until: future)
        return future.naming(sent).flatMapSomeResults { result in
            guard isRefusal(result, of: grant), let response = result.answer else { return nil }
            return sendAgain(after: response, grant, for: caller)
        }
    }

    /// Whether it is a 401 of a server that gets the token, and not of the target of a redirect.
    ///
    /// It refuses a token that cannot be sent as well: only a new one lets requests in.
    private func isRefusal(_ result: Result<Output, any Error>, of grant: TokenGrant) -> Bool {
        guard result.answerHead?.status == 401, let answer = result.answer else { return false }
        // A redirect that changes the origin removes the token.
        let hadToken =
            !grant.token.isReturnable
            || (answer.request.map { $0.headers["Authorization"] != nil } ?? true)
        return hadToken && answer.url.map(authorize.origins.contains) ?? true
    }

    /// - Returns: Nil if the 401 is the answer.
    private func sendAgain(
        after response: any HTTPResponseHead, _ grant: TokenGrant, for caller: KeptCaller
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

    /// Whether the 401 refuses this request, or this one may be processed twice.
    ///
    /// If a redirect beneath has turned a POST into a GET, the POST was processed.
    private func mayBeRepeated(after response: any HTTPResponseHead) -> Bool {
        request.isReplayable || response.request?.method ?? request.method == request.method
    }

    /// The error of a refresh, with the 401 that asked for it.
    private func fail<Value>(
        _ error: any Error, after kept: Future<HTTPResponse>
    ) -> Future<Value> {
        kept.mapWithoutOrigin { kept in
            throw HTTPError(refreshing: error, request: request, response: kept)
        }
    }

    /// Sends it again; the result is the answer.
    ///
    /// With the key that it had beneath: an attempt before the one that was refused may have arrived.
    private func replay(
        with grant: TokenGrant, after response: any HTTPResponseHead, for caller: KeptCaller
    ) -> Future<Output> {
        report("sent again with a new token")
        request.keepCookies(of: response)
        var sent = authorize.adding(grant, to: request)
        sent.context.followsRefusal = true
        sent.context.signIns.bind(response.request?.context.signIns)
        sent.context.idempotencyKey =
            request.context.idempotencyKey ?? response.request?.context.idempotencyKey
        return caller.run { service(sent).naming(sent) }
    }

    private func report(_ note: String) {
        context.report(.note(note), by: Authorize.policy, named: refresher.name)
    }
}

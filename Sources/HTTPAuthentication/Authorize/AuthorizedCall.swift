import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

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

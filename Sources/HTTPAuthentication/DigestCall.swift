import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices

/// A request that is sent with digests.
struct DigestCall<Output: HTTPResponseHead>: Sendable {
    /// Once with the first challenge's nonce, and once more if that nonce was stale.
    private static var mostRepeats: Int { 2 }

    let service: Service<HTTPRequest, Output>
    let request: HTTPRequest
    let session: DigestSession
    let authorize: Authorize
    let context: CallContext
    let origin: HTTPOrigin
    let target: String

    func start() -> Future<Output> {
        switch session.ask(origin, target) {
        case .send(let grant): return send(request, with: grant, repeats: Self.mostRepeats)
        case .sendBare: return send(request, with: nil, repeats: Self.mostRepeats)
        case .probe(let number):
            return send(request, with: nil, repeats: Self.mostRepeats, probe: number)
                // A call that failed, or was cancelled, ends its probe here.
                .onEnd { _ in session.endProbe(number, of: origin, isAnswered: false) }
        case .wait(let turn):
            report("waiting for a challenge")
            let caller = CallerContext(keeping: context)
            return turn.flatMap { caller.run { start() } }
        }
    }

    private func send(
        _ request: HTTPRequest, with grant: DigestGrant?, repeats: Int, probe: Int? = nil
    ) -> Future<Output> {
        guard let sent = adding(grant, to: request) else {
            return Future(
                error: HTTPError(
                    code: .unsupported, request: request,
                    reason: "the server asks for a digest of the body, which is not in memory"))
        }
        let future = service(sent)
        let caller = CallerContext(keeping: context, until: future)
        return future.flatMapSomeResults { result in
            let next = goOn(after: result, grant, repeats, for: caller)
            if let probe, result.answerHead != nil {
                session.endProbe(probe, of: origin, isAnswered: true)
            }
            return next
        }
    }

    /// Returns the request with a digest; nil if the digest covers a body that isn't in memory.
    private func adding(_ grant: DigestGrant?, to request: HTTPRequest) -> HTTPRequest? {
        guard let grant else { return request }
        var body = Data()
        if grant.challenge.protection == .authInt {
            switch request.body.content {
            case .none: break
            case .data(let data): body = data
            case .file, .stream: return nil
            }
        }
        let value = grant.authorization(
            of: session.login, request.method, target, body: body,
            clientNonce: session.makeClientNonce())
        return request.adding(
            authorize.credential(
                "Authorization", HTTPHeaders.bytes(ofLatin1: value) ?? Array(value.utf8),
                of: session.principal))
    }

    /// Sends the request again if that can help; nil if the result is final.
    private func goOn(
        after result: Result<Output, any Error>, _ grant: DigestGrant?, _ repeats: Int,
        for caller: CallerContext
    ) -> Future<Output>? {
        guard let head = result.answerHead, let answer = result.answer, isOwn(answer) else {
            return nil
        }
        guard head.status == 401 else {
            if let grant {
                session.accepted(grant, by: origin, nextNonce: head.headers.nextNonce)
            }
            return nil
        }
        guard let challenge = DigestChallenge.strongest(in: head.headers) else { return nil }
        let mayRepeat = repeats > 0 && request.body.isReplayable
        let next = session.challenged(
            challenge, by: origin, refusing: grant, mayRepeat: mayRepeat)
        guard let next else { return nil }
        answer.discardBody()
        report("sent again with a digest")
        var again = request
        again.context.followsRefusal = true
        again.context.signIns.bind(answer.request?.context.signIns)
        // The request keeps its idempotency key, because an earlier attempt may have reached the server.
        again.context.idempotencyKey =
            request.context.idempotencyKey ?? answer.request?.context.idempotencyKey
        return caller.run { send(again, with: next, repeats: repeats - 1) }
    }

    /// Returns whether the answer is to this request, and not to one that a redirect led to.
    private func isOwn(_ answer: any HTTPResponseHead) -> Bool {
        let method = answer.request?.method ?? request.method
        guard let url = answer.url ?? answer.request?.url else { return true }
        return method == request.method && HTTPOrigin(url) == origin && url.requestTarget == target
    }

    private func report(_ note: String) {
        context.report(.note(note), by: Authorize.policy, named: nil)
    }
}

extension HTTPHeaders {
    /// The nonce that the server announces for the next request (RFC 7616, section 3.5).
    fileprivate var nextNonce: String? {
        received("Authentication-Info").lazy
            .compactMap { AuthenticationChallenge.withoutScheme($0)?.returnable("nextnonce") }
            .first
    }
}

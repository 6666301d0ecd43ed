import Futures
import Services

/// One request with the token of a refresher.
struct AuthorizedCall<Output: HTTPResponseHead>: Sendable {
    let service: Service<HTTPRequest, Output>
    let request: HTTPRequest
    let refresher: TokenRefresher
    let origins: HTTPOrigins
    let context: CallContext

    /// Sends it, at once or when there is a token.
    func start() -> Future<Output> {
        switch refresher.ask(sendsOnce: !request.body.isReplayable) {
        case .send(let grant): return send(with: grant)
        case .giveBack: return service(request)
        case .wait(let grant):
            report("waiting for a token")
            return grant.mapError { HTTPError(refreshing: $0, request: request) }
                .flatMap { grant in context.run { send(with: grant) } }
        }
    }

    private func send(with grant: TokenGrant?) -> Future<Output> {
        guard let grant else { return service(request) }
        let sent = request.authorized(by: grant)
        return service(sent).naming(sent).continued { result in
            guard case .success(let response) = result, isRefusal(response) else { return nil }
            return sendAgain(after: response, grant)
        }
    }

    /// Whether it is a 401 of a server that was to get the token, and not of one that a redirect led to.
    private func isRefusal(_ response: Output) -> Bool {
        response.status == 401 && response.url.map(origins.contains) ?? true
    }

    /// - Returns: Nil where the 401 is the answer.
    private func sendAgain(after response: Output, _ grant: TokenGrant) -> Future<Output>? {
        guard request.body.isReplayable else {
            refresher.reject(grant)
            return nil
        }
        switch context.run({ refresher.refused(grant) }) {
        case .giveBack, .send(nil): return nil
        case .send(let grant?):
            response.discardBody()
            return replay(with: grant)
        case .wait(let grant):
            report("waiting for a new token")
            let kept = response.kept()
            return grant.flatMapError { error in
                kept.mapWithoutOrigin { kept in
                    throw HTTPError(refreshing: error, request: request, response: kept)
                }
            }.flatMap { grant in
                response.discardBody()
                return replay(with: grant)
            }
        }
    }

    /// Sends it again; whatever comes is the answer.
    private func replay(with grant: TokenGrant) -> Future<Output> {
        report("sent again with a new token")
        let sent = request.authorized(by: grant)
        return context.run { service(sent).naming(sent) }
    }

    private func report(_ note: String) { context.report(.note(note), by: Authorize.name) }
}

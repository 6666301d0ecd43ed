import Futures
public import Services

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Sends requests with credentials, and renews these where they can be.
    ///
    /// ```swift
    /// let api = stack(
    ///     .redirect(), .retry(), .authorize(.bearer(from: refresher), for: .origins(of: server)),
    ///     over: transport.send)
    /// ```
    ///
    /// A request gets the header if its URL's origin is one of `origins`, if it has none of that name
    /// itself, and if its context does not say ``HTTPRequest/Context/skipsAuthorization``. All others
    /// pass unchanged, and so do their answers.
    ///
    /// **Where to put it.** Beneath `.redirect()`, it sees each request of a chain, and gives the token to
    /// those that go to its origins, also after the redirect took it out. Outside of `.redirect()`, it
    /// gives it to the first, and the redirect takes it out where the chain leaves the origin. Either is
    /// safe; beneath, a redirect from one of the origins to another works too. Beneath `.retry()`, each
    /// attempt goes with the newest token.
    ///
    /// **A 401** to a token of a ``TokenRefresher`` that came from one of the origins gets the request sent
    /// again with a new token, once: a second 401 is given back. Any method is: a server that asks who is
    /// there has done nothing. If the token has been renewed since the request was sent, it is sent again
    /// at once; otherwise it waits for the refresh. A request whose body can be sent once only gets its
    /// 401 back; the next request then renews the token first. A streamed 401 is read, up to 64 KiB, while
    /// the request waits, so that it holds no connection that the refresh may need.
    ///
    /// Requests are sent in the caller's context: at once on the caller's thread, otherwise on the thread
    /// that settled what they waited for. Cancelling cancels the request under way, or leaves the others
    /// waiting for the refresh.
    ///
    /// - Parameters:
    ///   - credentials: By what requests are let in.
    ///   - origins: To whom they are sent.
    /// - Returns: A middleware. It rejects with ``HTTPError/Code/tokenRefreshFailed``, keeping the request, its
    ///   401 if there was one, and the refresh's error as the cause, where a refresh failed; with
    ///   ``HTTPError/Code/sessionEnded`` where somebody signed in or out while it waited; and with
    ///   ``Endpoint/Error/invalidHeader(name:)`` where a name or a password cannot be sent.
    public static func authorize(
        _ credentials: HTTPCredentials, for origins: HTTPOrigins
    ) -> Middleware {
        let authorize = Authorize(credentials: credentials.kind, origins: origins)
        return Middleware { service in { request in authorize.call(service, request) } }
    }
}

/// By what requests are let in, and where.
struct Authorize: Sendable {
    static let name = "authorize"

    let credentials: HTTPCredentials.Kind
    let origins: HTTPOrigins

    func call<Output: HTTPResponseHead>(
        _ service: @escaping Service<HTTPRequest, Output>, _ request: HTTPRequest
    ) -> Future<Output> {
        guard !request.context.skipsAuthorization, origins.contains(request.url) else {
            return service(request)
        }
        switch credentials {
        case .invalid:
            return Future(error: HTTPRequest.Error.invalidHeader(name: "Authorization"))
        case .fixed(let name, let value):
            let request = request.adding(name, value)
            return service(request).naming(request)
        case .refreshed(let refresher):
            let context = CallContext.current
            guard request.headers["Authorization"] == nil, !context.isWithin(refresher) else {
                return service(request)
            }
            return AuthorizedCall(
                service: service, request: request, refresher: refresher, origins: origins,
                context: context
            ).start()
        }
    }
}

extension HTTPRequest {
    /// The same with a header, unless it has one of that name.
    fileprivate func adding(_ name: String, _ value: String) -> HTTPRequest {
        guard headers[name] == nil else { return self }
        var request = self
        request.headers.set(value, for: name)
        return request
    }

    /// The same with a token.
    func authorized(by grant: TokenGrant) -> HTTPRequest {
        adding("Authorization", grant.token.authorization)
    }
}

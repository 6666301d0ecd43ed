public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// Your own middleware, in both of its forms: for whole responses, and for streamed ones.
    ///
    /// ```swift
    /// client.aroundExchange = .init { request, next in
    ///     var request = request
    ///     request.headers["X-Signature"] = try await signer.sign(request)
    ///     return try await next(request)
    /// }
    /// ```
    public struct CustomMiddleware {
        /// The middleware around ``HTTPClient/send`` and ``HTTPClient/networking``.
        public var send: Middleware<HTTPRequest, HTTPResponse>

        /// The middleware around ``HTTPClient/stream``.
        public var stream: Middleware<HTTPRequest, HTTPStreamedResponse>

        /// Makes a pair.
        ///
        /// A generic function that returns `Middleware<HTTPRequest, Output>` for any
        /// `Output: HTTPResponseHead` can be passed for both.
        ///
        /// - Parameters:
        ///   - send: The middleware around ``HTTPClient/send`` and ``HTTPClient/networking``.
        ///   - stream: The middleware around ``HTTPClient/stream``.
        public init(
            send: Middleware<HTTPRequest, HTTPResponse>,
            stream: Middleware<HTTPRequest, HTTPStreamedResponse>
        ) {
            self.send = send
            self.stream = stream
        }

        /// Makes a pair of one async closure, for whole responses and for streamed ones.
        ///
        /// - Parameter body: Called for each request, in a task of its own, which has the call's deadline, trace and user, and
        ///   is cancelled with the call. It may change the request and the response, call `next`, the parts beneath, again,
        ///   or return an `HTTPResponse` of its own. Read a whole body by `response.receivedBody`; it is nil in a stream.
        public init(
            _ body:
                @escaping @Sendable (
                    _ request: HTTPRequest,
                    _ next: @escaping @Sendable (HTTPRequest) async throws -> any HTTPResponseHead
                ) async throws -> any HTTPResponseHead
        ) {
            self.init(
                send: Middleware { request, next in
                    let response = try await body(request) { try await next($0) }
                    return try await response.collected(upTo: .max).value
                },
                stream: Middleware { request, next in
                    let response = try await body(request) { try await next($0) }
                    if let streamed = response as? HTTPStreamedResponse { return streamed }
                    let whole = try await response.collected(upTo: .max).value
                    return HTTPStreamedResponse(whole, body: HTTPBodyStream(whole.body))
                })
        }

        /// Makes a pair that changes requests.
        ///
        /// - Parameter change: Makes the request that is sent on. Called once for each request, on the
        ///   caller's thread. If it throws, the call fails with an `HTTPError` with the code
        ///   `HTTPError.Code.requestNotPrepared` and the thrown error as its cause: nothing is repeated, and
        ///   no breaker counts it as a failure of the service. An error that conforms to `OutcomeAdvising`,
        ///   and `CancellationError`, fail the call unchanged.
        public init(changing change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest) {
            self.init(send: .changing(change), stream: .changing(change))
        }
    }
}

extension HTTPClient.CustomMiddleware {
    /// Injects the fault that a request's header asks for; see the middleware `chaos(byHeader:sharing:on:)`.
    ///
    /// - Parameters:
    ///   - header: The header's name.
    ///   - chaosSwitch: Off: the header is removed, and has no effect. Without a switch, it always has.
    ///   - scheduler: The clock of the delays.
    public static func chaos(
        byHeader header: String, sharing chaosSwitch: ChaosSwitch? = nil,
        on scheduler: some Scheduler = .live
    ) -> Self {
        Self(
            send: .chaos(byHeader: header, sharing: chaosSwitch, on: scheduler),
            stream: .chaos(byHeader: header, sharing: chaosSwitch, on: scheduler))
    }
}

extension HTTPClient.CustomMiddleware: Sendable {}

extension Middleware where Input == HTTPRequest {
    /// Replaces each request by the one that a function makes of it.
    fileprivate static func changing(
        _ change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest
    ) -> Middleware {
        Middleware { next in
            { request in
                do {
                    let changed = try change(request)
                    return next(changed).naming(changed)
                } catch {
                    return Future(error: asPreparationFailure(error, of: request))
                }
            }
        }
    }
}

/// The error of a call whose request could not be made: it says nothing about the service.
private func asPreparationFailure(_ error: any Error, of request: HTTPRequest) -> any Error {
    if error is any OutcomeAdvising || error is CancellationError { return error }
    return HTTPError(code: .requestNotPrepared, request: request, cause: error)
}

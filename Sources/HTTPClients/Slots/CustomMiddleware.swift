public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeServices

extension HTTPClient {
    /// Your own middleware in two forms: for whole responses and for streamed ones.
    ///
    /// ```swift
    /// client.aroundExchange = .init { request, next in
    ///     var request = request
    ///     request.headers["X-Signature"] = try await signer.sign(request)
    ///     return try await next(request)
    /// }
    /// ```
    public struct CustomMiddleware: Sendable {
        /// The middleware around `send` and ``HTTPClient/networking``.
        package var send: Middleware<HTTPRequest, HTTPResponse>

        /// The middleware around `stream`.
        package var stream: Middleware<HTTPRequest, HTTPStreamedResponse>

        /// Creates a pair from a middleware for each form.
        ///
        /// You can pass the same generic function for both, if it returns `Middleware<HTTPRequest, Output>` for any
        /// `Output: HTTPResponseHead`.
        ///
        /// - Parameters:
        ///   - send: The middleware around `send` and ``HTTPClient/networking``.
        ///   - stream: The middleware around `stream`.
        public init(
            send: Middleware<HTTPRequest, HTTPResponse>,
            stream: Middleware<HTTPRequest, HTTPStreamedResponse>
        ) {
            self.send = send
            self.stream = stream
        }

        /// Creates a pair from one async closure that handles whole and streamed responses.
        ///
        /// - Parameter body: Handles a request. Each request runs it in a new task, which has the call's deadline,
        ///   trace and user, and is cancelled with the call. The closure may change the request and the response. It
        ///   calls `next` to run the parts below, and may do so more than once; or it returns its own `HTTPResponse`
        ///   instead. It can read a whole body from `response.receivedBody`, which is nil for a stream.
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
                    return try await response.collected(upTo: .max).get()
                },
                stream: Middleware { request, next in
                    let response = try await body(request) { try await next($0) }
                    if let streamed = response as? HTTPStreamedResponse { return streamed }
                    let whole = try await response.collected(upTo: .max).get()
                    return HTTPStreamedResponse(whole, body: HTTPBodyStream(whole.body))
                })
        }

        /// Creates a pair that changes requests.
        ///
        /// - Parameter change: Returns the request to send. Called once for each request, on the caller's thread. If
        ///   it throws, the call fails with an `HTTPError` that has the code `HTTPError.Code.requestNotPrepared` and
        ///   the thrown error as its cause. Such a call is not repeated, and no breaker counts it as a failure of the
        ///   service. But if the thrown error is a `CancellationError` or conforms to `OutcomeAdvising`, the call fails
        ///   with that error itself.
        public init(changing change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest) {
            let prepare: @Sendable (HTTPRequest) throws -> HTTPRequest? = { request in
                do { return try change(request) } catch {
                    throw asPreparationFailure(error, of: request)
                }
            }
            self.init(send: .changing(prepare), stream: .changing(prepare))
        }
    }
}

extension HTTPClient.CustomMiddleware {
    /// Injects the fault that a request's header asks for; see the middleware `chaos(byHeader:sharing:on:)`.
    ///
    /// - Parameters:
    ///   - header: The header's name.
    ///   - chaosSwitch: Turns the faults on and off. While it is off, the header is removed and has no effect. With
    ///     nil, faults are always on.
    ///   - scheduler: The clock of the delays.
    public static func chaos(
        byHeader header: String, sharing chaosSwitch: ChaosSwitch? = nil,
        on scheduler: some FutureScheduler = .live
    ) -> Self {
        Self(
            send: .chaos(byHeader: header, sharing: chaosSwitch, on: scheduler),
            stream: .chaos(byHeader: header, sharing: chaosSwitch, on: scheduler))
    }
}

/// Returns the error of a call whose request couldn't be prepared, so that the service isn't blamed for it.
private func asPreparationFailure(_ error: any Error, of request: HTTPRequest) -> any Error {
    if error is any OutcomeAdvising || error is CancellationError { return error }
    return HTTPError(code: .requestNotPrepared, request: request, cause: error)
}

import Futures
public import HTTPNetworking
public import Services

extension HTTPClient {
    /// Middleware of your own, in both of its forms: around whole responses, and around those on their way.
    ///
    /// ```swift
    /// client.aroundExchange = .init { request in
    ///     var request = request
    ///     request.headers["X-Signature"] = sign(request)
    ///     return request
    /// }
    /// ```
    public struct OwnMiddleware {
        /// What is put around ``HTTPClient/send`` and ``HTTPClient/networking``.
        public var send: Middleware<HTTPRequest, HTTPResponse>

        /// What is put around ``HTTPClient/stream``.
        public var stream: Middleware<HTTPRequest, HTTPStreamedResponse>

        /// Makes a pair.
        ///
        /// A generic function that returns `Middleware<HTTPRequest, Output>` for any `Output: HTTPResponseHead` can
        /// be given for both.
        ///
        /// - Parameters:
        ///   - send: What is put around ``HTTPClient/send`` and ``HTTPClient/networking``.
        ///   - stream: What is put around ``HTTPClient/stream``.
        public init(
            send: Middleware<HTTPRequest, HTTPResponse>,
            stream: Middleware<HTTPRequest, HTTPStreamedResponse>
        ) {
            self.send = send
            self.stream = stream
        }

        /// Makes a pair that changes requests.
        ///
        /// - Parameter change: Makes the request that is sent on; called once for each, on the thread of its caller. Where
        ///   it throws, the call fails with an `HTTPError` with the code `HTTPError.Code.requestNotPrepared`, whose
        ///   cause it is: nothing is repeated, and no breaker takes it for a failure of the service. An error that says
        ///   itself what it means (`OutcomeAdvising`) and `CancellationError` fail the call as they are.
        public init(changing change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest) {
            self.init(send: .changing(change), stream: .changing(change))
        }
    }
}

extension HTTPClient.OwnMiddleware: Sendable {}

extension Middleware where Input == HTTPRequest {
    /// Sends on the request that a function makes of each.
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

/// What a call fails with whose request could not be made: it says nothing about the service.
private func asPreparationFailure(_ error: any Error, of request: HTTPRequest) -> any Error {
    if error is any OutcomeAdvising || error is CancellationError { return error }
    return HTTPError(code: .requestNotPrepared, request: request, cause: error)
}

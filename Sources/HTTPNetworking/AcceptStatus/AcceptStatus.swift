import Futures
public import Services

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Makes an error of a response whose status is not accepted.
    ///
    /// ```swift
    /// let service = stack(.retry(), .acceptStatus(), over: transport.send)
    /// ```
    ///
    /// The error is an ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus``. It keeps
    /// the request and the whole response. A streamed body is read for the error, up to a limit; if
    /// it is longer, or fails, the error keeps the bytes that came, and its cause says why they are
    /// not complete. An accepted response passes unchanged, and at once.
    ///
    /// Beneath a retry, the retry sees the error; above it, the response. Redirect, authorize and cache look
    /// into the error, and do the same on either side. A body that never ends holds
    /// the error up: have a `.timeout` above.
    ///
    /// - Parameters:
    ///   - statuses: What is accepted.
    ///   - limit: How many bytes of a body on its way are kept. Less than zero is a programming error
    ///     and traps.
    public static func acceptStatus(
        _ statuses: some RangeExpression<Int> & Sendable = 200...299, keeping limit: Int = 65_536
    ) -> Middleware {
        precondition(limit >= 0, "acceptStatus keeps zero bytes or more, not \(limit)")
        return Middleware(named: "acceptStatus") { service in
            { request in
                service(request).continued { result in
                    guard case .success(let response) = result,
                        !statuses.contains(response.status)
                    else { return nil }
                    return response.refused(for: request, keeping: limit)
                }
            }
        }
    }
}

extension HTTPResponseHead {
    /// The error that a status is, when as much of the body as is to be kept has come.
    fileprivate func refused<Output: Sendable>(
        for request: HTTPRequest, keeping limit: Int
    ) -> Future<Output> {
        let error = HTTPError(code: .unacceptableStatus, request: request, response: head)
        return beginning(upTo: limit).flatMap { beginning in
            var error = error
            error.response?.body = beginning.data
            error.cause = beginning.missing
            return Future(error: error)
        }
    }

    /// What there is of the body, up to a limit.
    private func beginning(upTo limit: Int) -> Future<BodyBeginning> {
        if let bodyStream { return bodyStream.beginning(upTo: limit) }
        return gathered(upTo: limit).mapWithoutOrigin { BodyBeginning(data: $0.body) }
            .recover { BodyBeginning(missing: $0) }
    }
}

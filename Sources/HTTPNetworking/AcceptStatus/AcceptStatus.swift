import Futures
public import Services

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Turns a response whose status is not accepted into an error.
    ///
    /// ```swift
    /// let service = stack(.retry(), .acceptStatus(), over: transport.send)
    /// ```
    ///
    /// The error is an ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus``. It keeps
    /// the request and the whole response. A streamed body is read for the error, up to a limit; if it is
    /// longer, or fails, the error keeps the bytes that arrived, and its cause is the reason why they are
    /// incomplete. An accepted response passes unchanged, and at once.
    ///
    /// Beneath a retry, the retry sees the error; above it, the response. Redirect, authorize and cache read
    /// the response in the error, and do the same on either side. A body that never ends delays the error
    /// without limit: put a `.timeout` above.
    ///
    /// - Parameters:
    ///   - statuses: The accepted statuses.
    ///   - limit: How many bytes of a streamed body are kept. Less than zero is a programming error
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
    /// The error of a status, when the part of the body to keep has arrived.
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

    /// The beginning of the body, up to a limit.
    private func beginning(upTo limit: Int) -> Future<BodyBeginning> {
        if let bodyStream { return bodyStream.beginning(upTo: limit) }
        return gathered(upTo: limit).mapWithoutOrigin { BodyBeginning(data: $0.body) }
            .recover { BodyBeginning(missing: $0) }
    }
}

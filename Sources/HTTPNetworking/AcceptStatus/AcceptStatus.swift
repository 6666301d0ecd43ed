public import PledgeFutures
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Turns a response whose status is not accepted into an error.
    ///
    /// ```swift
    /// let service = stack(.retry(), .acceptStatus(), over: transport.send)
    /// ```
    ///
    /// The error is an ``HTTPError`` with the code ``HTTPError/Code/unacceptableStatus``. It keeps
    /// the request and the whole response. A streamed body is read for the error, up to a limit and for a
    /// second at most; if it is longer, slower, or fails, the error keeps the bytes that arrived, and its cause is
    /// the reason why they are incomplete. An accepted response passes unchanged, and at once.
    ///
    /// Beneath a retry, the retry sees the error; above it, the response. Redirect, authorize and cache read
    /// the response in the error, and do the same on either side.
    ///
    /// - Parameters:
    ///   - statuses: The accepted statuses.
    ///   - limit: How many bytes of a streamed body are kept. Less than zero is a programming error
    ///     and traps.
    ///   - time: How long a streamed body is read.
    ///   - scheduler: The clock of this time.
    public static func acceptStatus(
        _ statuses: some RangeExpression<Int> & Sendable = 200...299, keeping limit: Int = 65_536,
        within time: Duration = .seconds(1), on scheduler: some Scheduler = .live
    ) -> Middleware {
        precondition(limit >= 0, "acceptStatus keeps zero bytes or more, not \(limit)")
        return Middleware(named: "acceptStatus") { service in
            { request in
                service(request).flatMapSomeResults { result in
                    guard case .success(let response) = result,
                        !statuses.contains(response.status)
                    else { return nil }
                    return response.refused(
                        for: request, keeping: limit, within: time, on: scheduler)
                }
            }
        }
    }
}

extension HTTPResponseHead {
    /// The error of a status, when the part of the body to keep has arrived.
    package func refused<Output: Sendable>(
        for request: HTTPRequest, keeping limit: Int, within time: Duration = .errorBody,
        on scheduler: some Scheduler
    ) -> Future<Output> {
        let error = HTTPError(code: .unacceptableStatus, request: request, response: head)
        return beginning(upTo: limit, within: time, on: scheduler).flatMap { beginning in
            var error = error
            error.response?.body = beginning.data
            error.cause = beginning.missing
            return Future(error: error)
        }
    }

    /// The beginning of the body, up to a limit.
    private func beginning(
        upTo limit: Int, within time: Duration, on scheduler: some Scheduler
    ) -> Future<BodyBeginning> {
        if let bodyStream { return bodyStream.beginning(upTo: limit, within: time, on: scheduler) }
        return collected(upTo: limit).mapWithoutOrigin { BodyBeginning(data: $0.body) }
            .recover { BodyBeginning(missing: $0) }
    }
}

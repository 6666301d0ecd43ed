package import PledgeFutures

extension HTTPResponseHead {
    /// An error that keeps this response, with a body of a limited size.
    ///
    /// - Returns: A future that rejects: at once if the body is whole, and otherwise when up to 64 KiB of it
    ///   have arrived, or after a second. A longer or slower body, or one that fails, is not kept.
    package func failure<Output>(
        _ code: HTTPError.Code, of request: HTTPRequest, cause: (any Error)? = nil,
        on scheduler: some Scheduler = .live
    ) -> Future<Output> {
        kept(on: scheduler).mapWithoutOrigin { response in
            throw HTTPError(code: code, request: request, response: response, cause: cause)
        }
    }

    /// The whole response, without its body if that is too long or too slow, or fails.
    package func kept(on scheduler: some Scheduler = .live) -> Future<HTTPResponse> {
        let head = head
        return collected(upTo: 65_536).timeout(.errorBody, on: scheduler).recover { _ in head }
    }
}

extension Duration {
    /// How long the body of an error is read: its caller waits for the status.
    package static let errorBody = Duration.seconds(1)
}

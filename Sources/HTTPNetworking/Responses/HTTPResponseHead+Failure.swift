package import Futures

extension HTTPResponseHead {
    /// An error that keeps this response, with a body of a limited size.
    ///
    /// - Returns: A future that rejects: at once if the body is whole, and otherwise when up to 64 KiB of it
    ///   have arrived. A longer body, or one that fails, is not kept.
    package func failure<Output>(
        _ code: HTTPError.Code, of request: HTTPRequest, cause: (any Error)? = nil
    ) -> Future<Output> {
        kept().mapWithoutOrigin { response in
            throw HTTPError(code: code, request: request, response: response, cause: cause)
        }
    }

    /// The whole response, without its body if that is too long or fails.
    package func kept() -> Future<HTTPResponse> {
        let head = head
        return gathered(upTo: 65_536).recover { _ in head }
    }
}

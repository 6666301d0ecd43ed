package import Futures

extension HTTPResponseHead {
    /// An error that keeps this response, and as much of its body as is reasonable.
    ///
    /// - Returns: A future that rejects: at once where the body is there, and otherwise when up to
    ///   64 KiB of it have come. Of a longer one, or one that fails, nothing is kept.
    package func failure<Output>(
        _ code: HTTPError.Code, of request: HTTPRequest, cause: (any Error)? = nil
    ) -> Future<Output> {
        kept().mapWithoutOrigin { response in
            throw HTTPError(code: code, request: request, response: response, cause: cause)
        }
    }

    /// The whole response, without its body where that is too long, or fails.
    package func kept() -> Future<HTTPResponse> {
        let head = head
        return gathered(upTo: 65_536).recover { _ in head }
    }
}

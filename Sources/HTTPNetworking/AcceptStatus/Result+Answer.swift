/// The answer of a server, whether `.acceptStatus()` beneath has turned it into an error or not.
///
/// Middleware that decides by the status of an answer reads it here, so that it does the same above and
/// beneath `.acceptStatus()`.
extension Result where Success: HTTPResponseHead, Failure == any Error {
    /// The response: the value, or the response in the error of a status; nil for other errors.
    package var answer: (any HTTPResponseHead)? {
        switch self {
        case .success(let response): response
        case .failure(let error): (error as? HTTPError)?.refused
        }
    }

    /// Status, headers and URL of ``answer``, without an allocation.
    package var answerHead: (status: Int, headers: HTTPHeaders, url: URL?)? {
        switch self {
        case .success(let response): (response.status, response.headers, response.url)
        case .failure(let error):
            (error as? HTTPError)?.refused.map { ($0.status, $0.headers, $0.url) }
        }
    }

    /// The same result with a URL in its answer; nil if the answer has one already, or if there is no answer.
    package func located(at url: URL) -> Result? {
        guard let head = answerHead, head.url == nil else { return nil }
        switch self {
        case .success(var response):
            response.url = url
            return .success(response)
        case .failure(let error):
            guard var error = error as? HTTPError else { return nil }
            error.response?.url = url
            return .failure(error)
        }
    }
}

extension HTTPError {
    /// The response whose status was not accepted; nil for another error.
    package var refused: HTTPResponse? { code == .unacceptableStatus ? response : nil }
}

/// What a server answered, whether `.acceptStatus()` beneath has made an error of it or not.
///
/// Middleware that goes by the status of an answer reads it here, so that it does the same above
/// `.acceptStatus()` as beneath it.
extension Result where Success: HTTPResponseHead, Failure == any Error {
    /// The response: the value, or the one within the error that a status is; nil for other errors.
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

    /// The same result whose answer names a URL, nil where it names one already, or is none.
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
    /// The response whose status was not accepted, nil where the error is another.
    package var refused: HTTPResponse? { code == .unacceptableStatus ? response : nil }
}

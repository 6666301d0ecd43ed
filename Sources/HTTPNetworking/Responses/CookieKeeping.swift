import PledgeServices

/// A jar, which keeps the cookies of each response to a request that it has put cookies into.
///
/// The middleware of the jar sees the response that the caller gets. A part beneath that replaces a response, or
/// shares one whose caller has left, hands it to the jar through the request.
package protocol CookieKeeping: AnyObject, Sendable {
    /// Keeps the cookies of a response.
    ///
    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - url: The URL that answered.
    func store(_ headers: HTTPHeaders, from url: URL)
}

extension HTTPRequest: AnswerKeeping {
    /// Keeps the cookies of an answer, or of an error with one, in the jar of the request.
    package func keep<Output: Sendable>(_ result: Result<Output, any Swift.Error>) {
        switch result {
        case .success(let output):
            if let response = output as? any HTTPResponseHead { keepCookies(of: response) }
        case .failure(let error as HTTPError):
            keepCookies(error.headers, from: error.response?.url ?? error.request?.url ?? url)
        case .failure: break
        }
    }

    /// Keeps the cookies of a response in the jar of the request.
    package func keepCookies(of response: some HTTPResponseHead) {
        keepCookies(response.headers, from: response.url ?? url)
    }

    /// A late answer to one account does not reach the jar of the next.
    private func keepCookies(_ headers: HTTPHeaders, from url: URL) {
        if context.signIns.cookies?.isOver ?? false { return }
        context.cookieJar?.store(headers, from: url)
    }
}

extension HTTPResponse: Shareable {
    /// The response without the cookies that it sets.
    package var shared: HTTPResponse {
        var response = self
        response.headers.remove("Set-Cookie")
        return response
    }

    /// Whether the user that the request was sent for has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}

extension HTTPError: Shareable {
    /// The error without the cookies that its response sets.
    package var shared: HTTPError {
        var error = self
        error.response = response?.shared
        return error
    }

    /// Whether the user that the request was sent for has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}

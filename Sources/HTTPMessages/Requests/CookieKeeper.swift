package import PledgeFutures
import PledgeServices
import Synchronization

/// Keeps the cookies of a request's responses in a jar, each where it arrives.
///
/// The middleware `cookies` puts it into the request's context. A transport uses it when the head of a response has
/// arrived, and the innermost service of a stack when it answers. So the jar also gets the cookies of responses that
/// middleware in between replaces by others.
package struct CookieKeeper: Sendable {
    private let jar: any CookieKeeping
    private let signIn: SignIn
    /// A number that no other keeper has; headers have it once their cookies are kept.
    let number = CookieKeeper.next.add(1, ordering: .relaxed).newValue

    private static let next = Atomic<UInt64>(0)

    /// Creates a keeper.
    ///
    /// - Parameters:
    ///   - jar: The jar.
    ///   - signIn: The user whose cookies are in the jar now.
    package init(_ jar: any CookieKeeping, of signIn: SignIn) {
        self.jar = jar
        self.signIn = signIn
    }

    /// Keeps the cookies of a response's headers, unless it has already done so.
    ///
    /// - Returns: True if the headers have changed, because their cookies are now marked as kept.
    fileprivate func keep(_ headers: inout HTTPHeaders, from url: URL) -> Bool {
        guard headers.keeper != number, headers["Set-Cookie"] != nil else { return false }
        headers.keeper = number
        jar.store(headers, from: url, of: signIn)
        return true
    }
}

/// A cookie jar, for code that doesn't know `CookieJar`.
package protocol CookieKeeping: AnyObject, Sendable {
    /// Stores the cookies of a response, unless their user has signed out.
    ///
    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - url: The URL that answered.
    ///   - signIn: The user to whose request the server has responded.
    func store(_ headers: HTTPHeaders, from url: URL, of signIn: SignIn)
}

extension HTTPRequest {
    /// Keeps the cookies of a response to this request, and marks them as kept.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - other: The URL that answered, if the response doesn't say so; nil for this request's own.
    /// - Returns: True if the response has changed.
    @discardableResult
    package func keepCookies(
        of response: inout some HTTPResponseHead, from other: URL? = nil
    ) -> Bool {
        let url = response.url ?? other ?? url
        return context.cookieKeeper?.keep(&response.headers, from: url) ?? false
    }

    /// The request as a response or an error shows it: if its owner sends it again, no jar gets the cookies.
    var withoutJar: HTTPRequest {
        if context.cookieKeeper == nil { return self }
        var request = self
        request.context.cookieKeeper = nil
        return request
    }

    /// Marks the cookies of a stored response as kept, so that this request's jar doesn't get them again.
    package func markCookiesKept(of response: inout HTTPResponse) {
        if let keeper = context.cookieKeeper { response.headers.keeper = keeper.number }
    }
}

extension HTTPRequest: AnswerReceiving {
    package func receive<Output: Sendable>(_ answer: Future<Output>) -> Future<Output> {
        answer.keepingCookies(of: self)
    }
}

extension Future {
    /// Keeps the cookies of the response to a request, or of an error with a response, before the new future settles.
    package func keepingCookies(of request: HTTPRequest) -> Future {
        if request.context.cookieKeeper == nil { return self }
        return replacingAtEnd { result in
            switch result {
            case .success(let value):
                guard var response = value as? any HTTPResponseHead,
                    request.keepCookies(of: &response), let kept = response as? Value
                else { return nil }
                return .success(kept)
            case .failure(var error as HTTPError):
                guard var response = error.response,
                    request.keepCookies(of: &response, from: error.request?.url)
                else { return nil }
                error.response = response
                return .failure(error)
            case .failure: return nil
            }
        }
    }
}

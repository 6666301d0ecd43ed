import PledgeFutures
package import PledgeServices

/// The user of a request.
///
/// Caches compare the users of requests, so that no user gets another user's response.
package enum Principal: Hashable, Sendable {
    /// An account that the app names.
    case account(String)
    /// A signed-in user, until that user signs out or another signs in.
    case signIn(SignIn)
    /// The holder of a secret, known only by a salted hash.
    case secret(Int)

    /// Returns the holder of the secret in a header.
    ///
    /// A hash of the secret stands for it within this process. The hash can't be inverted, and its salt differs in each
    /// process. The probability that two secrets have the same hash is 2⁻⁶⁴.
    package static func holder(of value: String, in header: String) -> Principal {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(header.lowercased())
        hasher.combine(value)
        return .secret(hasher.finalize())
    }

    /// True if this user's sign-in has ended.
    package var isOver: Bool {
        if case .signIn(let signIn) = self { signIn.isOver } else { false }
    }

    /// A second seed for the hash, because an environment variable can fix the process's own seed.
    private static let salt = UInt64.random(in: .min ... .max)
}

/// One sign-in of a user, different from every other sign-in, even for the same account.
package final class SignIn: Sendable {
    private let over = Locked(false)

    /// True if this object stands for the time in which no user is signed in.
    package let isOfNobody: Bool

    /// Begins a sign-in.
    package init(ofNobody isOfNobody: Bool = false) { self.isOfNobody = isOfNobody }

    /// True if the user has signed out, or another has signed in.
    package var isOver: Bool { over.withLock { $0 } }

    /// Ends the sign-in permanently.
    package func end() { over.withLock { $0 = true } }
}

/// The sign-ins that a call is made for, recorded when its first request is sent.
///
/// A redirect, a repetition after a 401, and each further attempt of a retry or a hedge keep them, so that no part of
/// the call continues for another user.
package struct SignIns: CallUsers, Equatable {
    /// The sign-in of the request's token; nil if no `TokenRefresher` was asked for a token.
    ///
    /// If no user is signed in, this is a sign-in with ``SignIn/isOfNobody``.
    package var token: SignIn?
    /// The sign-in of the cookie jar; nil without a jar.
    package var cookies: SignIn?

    /// True if one of the sign-ins has ended.
    package var isOver: Bool { token?.isOver ?? false || cookies?.isOver ?? false }

    /// Copies the sign-ins of the sent request; a sign-in that the request lacks stays as it is.
    package mutating func bind(_ sent: SignIns?) {
        token = sent?.token ?? token
        cookies = sent?.cookies ?? cookies
    }
}

extension HTTPRequest: UserBound {
    /// Returns the request with the sign-ins of an earlier attempt.
    package func bound(to users: any CallUsers) -> HTTPRequest {
        guard let users = users as? SignIns, users != SignIns() else { return self }
        var request = self
        request.context.signIns.bind(users)
        return request
    }

    /// Records the request's sign-ins in its attempt, so that the next attempt is for the same users.
    package func noteSignIns() { CallContext.current.record?.note(users: context.signIns) }
}

extension SignIn: Hashable {
    /// Returns whether both are the same object.
    package static func == (left: SignIn, right: SignIn) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A cookie jar that keeps the cookies of all responses to a request, even of responses that the caller never gets.
///
/// The jar's own middleware sees only the response that the caller gets. But middleware below may replace a response,
/// or share a response whose caller has left. Such middleware finds the jar in the request's context, and passes the
/// response to the jar.
package protocol CookieKeeping: AnyObject, Sendable {
    /// Keeps the cookies of a response.
    ///
    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - url: The URL that answered.
    func store(_ headers: HTTPHeaders, from url: URL)
}

extension HTTPRequest: AnswerKeeping {
    /// Keeps the cookies of a response, or of an error with a response, in the request's jar.
    package func keep<Output: Sendable>(_ result: Result<Output, any Swift.Error>) {
        switch result {
        case .success(let output):
            if let response = output as? any HTTPResponseHead { keepCookies(of: response) }
        case .failure(let error as HTTPError):
            keepCookies(error.headers, from: error.response?.url ?? error.request?.url ?? url)
        case .failure: break
        }
    }

    /// Keeps the cookies of a response in the request's jar.
    package func keepCookies(of response: some HTTPResponseHead) {
        keepCookies(response.headers, from: response.url ?? url)
    }

    /// Keeps cookies in the jar, unless their sign-in is over: a late response must not set cookies for the next user.
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

    /// True if the user of the request has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}

extension HTTPError: Shareable {
    /// The error without the cookies that its response sets.
    package var shared: HTTPError {
        var error = self
        error.response = response?.shared
        return error
    }

    /// True if the user of the request has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}

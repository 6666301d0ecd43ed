import Foundation
import Pledge

/// One of the two users of a table.
enum User: String, CaseIterable, Sendable {
    case anna, bert

    /// The texts that only this user's requests and answers hold.
    var marks: [String] { [rawValue, Self.password(of: rawValue)] }

    /// Name and password as Basic sends them.
    private static func password(of name: String) -> String {
        Data("\(name):secret".utf8).base64EncodedString()
    }

    /// A priority, which goes with the context of each call: so the server learns whose call it is.
    var priority: CallPriority { self == .anna ? .critical : .criticalPlus }

    static func of(_ context: CallContext) -> User {
        context.boundPriority == anna.priority ? .anna : .bert
    }
}

/// How a request says whose it is.
enum UserCredential: String, CaseIterable, Sendable {
    case renewedToken, token, basic, authorizationOfHeaders, authorizedKey, keyOfHeaders
    case cookies, keyInURL, keyAroundCall, keyAroundAttempt, tokenInBody
    /// A jar without a cookie: the server gives each visitor one.
    case visitor

    /// Whether a client sends it for whoever is signed in; otherwise another user has another client.
    var isOfSession: Bool {
        switch self {
        case .renewedToken, .cookies, .keyAroundCall, .visitor: true
        default: false
        }
    }
}

/// Who is signed in.
final class UserSession: Sendable {
    let refresher: TokenRefresher
    let jar = CookieJar()
    private let credential: UserCredential
    private let now: Locked<User>

    var user: User { now.withLock { $0 } }

    init(
        _ user: User, with credential: UserCredential, on scheduler: some Scheduler,
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        self.credential = credential
        now = Locked(user)
        refresher = TokenRefresher(on: scheduler, refresh: refresh)
        begin(user)
    }

    /// Signs out, and signs a user in.
    func begin(_ user: User) {
        refresher.signOut()
        jar.removeAll()
        if credential == .cookies {
            jar.store("session=\(user); Path=/", from: TwoUsersServer.url)
        }
        now.withLock { $0 = user }
        refresher.signIn(
            with: AccessToken("\(user)-1", refreshToken: "\(user)-again"))
    }
}

extension UserCredential {
    /// The request of a user.
    func request(_ method: HTTPMethod, of user: User) -> HTTPRequest {
        var url = TwoUsersServer.url
        if self == .keyInURL { url.append(queryItems: [.init(name: "key", value: user.rawValue)]) }
        guard self == .tokenInBody else {
            let body = method == .post ? HTTPRequest.Body.data(Data("order".utf8)) : .none
            return HTTPRequest(method, url, body: body)
        }
        let form = [URLQueryItem(name: "refresh_token", value: user.rawValue)]
        return HTTPRequest(.post, url, body: .form(form))
    }

    /// Makes a client send it.
    func add(to client: inout HTTPClient, of session: UserSession) {
        let user = session.user.rawValue
        switch self {
        case .renewedToken: client.authorization = .bearer(from: session.refresher)
        case .token: client.authorization = .bearer(user)
        case .basic: client.authorization = .basic(user: user, password: "secret")
        case .authorizedKey: client.authorization = .header("X-API-Key", user)
        case .authorizationOfHeaders: client.headers = ["Authorization": "Bearer \(user)"]
        case .keyOfHeaders: client.headers = ["X-API-Key": user]
        case .cookies, .visitor: client.cookies = session.jar
        case .keyAroundCall: client.aroundCall = adding { session.user.rawValue }
        case .keyAroundAttempt: client.aroundAttempt = adding { user }
        case .keyInURL: break
        case .tokenInBody: client.sendsIdempotencyKeys = true
        }
    }

    private func adding(
        _ key: @escaping @Sendable () -> String
    ) -> HTTPClient.CustomMiddleware {
        .init { request in
            var request = request
            request.headers["X-Session"] = key()
            return request
        }
    }
}

import Foundation
import Pledge
import PledgeFutures
import PledgeTesting
import Testing

/// A server that the test plays, and that knows whose call each request belongs to.
final class TwoUsersServer: Sendable {
    static let url = URL(string: "https://api.example.com/account")!
    static let tokenURL = URL(string: "https://api.example.com/token")!

    /// A request, and the user whose call has sent it.
    struct Arrival: Sendable {
        let call: MockCall
        let caller: User

        /// The users whose credentials it holds.
        var owners: Set<User> { users(in: text(of: call.request)) }
    }

    private let network = MockNetwork()
    private let callers = Locked<[User]>([])
    private let taken = Locked<[Arrival]>([])

    @Sendable func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        callers.withLock { $0.append(.of(.current)) }
        return network.send(request)
    }

    /// All requests so far.
    var arrivals: [Arrival] {
        let callers = callers.withLock { $0 }
        while let call = try? network.next() {
            taken.withLock { $0.append(Arrival(call: call, caller: callers[call.number - 1])) }
        }
        return taken.withLock { $0 }
    }
}

/// Two users of one process, whose clients share a part.
final class TwoUsersBench: Sendable {
    let credential: UserCredential
    let part: SharingPart
    let server = TwoUsersServer()
    private let scheduler = ManualScheduler()
    private let shared: SharedParts
    /// How many requests there were before the calls.
    private let first = Locked(0)

    init(_ credential: UserCredential, _ part: SharingPart) {
        self.credential = credential
        self.part = part
        shared = SharedParts(part, on: scheduler)
    }

    fileprivate func session(of user: User) -> UserSession {
        UserSession(user, with: credential, on: scheduler) { [server] old in
            let form: Endpoint.Query = ["refresh_token": old.refreshToken]
            return server.send(HTTPRequest(.post, TwoUsersServer.tokenURL, body: .form(form)))
                .map { AccessToken($0.text) }
        }
    }

    fileprivate func client(of session: UserSession) -> HTTPClient {
        var client = HTTPClient(base: TwoUsersServer.url, over: server.send)
        client.scheduler = scheduler
        // One user's failures would refuse the other's calls: what is shared here are answers.
        client.circuitBreaker = nil
        client.acceptedStatuses = nil
        credential.add(to: &client, of: session)
        shared.add(part, to: &client)
        return client
    }

    /// A client for each user, once the answers to both are stored and old, if the part needs that.
    func clients() -> [User: HTTPClient] {
        let clients = User.allCases.map { ($0, client(of: session(of: $0))) }
        for (user, client) in clients { prepare(client, of: user) }
        begin()
        return Dictionary(uniqueKeysWithValues: clients)
    }

    /// A device of anna, which the other user takes over later.
    func device() -> Device {
        let session = session(of: .anna)
        let device = Device(session, self)
        prepare(device.client, of: .anna)
        begin()
        return device
    }

    /// A session, and the client of whoever is signed in.
    final class Device {
        let session: UserSession
        private(set) var client: HTTPClient
        private let bench: TwoUsersBench

        fileprivate init(_ session: UserSession, _ bench: TwoUsersBench) {
            self.session = session
            self.bench = bench
            client = bench.client(of: session)
        }

        /// Signs out, and signs a user in.
        func begin(_ user: User) {
            session.begin(user)
            if !bench.credential.isOfSession { client = bench.client(of: session) }
        }
    }

    /// Begins a call of a user.
    func call(_ client: HTTPClient, of user: User) -> Future<HTTPResponse> {
        CallContext().with(priority: user.priority).run {
            client.futures.send(credential.request(part.method, of: user))
        }
    }

    /// Carries out a call of a user.
    func carryOut(_ client: HTTPClient, of user: User) -> Future<HTTPResponse> {
        let call = call(client, of: user)
        part.script.forEach(go)
        finish()
        return call
    }

    private func prepare(_ client: HTTPClient, of user: User) {
        guard part.age != nil else { return }
        _ = call(client, of: user)
        finish()
    }

    private func begin() {
        if let age = part.age { go(.wait(age)) }
        first.withLock { $0 = server.arrivals.count }
    }

    // MARK: The server's part

    func go(_ step: SharingPart.Step) {
        switch step {
        case .wait(let seconds): scheduler.advance(by: .seconds(seconds))
        case .answer(let status):
            for arrival in server.arrivals.reversed() where arrival.call.isPending {
                answer(arrival, status)
            }
        }
    }

    /// The server answers until nobody waits.
    func finish() {
        for _ in 1...9 { go(.answer(200)) }
    }

    private func answer(_ arrival: TwoUsersServer.Arrival, _ status: Int) {
        let (call, user) = (arrival.call, arrival.caller)
        if call.request?.url == TwoUsersServer.tokenURL {
            call.answer(with: .text("\(user)-2"))
            return
        }
        // A server confirms only what was asked about.
        let isAsked = call.headers["If-None-Match"] != nil
        let status = status == 304 && !isAsked ? 200 : status
        var headers = part.headers(for: user)
        if status == 307, let query = call.request?.url.query {
            headers["Location"] = "/next?\(query)"
        }
        let text = status == 200 ? part.text(for: user, with: credential) : ""
        call.answer(with: .status(status, headers: headers, body: Data(text.utf8)))
    }
}

// MARK: What must hold

/// The text of a request, all of it.
private func text(of request: HTTPRequest?) -> String {
    guard let request else { return "" }
    var body = Data()
    if case .data(let data) = request.body.content { body = data }
    return [
        request.url.absoluteString, request.effectiveHeaders.map { "\($0): \($1)" }.joined(),
        String(decoding: body, as: UTF8.self),
    ].joined(separator: "\n")
}

/// The text of a response, without its request.
private func text(of response: HTTPResponse?) -> String {
    guard let response else { return "" }
    return response.headers.map { "\($0): \($1)" }.joined() + response.text
}

/// The users whose marks a text holds.
private func users(in text: String) -> Set<User> {
    Set(User.allCases.filter { $0.marks.contains(where: text.contains) })
}

extension TwoUsersBench {
    /// The requests since the beginning by their calls' users: "aab" for two of anna and one of bert.
    var requests: String {
        let arrivals = server.arrivals.dropFirst(first.withLock { $0 })
        return String(arrivals.compactMap(\.caller.rawValue.first).sorted())
    }

    /// Checks all requests, and calls that have ended.
    ///
    /// - Parameter user: The user whose calls may fail, since the sign-in has ended.
    func check(_ calls: [Future<HTTPResponse>], of users: [User], mayEnd user: User? = nil) {
        for arrival in server.arrivals {
            let isRight =
                arrival.owners == [arrival.caller]
                || credential == .visitor && arrival.owners.isEmpty
            #expect(isRight, "a call of \(arrival.caller) was sent for \(arrival.owners)")
        }
        let responses = zip(calls, users).compactMap { check($0, of: $1, mayEnd: $1 == user) }
        // Of those who share an answer, one gets the cookie.
        let cookies = responses.filter { $0.headers["Set-Cookie"] != nil }.count
        #expect(cookies <= requests.count, "one cookie for several callers")
    }

    /// Checks that an answer holds nothing of the other user.
    private func check(
        _ call: Future<HTTPResponse>, of user: User, mayEnd: Bool
    ) -> HTTPResponse? {
        let response: HTTPResponse
        do { response = try call.settledValue() } catch {
            let error = error as? HTTPError
            #expect(mayEnd && error?.code == .sessionEnded)
            let found = users(in: text(of: error?.request) + text(of: error?.response))
            #expect(found.isSubset(of: [user]))
            return nil
        }
        let found = users(in: text(of: response))
        #expect(found.isSubset(of: [user]))
        // What is said to everyone may have been said to another first.
        if part != .publicCache, credential != .visitor {
            let found = users(in: text(of: response.request))
            #expect(found.isSubset(of: [user]))
        }
        if response.status == 200 {
            #expect(response.text == part.text(for: user, with: credential))
        }
        return response
    }

    /// Checks that a jar has nothing of the other user.
    func check(_ jar: CookieJar, of user: User) {
        #expect(jar.cookies.allSatisfy { $0.value == user.rawValue })
    }
}

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
        _ user: User, with credential: UserCredential, on scheduler: some FutureScheduler,
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
        let form: Endpoint.Query = ["refresh_token": user.rawValue]
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

// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/Authentication.md.
@Suite struct AuthenticationExamples {
    private static let server = URL(string: "https://api.example.com")!
    private static let images = URL(string: "https://images.example.com")!

    /// Answers 401 but to what is expected, and writes down who asked with what.
    private func transport(
        expecting token: String, _ log: ExampleLog
    ) -> HTTPService {
        { request in
            let sent = request.headers["Authorization"] ?? "nothing"
            log.add("\(request.url.path) with \(sent)")
            if request.url.path == "/token" {
                let json = #"{"access_token": "new", "expires_in": 3600}"#
                return Future(value: HTTPResponse(status: 200, body: Data(json.utf8)))
            }
            return Future(value: HTTPResponse(status: sent == token ? 200 : 401))
        }
    }

    private func request(_ path: String) -> HTTPRequest {
        HTTPRequest(.get, Self.server.appending(path: path))
    }

    @Test func fixed() throws {
        let log = ExampleLog()
        let (server, images) = (Self.server, Self.images)
        let token = "t"
        let send: HTTPService = { request in
            log.add(request.headers.map { "\($0.name): \($0.value)" }.joined())
            return Future(value: HTTPResponse(status: 200))
        }
        // snippet: fixed
        let shop = stack(
            .authorize(.basic(user: "Aladdin", password: "open sesame"), for: .origins(of: server)),
            over: send)
        let gallery = stack(
            .authorize(.bearer(token), for: .origins(of: server, images)), over: send)
        let weather = stack(
            .authorize(.header("X-API-Key", token), for: .origins { $0.host == "api.example.com" }),
            over: send)
        // end snippet
        for service in [shop, gallery, weather] { _ = service(request("orders")) }
        #expect(
            log.lines == [
                "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Authorization: Bearer t",
                "X-API-Key: t",
            ])
    }

    // snippet: refresher
    /// What all stacks that ask this server share.
    func refresher(
        for stored: AccessToken?, at server: URL, over send: @escaping HTTPService,
        store: @escaping @Sendable (AccessToken?) -> Void
    ) -> TokenRefresher {
        TokenRefresher(stored, onChange: store) { token in
            let form = [
                URLQueryItem(name: "grant_type", value: "refresh_token"),
                URLQueryItem(name: "refresh_token", value: token.refreshToken),
            ]
            let request = HTTPRequest(
                .post, server.appending(path: "token"), body: .form(form))
            return send(request).decoded()
        }
    }
    // end snippet

    @Test func theTokenThatIsStored() throws {
        // snippet: token
        let json = #"{"access_token": "a", "token_type": "bearer", "expires_in": 3600}"#
        let token = AccessToken("a", type: "bearer", lifetime: .seconds(3600), refreshToken: nil)
        let response = HTTPResponse(status: 200, body: Data(json.utf8))
        let same: AccessToken = try response.decoded()
        // end snippet
        #expect(same == token)
    }

    @Test func refresh() throws {
        let (log, kept) = (ExampleLog(), ExampleLog())
        let server = Self.server
        let transport = transport(expecting: "Bearer new", log)
        let stored = AccessToken("old", refreshToken: "r")
        let refresher = refresher(for: stored, at: server, over: transport) { token in
            kept.add(token?.refreshToken ?? "nothing")
        }
        // snippet: refresh
        let api = stack(
            .redirect(),
            .authorize(.bearer(from: refresher), for: .origins(of: server)),
            .cache(),
            .retry(),
            .timeout(.seconds(2)),
            over: transport)
        // end snippet
        let orders = api(request("orders"))
        #expect(try orders.settledValue().status == 200)
        #expect(
            log.lines == [
                "/orders with Bearer old", "/token with nothing", "/orders with Bearer new",
            ]
        )
        #expect(kept.lines == ["r"])
    }

    @Test func within() throws {
        let log = ExampleLog()
        let server = Self.server
        let transport = transport(expecting: "Bearer new", log)
        let api = Locked<HTTPService?>(nil)
        let refresher = refresher(
            for: AccessToken("old"), at: server,
            // Its own calls go through the stack that waits for it.
            over: { request in api.withLock { $0 }!(request) }, store: { _ in })
        let whole = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)), .retry(),
            over: transport)
        api.withLock { $0 = whole }
        #expect(try whole(request("orders")).settledValue().status == 200)
        #expect(log.lines[1] == "/token with nothing")

        let send = whole
        let form: [URLQueryItem] = []
        // snippet: skip
        var login = HTTPRequest(.post, server.appending(path: "token"), body: .form(form))
        login.context.skipsAuthorization = true
        let token: Future<AccessToken> = send(login).decoded()
        // end snippet
        #expect(try token.settledValue().value == "new")
        #expect(log.lines.last == "/token with nothing")
    }

    @Test func signingOut() throws {
        let log = ExampleLog()
        let server = Self.server
        let transport = transport(expecting: "Bearer new", log)
        let refresher = TokenRefresher(AccessToken("old")) { _ in Promise<AccessToken>() }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)), over: transport)
        let token = AccessToken("new")
        // snippet: session
        refresher.signOut()
        let asNobody = api(request("orders"))

        refresher.signIn(with: token)
        let asSomebody = api(request("orders"))
        // end snippet
        #expect(try asNobody.settledValue().status == 401)
        #expect(try asSomebody.settledValue().status == 200)
        #expect(log.lines == ["/orders with nothing", "/orders with Bearer new"])
    }

    @Test(
        arguments: [
            (HTTPError(code: .notConnected), "offline"), (TokenRefresher.InvalidGrant(), "sign in"),
        ] as [(any Error, String)])
    func failing(error: any Error, what: String) throws {
        let shown = ExampleLog()
        let (server, transport) = (Self.server, transport(expecting: "", ExampleLog()))
        let refresher = TokenRefresher(AccessToken("old")) { _ in Future(error: error) }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)), over: transport)
        let askToSignIn: @Sendable () -> Void = shown.adder("sign in")
        let sayOffline: @Sendable () -> Void = shown.adder("offline")
        // snippet: failed
        api(request("orders")).onFailure { error in
            let code = (error as? HTTPError)?.code
            if code == .signInNeeded { askToSignIn() }
            if code == .tokenRefreshFailed { sayOffline() }
        }
        // end snippet
        #expect(shown.lines == [what])
    }

    @Test func redirects() throws {
        let log = ExampleLog()
        let (server, token) = (Self.server, "t")
        let transport: HTTPService = { request in
            let key = request.headers["Authorization"] ?? request.headers["X-API-Key"] ?? "-"
            log.add("\(request.url) \(key)")
            let isFirst = request.url.path == "/orders"
            return Future(
                value: isFirst
                    ? HTTPResponse(
                        status: 302, headers: ["Location": "https://files.example.net/7"])
                    : HTTPResponse(status: 200))
        }
        // snippet: order
        let best = stack(
            .redirect(), .authorize(.bearer(token), for: .origins(of: server)), over: transport)
        let safe = stack(
            .authorize(.header("X-API-Key", token), for: .origins(of: server)), .redirect(),
            over: transport)
        let leaking = stack(
            .redirect(), .authorize(.bearer(token), for: .all), over: transport)
        // end snippet
        let lines = [best, safe, leaking].map { service in
            _ = service(request("orders"))
            return log.lines.last
        }
        #expect(
            lines == [
                "https://files.example.net/7 -", "https://files.example.net/7 -",
                "https://files.example.net/7 Bearer t",
            ])
    }
}

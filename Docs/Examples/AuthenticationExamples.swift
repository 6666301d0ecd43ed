// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: storage
import PledgeStorage
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Authentication.md.
@Suite(.oneAtATime) struct AuthenticationExamples {
    // snippet: setup
    let server = URL(string: "https://api.example.com")!
    let images = URL(string: "https://images.example.com")!
    let transport = SessionTransport().send
    // end snippet
    private var orders: HTTPRequest { HTTPRequest(server.appending(path: "orders")) }

    /// Answers 401 but to what is expected, and writes down who asked with what.
    private func origin(
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

    @Test func fixed() throws {
        let log = ExampleLog()
        let transport: HTTPService = { request in
            log.add(request.headers.map { "\($0.name): \($0.value)" }.joined())
            return Future(value: HTTPResponse(status: 200))
        }
        // snippet: fixed
        let shop = stack(
            .authorize(.basic(user: "Aladdin", password: "open sesame"), for: .origins(of: server)),
            over: transport)
        let gallery = stack(
            .authorize(.bearer("t0ken"), for: .origins(of: server, images)), over: transport)
        let weather = stack(
            .authorize(
                .header("X-API-Key", "s3cret"), for: .origins { $0.host == "api.example.com" }),
            over: transport)
        // end snippet
        for service in [shop, gallery, weather] { _ = service(orders) }
        #expect(
            log.lines == [
                "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Authorization: Bearer t0ken",
                "X-API-Key: s3cret",
            ])
    }

    @Test func digest() throws {
        let log = ExampleLog()
        let transport: HTTPService = { request in
            let sent = request.headers["Authorization"] ?? "nothing"
            let use = sent.firstRange(of: "nc=").map { sent[$0.upperBound...].prefix(8) }
            log.add("\(request.url.path) with \(use ?? "nothing")")
            let challenge = #"Digest realm="camera", nonce="n", qop="auth", algorithm=SHA-256"#
            let refusal = HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge])
            return Future(value: use == nil ? refusal : HTTPResponse(status: 200))
        }
        // snippet: digest
        let login = HTTPCredentials.digest(user: "Mufasa", password: "Circle of Life")
        let camera = stack(
            .redirect(), .authorize(login, for: .origins(of: server)), over: transport)
        let picture = camera(HTTPRequest(server.appending(path: "picture")))
        let next = camera(HTTPRequest(server.appending(path: "next")))
        // end snippet
        #expect(try picture.settledValue().status == 200)
        #expect(try next.settledValue().status == 200)
        #expect(
            log.lines == [
                "/picture with nothing", "/picture with 00000001", "/next with 00000002",
            ])
    }

    @Test func theTokenThatIsStored() throws {
        // snippet: token
        let json = #"{"access_token": "a", "token_type": "bearer", "expires_in": 3600}"#
        let token = AccessToken("a", type: "bearer", lifetime: .seconds(3600), refreshToken: nil)
        let response = HTTPResponse(status: 200, body: Data(json.utf8))
        let same: AccessToken = try response.decoded()
        // end snippet
        #expect(same == token)
    }

    @Test func keptInAFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "token.json")
        try AccessTokenFile(file).save(AccessToken("old", refreshToken: "r"))
        let (transport, server) = (origin(expecting: "Bearer new", ExampleLog()), server)
        // snippet: file
        let kept = TokenRefresher(storedIn: AccessTokenFile(file)) { _ in
            transport(HTTPRequest(.post, server.appending(path: "token"))).decoded()
        }
        // end snippet
        #expect(try await kept.refresh().value.value == "new")
        #expect(try AccessTokenFile(file).load()?.value == "new")
    }

    // snippet: place
    let file = FileManager.default.temporaryDirectory.appending(path: "shop/token.json")
    // end snippet

    @Test func refresh() throws {
        let (log, kept) = (ExampleLog(), ExampleLog())
        let print: @Sendable (String) -> Void = { kept.add($0) }
        let server = server
        let transport = origin(expecting: "Bearer new", log)
        // snippet: refresher
        let stored = AccessToken("old", refreshToken: "r")
        let store = { @Sendable (token: AccessToken?) in
            print("keep a token: \(token != nil)")
        }
        let refresher = TokenRefresher(stored, onChange: store) { token in
            let form: Endpoint.Query = [
                "grant_type": "refresh_token", "refresh_token": token.refreshToken,
            ]
            let request = HTTPRequest(.post, server.appending(path: "token"), body: .form(form))
            return transport(request).decoded()
        }
        // end snippet
        // snippet: refresh
        let api = stack(
            .redirect(),
            .authorize(.bearer(from: refresher), for: .origins(of: server)),
            .cache(),
            .retry(),
            .timeout(.seconds(2)),
            over: transport)
        // end snippet
        #expect(try api(orders).settledValue().status == 200)
        #expect(
            log.lines == [
                "/orders with Bearer old", "/token with nothing", "/orders with Bearer new",
            ]
        )
        #expect(kept.lines == ["keep a token: true"])
        // snippet: skip
        let form: Endpoint.Query = ["user": "joanna", "password": "open sesame"]
        var login = HTTPRequest(.post, server.appending(path: "token"), body: .form(form))
        login.context.skipsAuthorization = true
        let loggedIn: Future<AccessToken> = api(login).decoded()
        // end snippet
        #expect(try loggedIn.settledValue().value == "new")
        #expect(log.lines.last == "/token with nothing")
    }

    @Test func within() throws {
        let log = ExampleLog()
        let server = server
        let api = Locked<HTTPService?>(nil)
        let refresher = TokenRefresher(AccessToken("old")) { _ in
            // Its own calls go through the stack that waits for it.
            api.withLock { $0 }!(HTTPRequest(.post, server.appending(path: "token"))).decoded()
        }
        let whole = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)), .retry(),
            over: origin(expecting: "Bearer new", log))
        api.withLock { $0 = whole }
        #expect(try whole(orders).settledValue().status == 200)
        #expect(log.lines[1] == "/token with nothing")
    }

    @Test func signingOut() throws {
        let log = ExampleLog()
        let refresher = TokenRefresher(AccessToken("old")) { _ in Promise<AccessToken>() }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)),
            over: origin(expecting: "Bearer new", log))
        let token = AccessToken("new")
        // snippet: session
        refresher.signOut()
        let asNobody = api(orders)

        refresher.signIn(with: token)
        let asSomebody = api(orders)
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
        let print: @Sendable (String) -> Void = { shown.add($0) }
        let refresher = TokenRefresher(AccessToken("old")) { _ in Future(error: error) }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: server)),
            over: origin(expecting: "", ExampleLog()))
        // snippet: failed
        let orders = HTTPRequest(server.appending(path: "orders"))
        api(orders).onFailure { error in
            let code = (error as? HTTPError)?.code
            if code == .signInNeeded { print("sign in") }
            if code == .tokenRefreshFailed { print("offline") }
        }
        // end snippet
        #expect(shown.lines == [what])
    }

    @Test func redirects() throws {
        let log = ExampleLog()
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
            .redirect(), .authorize(.bearer("t0ken"), for: .origins(of: server)), over: transport)
        let safe = stack(
            .authorize(.header("X-API-Key", "s3cret"), for: .origins(of: server)), .redirect(),
            over: transport)
        let leaking = stack(
            .redirect(), .authorize(.bearer("t0ken"), for: .all), over: transport)
        // end snippet
        let lines = [best, safe, leaking].map { service in
            _ = service(orders)
            return log.lines.last
        }
        #expect(
            lines == [
                "https://files.example.net/7 -", "https://files.example.net/7 -",
                "https://files.example.net/7 Bearer t0ken",
            ])
    }
}

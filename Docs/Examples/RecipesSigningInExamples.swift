// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/SigningIn.md.
@Suite(.oneAtATime)
struct RecipesSigningInExamples {
    // snippet: server
    let server = URL(string: "https://api.example.com")!
    // end snippet

    /// It takes the token "new" only, and gives it for a refresh token.
    private let shop = MemoryTransport(routes: [
        .post("/token", answer: .text(#"{"access_token":"new","expires_in":3600}"#)),
        .get(
            "/me",
            answer: .respond { call in
                let isNew = call.request?.headers["Authorization"] == "Bearer new"
                return HTTPResponse(status: isNew ? 200 : 401, body: Data("Joanna".utf8))
            }),
        .get("/door", answer: .text("open")),
        .any("/login", answer: .status(204, headers: ["Set-Cookie": "session=31d4d96e"])),
    ])

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: shop)
    }

    /// A header of the last request.
    private func sent(_ name: String) -> String? { shop.calls.last?.request?.headers[name] }

    @Test func basic() async throws {
        // snippet: basic
        var client = HTTPClient(base: server)
        client.authorization = .basic(user: "Aladdin", password: "open sesame")
        // end snippet
        try await client.get("/door")
        #expect(sent("Authorization") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func key() async throws {
        // snippet: key
        var client = HTTPClient(base: server)
        client.authorization = .header("X-API-Key", "s3cret")
        // end snippet
        try await client.get("/door")
        #expect(sent("X-API-Key") == "s3cret")
    }

    @Test func token() async throws {
        // snippet: token
        var client = HTTPClient(base: server)
        client.authorization = .bearer("t0ken")
        // end snippet
        try await client.get("/door")
        #expect(sent("Authorization") == "Bearer t0ken")
    }

    @Test func refresh() async throws {
        let keychain = ExampleLog()
        let print: @Sendable (String) -> Void = { keychain.add($0) }
        // snippet: stored
        let stored = AccessToken("old", refreshToken: "r")
        let store = { @Sendable (token: AccessToken?) in
            print("keep a token: \(token != nil)")
        }
        // end snippet
        // snippet: refresh
        let signIn = HTTPClient(base: server)
        let tokens = TokenRefresher(stored, onChange: store) { token in
            try await signIn.post(
                "/token",
                form: ["grant_type": "refresh_token", "refresh_token": token.refreshToken])
        }
        var client = HTTPClient(base: server)
        client.authorization = .bearer(from: tokens)
        // end snippet
        // snippet: thousand
        let loading = (1...1_000).map { _ in client.futures.get("/me", as: Data.self) }
        let names = try await Future.all(loading).value
        // end snippet
        #expect(names.count == 1_000)
        #expect(shop.calls.count { $0.route == "POST /token" } == 1)
        #expect(keychain.lines == ["keep a token: true"])
        // snippet: sign-out
        tokens.signOut()
        client.cookies?.removeAll()
        // end snippet
        #expect(keychain.lines.last == "keep a token: false")
        let error = await #expect(throws: HTTPError.self) { try await client.get("/me") }
        #expect(error?.status == 401)
    }

    @Test func begin() async throws {
        let tokens = TokenRefresher { $0 }
        // snippet: begin
        let login: Endpoint.Query = [
            "grant_type": "password", "username": "joanna", "password": "open sesame",
        ]
        let token: AccessToken = try await HTTPClient(base: server).post("/token", form: login)
        tokens.signIn(with: token)
        // end snippet
        #expect(tokens.token?.value == "new")
    }

    @Test func ended() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let tokens = TokenRefresher(AccessToken("old")) { _ in
            throw TokenRefresher.InvalidGrant()
        }
        var client = HTTPClient(base: server)
        client.authorization = .bearer(from: tokens)
        // snippet: ended
        do {
            try await client.get("/me")
        } catch let error as HTTPError where error.code == .signInNeeded {
            print("show the sign-in screen")
        }
        // end snippet
        #expect(lines.lines == ["show the sign-in screen"])
    }

    @Test func cookies() async throws {
        // snippet: cookies
        var client = HTTPClient(base: server)
        client.cookies = CookieJar()
        try await client.post("/login", form: ["user": "joanna"])
        try await client.get("/door")  // with the cookie that the login has set
        // end snippet
        #expect(sent("Cookie") == "session=31d4d96e")
    }

    @Test func keptCookies() throws {
        // snippet: kept-jar
        let jar = CookieJar()
        let file = URL.temporaryDirectory.appending(path: "cookies.json")
        // end snippet
        defer { try? FileManager.default.removeItem(at: file) }
        jar.store("session=31d4d96e; Max-Age=3600", from: server)
        // snippet: kept-cookies
        try JSONEncoder().encode(jar.snapshot()).write(to: file, options: .atomic)

        let kept = try JSONDecoder().decode(
            CookieJar.Snapshot.self, from: Data(contentsOf: file))
        let restored = CookieJar(restoring: kept)
        // end snippet
        #expect(restored.cookies.map(\.name) == ["session"])
    }
}

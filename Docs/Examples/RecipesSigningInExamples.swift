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
    // snippet: shop
    let server = URL(string: "https://api.example.com")!

    /// A shop in memory: it takes the token "new" alone, and gives it for a refresh token.
    let shop = MemoryTransport(routes: [
        .post(
            "/token", answer: .text(#"{"access_token":"new","expires_in":3600}"#)),
        .get(
            "/me",
            answer: .respond { call in
                let isNew = call.request?.headers["Authorization"] == "Bearer new"
                return HTTPResponse(status: isNew ? 200 : 401, body: Data("Joanna".utf8))
            }),
        .get("/door", answer: .text("open")),
        .any("/login", answer: .status(204, headers: ["Set-Cookie": "session=31d4d96e"])),
    ])
    // end snippet

    @Test func basic() async throws {
        // snippet: basic
        var client = HTTPClient(base: server, over: shop)
        client.authorization = .basic(user: "Aladdin", password: "open sesame")
        _ = try await client.networking(Endpoint(path: "/door")).value
        // end snippet
        let sent = shop.calls.last?.request?.headers["Authorization"]
        #expect(sent == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test func key() async throws {
        // snippet: key
        var client = HTTPClient(base: server, over: shop)
        client.authorization = .header("X-API-Key", "s3cret")
        _ = try await client.networking(Endpoint(path: "/door")).value
        // end snippet
        #expect(shop.calls.last?.request?.headers["X-API-Key"] == "s3cret")
    }

    // snippet: refresher
    func refresher(_ stored: AccessToken, over signIn: HTTPClient) -> TokenRefresher {
        let keep = { @Sendable (token: AccessToken?) in /* to the keychain */ }
        return TokenRefresher(stored, onChange: keep) { token in
            let form = [
                URLQueryItem(name: "grant_type", value: "refresh_token"),
                URLQueryItem(name: "refresh_token", value: token.refreshToken),
            ]
            return signIn.networking(
                Endpoint(path: "/token", method: .post, body: .form(form))
            ).decoded()
        }
    }
    // end snippet

    @Test func thousand() async throws {
        // snippet: thousand
        let tokens = refresher(
            AccessToken("old", refreshToken: "r"), over: HTTPClient(base: server, over: shop))
        var client = HTTPClient(base: server, over: shop)
        client.authorization = .bearer(from: tokens)
        let networking = client.networking
        let calls = (1...1_000).map { _ in networking(Endpoint(path: "/me")) }
        let names = try await Future.all(calls).value
        print(names.count, shop.calls.count { $0.route == "POST /token" })  // 1000 1
        // end snippet
        #expect(names.count == 1_000)
        #expect(shop.calls.count { $0.route == "POST /token" } == 1)
    }

    @Test func ended() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: ended
        let tokens = TokenRefresher(AccessToken("old")) { _ in
            Future(error: TokenRefresher.InvalidGrant())
        }
        var client = HTTPClient(base: server, over: shop)
        client.authorization = .bearer(from: tokens)
        client.networking(Endpoint(path: "/me")).onFailure { error in
            if (error as? HTTPError)?.code == .signInNeeded { print("show the sign-in screen") }
        }
        // end snippet
        #expect(lines.lines == ["show the sign-in screen"])
    }

    @Test func signOut() async throws {
        // snippet: sign-out
        let jar = CookieJar()
        let tokens = refresher(AccessToken("new"), over: HTTPClient(base: server, over: shop))
        var client = HTTPClient(base: server, over: shop)
        client.authorization = .bearer(from: tokens)
        client.cookies = jar
        _ = try await client.networking(Endpoint(path: "/me")).value

        tokens.signOut()
        jar.removeAll()
        // end snippet
        #expect(jar.cookies.isEmpty)
        await #expect(throws: HTTPError.self) {
            try await client.networking(Endpoint(path: "/me")).value
        }
    }

    @Test func cookies() async throws {
        // snippet: cookies
        var client = HTTPClient(base: server, over: shop)
        client.cookies = CookieJar()
        _ = try await client.networking(Endpoint(path: "/login", method: .post)).value
        _ = try await client.networking(Endpoint(path: "/door")).value
        // end snippet
        #expect(shop.calls.last?.request?.headers["Cookie"] == "session=31d4d96e")
    }
}

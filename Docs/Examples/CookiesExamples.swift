// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: storage
import PledgeStorage
// end snippet
import Testing

/// The code of Docs/Guides/Cookies.md.
@Suite struct CookiesExamples {
    private let lines = ExampleLog()

    /// What the examples print.
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    // snippet: pages
    let login = URL(string: "https://shop.example.com/login")!
    let cart = URL(string: "https://shop.example.com/cart")!
    // end snippet

    @Test func jar() {
        // snippet: jar
        let shop: HTTPService = { request in
            let cookie = request.headers["Cookie"] ?? "no cookie"
            print("\(request.method) \(request.url.path) with \(cookie)")
            guard request.method == .post else { return Future(value: HTTPResponse(status: 200)) }
            return Future(
                value: HTTPResponse(
                    status: 204, headers: ["Set-Cookie": "session=31d4d96e; Secure; HttpOnly"]))
        }
        let jar = CookieJar()
        let service = stack(.redirect(), .cookies(sharing: jar), .retry(), over: shop)

        service(HTTPRequest(.post, login)).observe { result in print("\(result)") }
        service(HTTPRequest(.get, cart)).observe { result in print("\(result)") }
        // end snippet
        // snippet: own
        let request = HTTPRequest(.get, cart, headers: ["Cookie": "theme=light"])
        service(request).observe { result in print("\(result)") }
        // end snippet
        // snippet: look
        jar.store("theme=dark; Path=/; Max-Age=3600", from: cart)
        for cookie in jar.cookies(for: cart) { print("\(cookie)") }

        jar.removeAll()
        print("\(jar)")
        // end snippet
        #expect(
            lines.lines == [
                "POST /login with no cookie",
                "success(204, [Set-Cookie: …], body of 0 bytes)",
                "GET /cart with session=31d4d96e",
                "success(200, [], body of 0 bytes)",
                "GET /cart with theme=light; session=31d4d96e",
                "success(200, [], body of 0 bytes)",
                "session=… for shop.example.com/", "theme=… for shop.example.com/",
                "a cookie jar with 0 cookies",
            ])
    }

    // snippet: place
    let file = FileManager.default.temporaryDirectory.appending(path: "shop/cookies.json")
    // end snippet

    @Test func keptInAFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "cookies.json")
        // snippet: file
        let jar = CookieJar(file: file, keepingSessionCookies: true)
        jar.store("session=31d4d96e; Secure; HttpOnly", from: login)
        try await jar.flush().value
        // end snippet
        #expect(CookieJar(file: file).cookies.count == 1)
    }

    @Test func snapshot() throws {
        // snippet: snapshot
        let jar = CookieJar()
        jar.store("session=31d4d96e; Secure; HttpOnly", from: login)
        jar.store("theme=dark; Path=/", from: login)
        let bytes = try JSONEncoder().encode(jar.snapshot(keepingSessionCookies: true))

        let snapshot = try JSONDecoder().decode(CookieJar.Snapshot.self, from: bytes)
        let restored = CookieJar(restoring: snapshot)
        print("\(restored)")
        // end snippet
        #expect(lines.lines == ["a cookie jar with 2 cookies"])
        #expect(restored.cookies == jar.cookies)
    }

    @Test func tests() {
        // snippet: tests
        let jar = CookieJar(cookiesPerDomain: 1, now: { Date(timeIntervalSince1970: 784_111_777) })
        jar.store("a=1; Expires=Sun, 06 Nov 1994 08:49:38 GMT", from: cart)
        jar.store("b=2; Expires=Sun, 06 Nov 1994 08:49:37 GMT", from: cart)
        print("\(jar.cookies)")
        // end snippet
        #expect(lines.lines == ["[a=… for shop.example.com/]"])
    }
}

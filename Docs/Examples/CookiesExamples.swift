import Foundation
import Futures
import Pledge
import Testing

/// The code of Docs/Guides/Cookies.md.
@Suite struct CookiesExamples {
    private let lines = ExampleLog()
    private let login: URL
    private let cart: URL

    init() throws {
        login = try #require(URL(string: "https://shop.example.com/login"))
        cart = try #require(URL(string: "https://shop.example.com/cart"))
    }

    private var log: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    private var shop: HTTPService {
        { [log] request in
            let cookie = request.headers["Cookie"] ?? "no cookie"
            log("\(request.method) \(request.url.path) with \(cookie)")
            guard request.method == .post else { return Future(value: HTTPResponse(status: 200)) }
            return Future(
                value: HTTPResponse(
                    status: 204, headers: ["Set-Cookie": "session=31d4d96e; Secure; HttpOnly"]))
        }
    }

    private func session() -> CookieJar {
        let jar = CookieJar()
        jar.store("session=31d4d96e; Secure; HttpOnly", from: login)
        jar.store("theme=dark; Path=/", from: login)
        return jar
    }

    @Test func jar() {
        let scheduler = ManualScheduler()
        // snippet: jar
        let jar = CookieJar()
        let service = stack(.redirect(), .cookies(sharing: jar), .retry(on: scheduler), over: shop)

        service(HTTPRequest(.post, login)).observe { result in log("\(result)") }
        service(HTTPRequest(.get, cart)).observe { result in log("\(result)") }
        // end snippet
        #expect(
            lines.lines == [
                "POST /login with no cookie",
                "success(204, [Set-Cookie: …], body of 0 bytes)",
                "GET /cart with session=31d4d96e",
                "success(200, [], body of 0 bytes)",
            ])
    }

    @Test func own() {
        let service = stack(.cookies(sharing: session()), over: shop)
        // snippet: own
        let request = HTTPRequest(.get, cart, headers: ["Cookie": "theme=light"])
        service(request).observe { result in log("\(result)") }
        // end snippet
        #expect(
            lines.lines == [
                "GET /cart with theme=light; session=31d4d96e",
                "success(200, [], body of 0 bytes)",
            ])
    }

    @Test func look() {
        let jar = session()
        // snippet: look
        jar.store("theme=dark; Path=/; Max-Age=3600", from: cart)
        for cookie in jar.cookies(for: cart) { log("\(cookie)") }

        jar.removeAll()
        log("\(jar)")
        // end snippet
        #expect(
            lines.lines == [
                "session=… for shop.example.com/", "theme=… for shop.example.com/",
                "a cookie jar with 0 cookies",
            ])
    }

    @Test func snapshot() throws {
        let jar = session()
        // snippet: snapshot
        let bytes = try JSONEncoder().encode(jar.snapshot(keepingSessionCookies: true))

        let snapshot = try JSONDecoder().decode(CookieJar.Snapshot.self, from: bytes)
        let restored = CookieJar(restoring: snapshot)
        log("\(restored)")
        // end snippet
        #expect(lines.lines == ["a cookie jar with 2 cookies"])
        #expect(restored.cookies == jar.cookies)
    }

    @Test func tests() {
        // snippet: tests
        let jar = CookieJar(cookiesPerDomain: 1, now: { HTTPDate(secondsSince1970: 784_111_777) })
        jar.store("a=1; Expires=Sun, 06 Nov 1994 08:49:38 GMT", from: cart)
        jar.store("b=2; Expires=Sun, 06 Nov 1994 08:49:37 GMT", from: cart)
        log("\(jar.cookies)")
        // end snippet
        #expect(lines.lines == ["[a=… for shop.example.com/]"])
    }
}

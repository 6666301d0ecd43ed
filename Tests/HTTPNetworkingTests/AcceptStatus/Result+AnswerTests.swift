import Foundation
import Futures
import HTTPNetworking
import Services
import Testing

/// Redirect, authorize, cache and cookies above `.acceptStatus()` do what they do beneath it.
@Suite struct ResultAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

    // MARK: Redirect

    @Test func redirectFollowsA302WithinAnError() {
        let server = ScriptedServer { request in
            request.url.path == "/1" ? .redirect(to: "/2") : HTTPResponse(status: 200)
        }
        let send = stack(.redirect(), .acceptStatus(), over: server.send)
        let response = send(HTTPRequest(at: "https://a/1")).valueNow
        #expect(response?.status == 200 && response?.url?.path == "/2")
        let stream = stack(.redirect(), .acceptStatus(), over: server.stream())
        #expect(stream(HTTPRequest(at: "https://a/1")).valueNow?.url?.path == "/2")
    }

    @Test func whatRedirectDoesNotFollowIsGivenBackAsTheError() throws {
        let server = ScriptedServer([
            .redirect(to: "app://done", "go on"), HTTPResponse(status: 404),
        ])
        let send = stack(.redirect(), .acceptStatus(), over: server.send)
        for status in [302, 404] {
            let error = try error(send(HTTPRequest(at: "https://a/1")))
            #expect(error.code == .unacceptableStatus && error.status == status)
            #expect(error.response?.text == (status == 302 ? "go on" : ""))
            #expect(error.response?.url?.path == "/1")
        }
    }

    @Test func aCircleOfErrorsFailsToo() throws {
        let server = ScriptedServer { _ in .redirect(to: "/1", "round") }
        let send = stack(.redirect(), .acceptStatus(), over: server.stream())
        let error = try error(send(HTTPRequest(at: "https://a/1")))
        #expect(error.code == .tooManyRedirects && error.response?.text == "round")
    }

    // MARK: Authorize

    @Test(arguments: [true, false]) func authorizeRenewsAtA401WithinAnError(isStreamed: Bool) {
        let fixture = TokenFixture()
        fixture.expect("t2")
        let whole = fixture.send(over: stack(.acceptStatus(), over: fixture.server.send))
        let stream = fixture.send(over: stack(.acceptStatus(), over: fixture.server.stream()))
        let status =
            isStreamed
            ? stream(TokenFixture.request()).map(\.status)
            : whole(TokenFixture.request()).map(\.status)
        fixture.end(with: AccessToken("t2"))
        #expect(status.valueNow == 200)
        #expect(fixture.sent == ["Bearer t1", "Bearer t2"])
    }

    @Test func aFailedRefreshKeepsThe401OfTheError() throws {
        let fixture = TokenFixture()
        fixture.expect("t2")
        let send = fixture.send(over: stack(.acceptStatus(), over: fixture.server.send))
        let future = send(TokenFixture.request())
        fixture.fail(with: URLError(.timedOut))
        let error = try error(future)
        #expect(error.code == .tokenRefreshFailed && error.status == 401)
    }

    // MARK: Cache

    private func bench(_ replies: CacheBench.Reply...) -> (CacheBench, HTTPService) {
        let bench = CacheBench()
        bench.answers(replies)
        return (bench, stack(.cache(sharing: bench.cache), .acceptStatus(), over: bench.origin))
    }

    private let request = HTTPRequest(at: "https://example.com/")

    @Test func cacheConfirmsByA304WithinAnError() {
        let stale: HTTPHeaders = ["Cache-Control": "max-age=10", "ETag": "\"a\""]
        let (bench, send) = bench(
            .init(headers: stale), .init(status: 304, headers: ["ETag": "\"a\""]))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(bench.last?.headers["If-None-Match"] == "\"a\"")
        #expect(bench.cache.statistics.confirmations == 1)
    }

    @Test func cacheKeepsA404AndGivesItAsTheErrorThatItWas() throws {
        let (bench, send) = bench(
            .init(status: 404, headers: ["Cache-Control": "max-age=10"], body: "none"))
        for _ in 1...2 {
            let error = try error(send(request))
            #expect(error.code == .unacceptableStatus && error.request == request)
            #expect(error.response?.text == "none")
        }
        #expect(bench.requests.count == 1)
    }

    @Test func cacheRescuesFromA503WithinAnError() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10, stale-if-error=10"]),
            .init(status: 503), .init(status: 404))
        #expect(send(request).valueNow?.text == "1")
        bench.advance(10)
        #expect(send(request).valueNow?.text == "1")
        #expect(try error(send(request)).status == 404)
        #expect(bench.requests.count == 3)
    }

    @Test func aWriteThatWasRefusedForgetsNothing() throws {
        let (bench, send) = bench(
            .init(headers: ["Cache-Control": "max-age=10"]), .init(status: 422))
        _ = send(request)
        #expect(try error(send(HTTPRequest(.post, at: "https://example.com/"))).status == 422)
        #expect(send(request).valueNow?.text == "1" && bench.requests.count == 2)
    }

    // MARK: Cookies

    @Test(arguments: [404, 302]) func noCookieIsSetInAnothersName(status: Int) {
        let jar = CookieJar()
        let server = ScriptedServer { request in
            guard request.url.host() == "b.example" else {
                return .redirect(to: "https://b.example/")
            }
            return HTTPResponse(
                status: status, headers: ["Set-Cookie": "a=1", "Location": "https://b.example/"])
        }
        let send = stack(.cookies(sharing: jar), .redirect(), .acceptStatus(), over: server.send)
        #expect(send(HTTPRequest(at: "https://a.example/")).errorNow is HTTPError)
        #expect(jar.cookies.map(\.domain) == ["b.example"])
    }
}

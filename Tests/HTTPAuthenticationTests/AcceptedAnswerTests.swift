import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// Authorize and cookies above `.acceptStatus()` have the same effect as beneath it.
@Suite struct AcceptedAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

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

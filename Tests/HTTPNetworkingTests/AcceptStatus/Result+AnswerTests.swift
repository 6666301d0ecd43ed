import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

/// A redirect above `.acceptStatus()` has the same effect as beneath it.
@Suite struct ResultAnswerTests {
    private func error<Output>(_ future: Future<Output>) throws -> HTTPError {
        try #require(future.errorNow as? HTTPError)
    }

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
}

import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct URLSessionRequestRedirectTests {
    @Test(arguments: [301, 302, 303, 307, 308])
    func followsARedirectOfAGet(status: Int) async throws {
        let server = try LoopbackServer(answers: [
            .response(status, headers: ["Location": "/there?a=b%2Fc"]), .text("arrived"),
        ])

        let data = try await URLSession.patient.request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == "arrived")
        #expect(server.requests.map(\.target) == ["/", "/there?a=b%2Fc"])
    }

    @Test(arguments: [307, 308])
    func aRedirectThatKeepsTheMethodKeepsTheBody(status: Int) async throws {
        let server = try LoopbackServer(answers: [
            .response(status, headers: ["Location": "/there"]), .text("arrived"),
        ])
        let endpoint = Endpoint(
            path: "/",
            method: .post,
            body: .data(Data("the body".utf8), contentType: "text/plain"),
            base: server.url
        )

        _ = try await URLSession.patient.request(endpoint).value

        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(server.requests.map(\.text) == ["the body", "the body"])
        #expect(server.requests.last?.header("Content-Type") == "text/plain")
    }

    @Test func aRedirectToAnotherPlaceTakesNoSecretsAlong() async throws {
        let elsewhere = try LoopbackServer { _ in .text("arrived") }
        let server = try LoopbackServer { _ in
            .response(302, headers: ["Location": "\(elsewhere.url)/"])
        }
        let endpoint = Endpoint(
            path: "/",
            headers: [
                "Authorization": "Bearer t", "Cookie": "a=b", "X-API-Key": "k", "Accept": "a",
            ],
            base: server.url
        )

        _ = try await URLSession.patient.request(endpoint).value

        let request = try #require(elsewhere.requests.first)
        #expect(request.header("Authorization") == nil)
        #expect(request.header("Cookie") == nil)
        #expect(request.header("X-API-Key") == nil)
        #expect(request.header("Accept") == "a")
        #expect(server.requests.first?.header("Authorization") == "Bearer t")
    }

    @Test func aRedirectToTheSamePlaceKeepsAuthorization() async throws {
        let server = try LoopbackServer(answers: [
            .response(302, headers: ["Location": "/there"]), .text("arrived"),
        ])
        let endpoint = Endpoint(
            path: "/",
            headers: ["Authorization": "Bearer t"],
            base: server.url
        )

        _ = try await URLSession.patient.request(endpoint).value

        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer t", "Bearer t"])
    }

    @Test func redirectsInACircleEnd() async throws {
        let server = try LoopbackServer { _ in .response(302, headers: ["Location": "/again"]) }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.code == .tooManyRedirects, "\(error)")
        #expect(server.requests.count == 2)
    }

    @Test func redirectsWithABodyInACircleEnd() async throws {
        let server = try LoopbackServer { _ in .response(307, headers: ["Location": "/again"]) }
        let endpoint = Endpoint(
            path: "/",
            method: .post,
            body: .data(Data([1])),
            base: server.url
        )

        let error = try await httpError(of: URLSession.patient.request(endpoint))

        #expect(error.code == .tooManyRedirects, "\(error)")
        #expect(server.requests.count == 2)
    }

    @Test func cancellingAfterARedirectHangsUp() async throws {
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { request in
            request.target == "/"
                ? Future(value: .response(307, headers: ["Location": "/there"])) : thinking
        })
        let endpoint = Endpoint(
            path: "/",
            method: .post,
            body: .data(Data([1])),
            base: server.url
        )
        let future = URLSession.patient.request(endpoint)
        _ = try await server.received(2).value

        future.cancel()

        try await server.hungUp(1).value
        #expect(throws: CancellationError.self) { try future.result?.get() }
    }

    @Test func aRedirectWithoutALocationIsAStatus() async throws {
        let server = try LoopbackServer { _ in .text("where", status: 302) }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.status == 302)
    }
}

import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

@Suite(.oneAtATime)
struct URLSessionRequestFailureTests {
    @Test(arguments: ["", "/products/7", "ftp://127.0.0.1/x", "http://"])
    func rejectsAnEndpointWithoutAnAbsoluteURL(path: String) async {
        let result = await URLSession.patient.request(Endpoint(path: path)).resultWhenSettled

        #expect(throws: Endpoint.Error.invalidURL) { try result.get() }
    }

    @Test func sendsNothingThatDoesNotValidate() async throws {
        let server = try LoopbackServer { _ in .response() }
        let wrongHeader = Endpoint(path: "/", headers: ["X": "a\r\nY: b"], base: server.url)
        let getWithBody = Endpoint(path: "/", body: .data(Data([1])), base: server.url)

        let header = await URLSession.patient.request(wrongHeader).resultWhenSettled
        let body = await URLSession.patient.request(getWithBody).resultWhenSettled
        _ = try await URLSession.patient.request(Endpoint(path: "/last", base: server.url)).value

        #expect(throws: Endpoint.Error.invalidHeader(name: "X")) { try header.get() }
        #expect(throws: Endpoint.Error.bodyNotAllowed(method: .get)) { try body.get() }
        #expect(server.requests.map(\.target) == ["/last"])
    }

    @Test func aRefusedPortIsAConnectionThatFailed() async throws {
        let closed = try ClosedPort()
        let endpoint = Endpoint(path: "/gone", base: closed.url)

        let error = try await httpError(of: URLSession.patient.request(endpoint))

        #expect(error.code == .cannotConnect)
        #expect((error.cause as? URLError)?.code == .cannotConnectToHost)
        #expect(error.endpoint == endpoint)
        #expect(error.response == nil)
        withExtendedLifetime(closed) {}
    }

    @Test func anUnknownHostIsNotFound() async throws {
        let endpoint = Endpoint(path: "/x", base: URL(string: "http://no-such-host.invalid"))

        let error = try await httpError(of: URLSession.patient.request(endpoint))

        #expect(error.code == .cannotFindHost)
    }

    @Test(arguments: [
        LoopbackAnswer.truncated("half", of: 8), .chunked(["half"], isComplete: false), .hangUp,
        LoopbackAnswer([.reset]),
    ])
    func anAnswerThatBreaksOffIsALostConnection(answer: LoopbackAnswer) async throws {
        let server = try LoopbackServer { _ in answer }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.code == .connectionLost, "\(error)")
        #expect(error.cause is URLError)
    }

    @Test func garbageIsABadResponse() async throws {
        let server = try LoopbackServer { _ in .raw("\u{1}\u{2} this is no HTTP\r\n\r\n") }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.code == .badResponse, "\(error)")
        #expect(error.cause is URLError)
    }

    @Test func aSessionThatGivesUpTimesOut() async throws {
        let never = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in never })
        let configuration = URLSessionConfiguration.patient
        configuration.timeoutIntervalForRequest = 1
        let session = URLSession(configuration: configuration)

        let error = try await httpError(of: session.request(Endpoint(url: server.url)))

        #expect(error.code == .timedOut)
        try await server.hungUp(1).value
    }
}

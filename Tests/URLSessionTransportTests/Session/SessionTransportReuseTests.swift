import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

/// What happens when the server closes a connection at the moment at which it is used again.
@Suite(.oneAtATime)
struct SessionTransportReuseTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    /// A server that answers the first request on each of its first connections, and closes them at the
    /// second.
    private func server(closing connections: Int, by step: LoopbackAnswer.Step) throws
        -> LoopbackServer
    {
        try LoopbackServer { request in
            if request.target == "/again", request.connection < connections {
                return LoopbackAnswer([step])
            }
            return .text("got \(request.text)")
        }
    }

    @Test(arguments: [HTTPMethod.get, .put, .delete, .query], [LoopbackAnswer.Step.close, .reset])
    func anIdempotentRequestIsSentAgain(
        method: HTTPMethod, step: LoopbackAnswer.Step
    ) async throws {
        let server = try server(closing: 1, by: step)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let body: HTTPRequest.Body = method == .get ? .none : .data(Data("this".utf8))
        let request = HTTPRequest(method, server.url.appending("/again"), body: body)

        let response = try await transport.send(request).soon

        #expect(response.text == (method == .get ? "got " : "got this"))
        #expect(server.requests.count == 3)
        #expect(server.requests.last?.connection != 0)
    }

    @Test func aStreamIsSentAgainFromItsCopy() async throws {
        let server = try server(closing: 1, by: .close)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let once = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(Data("this".utf8))
        }
        let request = HTTPRequest(.put, server.url.appending("/again"), body: .stream(once))

        #expect(try await transport.send(request).soon.text == "got this")
    }

    @Test func aKeyMakesAPostRepeatable() async throws {
        let server = try server(closing: 1, by: .close)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        var request = HTTPRequest(
            .post, server.url.appending("/again"), body: .data(Data("this".utf8)))
        request.context.idempotencyKey = "k"

        #expect(try await transport.send(request).soon.text == "got this")
        #expect(server.requests.map { $0.header("Idempotency-Key") } == [nil, "k", "k"])
    }

    @Test(arguments: [LoopbackAnswer.Step.close, .reset])
    func aPostWithABodyIsNotSentTwice(step: LoopbackAnswer.Step) async throws {
        let server = try server(closing: 1, by: step)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let request = HTTPRequest(
            .post, server.url.appending("/again"), body: .data(Data("this".utf8)))

        let error = try await transport.send(request).httpError

        #expect(error.code == .connectionLost)
        #expect(error.request == request)
        #expect(server.requests.filter { $0.target == "/again" }.count == 1)
    }

    @Test func aServerThatAlwaysClosesIsALostConnection() async throws {
        let server = try server(closing: .max, by: .close)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let request = HTTPRequest(
            .put, server.url.appending("/again"), body: .data(Data("this".utf8)))

        let error = try await transport.send(request).httpError

        #expect(error.code == .connectionLost)
        #expect(server.requests.count < 10)
    }

    @Test func aRequestThatIsSentAgainIsStillCancelled() async throws {
        let server = try LoopbackServer(answeringLater: { request in
            if request.target != "/again" { return Future(value: .text("first")) }
            return request.connection == 0 ? Future(value: .hangUp) : Promise()
        })
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let future = transport.send(
            HTTPRequest(.put, server.url.appending("/again"), body: .data(Data([1]))))
        _ = try await server.received(3).soon

        future.cancel()

        try await server.hungUp(1).soon
        try await transport.close().soon
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime)
struct SessionTransportStreamTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func givesTheHeadersBeforeTheBodyIsThere() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nX-A: 1\r\n\r\nfirst"
            return LoopbackAnswer([.send(Data(head.utf8)), .hold(go), .send(Data("end".utf8))])
        }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 200)
        #expect(response.headers["X-A"] == "1")
        #expect(response.url?.host == "127.0.0.1")
        #expect(response.body.length == 8)
        #expect(response.timing.untilHeaders != nil)
        #expect(response.timing.total == nil)
        #expect(try await response.body.next().soon == Data("first".utf8))
        let next = response.body.next()
        #expect(!next.isSettled)
        go.resolve()
        #expect(try await next.soon == Data("end".utf8))
        #expect(try await response.body.next().soon == nil)
    }

    @Test func givesAllBytesOfALongBody() async throws {
        let bytes = Pattern.bytes(5_000_000)
        let server = try LoopbackServer { _ in .response(body: bytes) }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(response.body.length == 5_000_000)
        #expect(try await response.body.collected(upTo: .max).soon == bytes)
    }

    @Test(arguments: [204, 301, 302, 401, 404, 500])
    func givesAnyStatusWithItsBody(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text(
                "why", status: status,
                headers: ["Location": "/there", "WWW-Authenticate": "Basic realm=\"a\""])
        }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(response.status == status)
        let body = try await response.body.collected(upTo: 100).soon
        #expect(body == Data((status == 204 ? "" : "why").utf8))
        #expect(server.requests.count == 1)
    }

    @Test func aRedirectThatLeadsNowhereHasHeadersAndAnEnd() async throws {
        let server = try LoopbackServer { _ in .text("", status: 302) }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 302)
        #expect(try await response.body.next().soon == nil)
    }

    @Test func headHasAnEmptyBody() async throws {
        let server = try LoopbackServer { _ in .text("never sent") }

        let response = try await transport.stream(HTTPRequest(.head, server.url)).soon

        #expect(response.headers["Content-Length"] == "10")
        #expect(response.body.length == 0)
        #expect(try await response.body.next().soon == nil)
    }

    @Test func aBodyThatBreaksOffFailsAfterWhatCame() async throws {
        let server = try LoopbackServer { _ in .truncated("half", of: 8) }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(try await response.body.next().soon == Data("half".utf8))
        #expect(try await response.body.next().httpError.code == .connectionLost)
    }

    @Test func noAnswerRejects() async throws {
        let server = try LoopbackServer { _ in .hangUp }

        let error = try await transport.stream(HTTPRequest(.get, server.url)).httpError

        #expect(error.code == .connectionLost)
    }

    @Test func aReaderThatLagsFarBehindGetsAll() async throws {
        let bytes = Pattern.bytes(5_000_000)
        let server = try LoopbackServer { request in
            request.target == "/other" ? .text("ok") : .response(body: bytes)
        }
        let transport = SessionTransport(.init(idleTimeout: nil, maxUnreadBytes: 100_000))
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        // Other calls continue meanwhile.
        let other = try #require(URL(string: "/other", relativeTo: server.url))
        for _ in 0..<50 { _ = try await transport.send(HTTPRequest(.get, other.absoluteURL)).soon }

        #expect(try await response.body.collected(upTo: .max).soon == bytes)
    }

    #if canImport(FoundationNetworking)
    @Test func aDiskThatFailsIsTold() async throws {
        let server = try LoopbackServer { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n"
            let bytes = Data(head.utf8) + Data(count: 4_900_000)
            return LoopbackAnswer([.send(bytes), .hold(Promise())])
        }
        var configuration = SessionTransport.Configuration(
            idleTimeout: nil, maxUnreadBytes: 100_000)
        configuration.spoolFolder = URL(fileURLWithPath: "/no/such/folder")
        let transport = SessionTransport(configuration)
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        try await server.hungUp(1).soon

        let error = try await response.body.collected(upTo: .max).httpError

        #expect(error.code == .fileUnwritable)
        #expect(error.cause as? FileError == FileError(operation: "open", code: ENOENT))
    }
    #endif

    @Test(arguments: [true, false])
    func aBodyThatIsGivenUpHangsUp(byRelease: Bool) async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(Promise())])
        }
        do {
            let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
            if !byRelease { response.discardBody() }
        }
        try await server.hungUp(1).soon
    }

    @Test func cancellingBeforeTheHeadersHangsUp() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let future = transport.stream(HTTPRequest(.get, server.url))
        _ = try await server.received(1).soon

        future.cancel()

        #expect(throws: CancellationError.self) { try future.result?.get() }
        try await server.hungUp(1).soon
    }

    @Test func closingCancelsABodyOnItsWay() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(Promise())])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        #expect(try await response.body.next().soon == Data("half".utf8))
        let next = response.body.next()

        try await transport.close(cancelling: true).soon

        await #expect(throws: CancellationError.self) { try await next.soon }
    }
}

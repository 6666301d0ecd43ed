import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime)
struct SessionTransportTests {
    let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func theTimeLimitsDoNotCountTheTimeInWhichBytesInMemoryAreSent() async throws {
        let upload = try SlowUpload()
        defer { upload.stop() }
        var client = HTTPClient(
            base: nil, over: SessionTransport(.init(idleTimeout: nil), on: upload.scheduler))
        client.scheduler = upload.scheduler
        client.attemptTimeout = .seconds(10)
        client.deadline = .seconds(15)
        client.retry = nil
        try await upload.expectLimitsToBeginAfterwards(client.futures.send)
    }

    @Test func aStreamThatWasSentLeavesNoTimer() async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let scheduler = ManualScheduler()
        let transport = SessionTransport(.init(idleTimeout: .seconds(30)), on: scheduler)
        let body = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(Data("this".utf8))
        }
        let sent = HTTPRequest(.put, server.url, body: .stream(body))
        let context = CallContext(deadline: CallDeadline(after: .seconds(60), on: scheduler))
        #expect(try await context.run { transport.send(sent) }.soon.text == "this")
        // The timer that finds idle calls fires once more.
        scheduler.advance(by: .seconds(31))
        #expect(scheduler.isIdle)
    }

    @Test func headGivesTheHeadersOfGet() async throws {
        let server = try LoopbackServer { _ in
            .text("never sent", headers: ["Content-Encoding": "gzip"])
        }

        let response = try await transport.send(HTTPRequest(.head, server.url)).soon

        #expect(response.body.isEmpty)
        #expect(response.headers["Content-Length"] == "10")
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    /// On Linux the session does not return the body of that response.
    @Test func aRedirectThatLeadsNowhereIsAnAnswer() async throws {
        let server = try LoopbackServer { _ in .text("", status: 302, headers: ["X-A": "1"]) }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 302)
        #expect(response.headers["X-A"] == "1")
    }

    /// URLSession joins the fields by commas.
    @Test func aValueWithACommaSetsNoSecondCookie() async throws {
        let answers: [LoopbackAnswer] = [
            .text("", headers: ["Set-Cookie": "lang=x, sid=evil"]),
            .text("", headers: ["Set-Cookie": "lang=x", "Set-Cookie": "sid=evil"]),
        ]
        let server = try LoopbackServer(answers: answers)
        for _ in answers {
            let response = try await transport.send(HTTPRequest(.get, server.url)).soon
            #expect(response.headers.values(for: "Set-Cookie") == [])
        }
    }
}

extension URL {
    /// The URL with text appended unchanged.
    func appending(_ text: String) -> URL { URL(string: absoluteString + text)! }
}

@Suite(.oneAtATime)
struct SessionTransportStreamTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func aRedirectThatLeadsNowhereHasHeadersAndAnEnd() async throws {
        let server = try LoopbackServer { _ in .text("", status: 302) }

        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 302)
        #expect(try await response.body.next().soon == nil)
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

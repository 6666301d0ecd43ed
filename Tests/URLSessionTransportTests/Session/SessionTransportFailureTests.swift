import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime)
struct SessionTransportFailureTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    /// Only Apple's systems have background sessions.
    @Test func aBackgroundSessionIsRefused() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let session = SessionTransport(over: .patient) { _ in
            URLSessionConfiguration.refusal(ofSessionNamed: "downloads")
        }
        let request = HTTPRequest(.get, server.url)
        let errors = [
            try await session.send(request).httpError, try await session.stream(request).httpError,
        ]
        for error in errors {
            #expect(error.code == .unsupported)
            #expect(error.request == request)
            #expect(
                error.reason
                    == "a background session runs only uploads and downloads of files: give"
                    + " SessionTransport a session with the configuration .default or .ephemeral")
        }
        #expect(server.requests.isEmpty)

        #expect(URLSessionConfiguration.ephemeral.refusal == nil)
        let foreground = SessionTransport(session: .patient)
        #expect(try await foreground.send(request).soon.text == "done")
    }

    @Test(arguments: [
        "\u{1}\u{2} this is no HTTP\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot zipped",
    ])
    func whatMakesNoSenseIsABadResponse(text: String) async throws {
        let server = try LoopbackServer { _ in .raw(text) }

        let error = try await transport.send(HTTPRequest(.get, server.url)).httpError

        #expect(error.code == .badResponse, "\(error)")
        #expect(error.cause is URLError)
    }

    @Test func bytesAfterACodedBodyAreABadResponse() async throws {
        // The output of zlib for "content".
        var body = try #require(Data(base64Encoded: "H4sIAAAAAAAC/0vOzytJzSsBAKkwxf4HAAAA"))
        body.append(0)
        let server = try LoopbackServer { [body] _ in
            .response(headers: ["Content-Encoding": "gzip"], body: body)
        }
        let error = try await transport.send(HTTPRequest(.get, server.url)).httpError
        #expect(error.code == .badResponse, "\(error)")
    }

    @Test func aBodyThatIsTooLargeIsTold() async throws {
        let transport = SessionTransport(
            .init(idleTimeout: nil, maxBodySize: 3, maxSpooledBodySize: 3))
        let server = try LoopbackServer { _ in .text("four") }
        let answer = try await transport.send(HTTPRequest(.get, server.url)).httpError
        #expect("\(answer)".hasSuffix("(cause: its body has more than 3 bytes)"))
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data(count: 4)) }
        let sent = HTTPRequest(.post, server.url, body: .stream(source))
        let error = try await transport.send(sent).httpError
        #expect("\(error)".hasSuffix("(cause: the body to be sent has more than 3 bytes)"))
        #expect(server.requests.count == 1)
    }
}

@Suite(.oneAtATime)
struct SessionTransportLimitsTests {
    private let scheduler = ManualScheduler()

    @Test(arguments: [Duration.milliseconds(1), .milliseconds(500), .seconds(60)])
    func aServerThatSaysNothingTimesOutToTheMoment(timeout: Duration) async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let transport = SessionTransport(.init(idleTimeout: timeout), on: scheduler)
        let future = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).soon

        scheduler.advance(by: timeout - .microseconds(1))
        #expect(!future.isSettled)
        scheduler.advance(by: .microseconds(1))

        let error = try await future.httpError
        #expect(error.code == .timedOut)
        #expect(error.request?.url == server.url)
        #expect(error.response == nil)
        #expect(
            error.description
                == "GET \(server.url) failed: it timed out (cause: the idle limit of \(timeout))")
        #expect(server.requests.count == 1)
        try await server.hungUp(1).soon
    }

    @Test func aDeadlineSaysAfterWhatTime() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let transport = SessionTransport(on: scheduler)
        let deadline = CallDeadline(after: .milliseconds(1_234), on: scheduler)
        let future = CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        _ = try await server.received(1).soon
        scheduler.advance(by: .seconds(2))
        let text = try await future.httpError.description
        #expect(text.hasSuffix("it timed out (cause: the deadline, after 1.23 seconds)"))
    }

    @Test func eachSignOfLifeCountsAnew() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.truncated("half", of: 8).steps.dropLast() + [.hold(Promise())])
        }
        let transport = SessionTransport(.init(idleTimeout: .seconds(10)), on: scheduler)
        let future = transport.stream(HTTPRequest(.get, server.url))
        scheduler.advance(by: .seconds(0))
        let body = try await future.soon.body
        let first = try await body.next().soon
        #expect(first == Data("half".utf8))
        let next = body.next()

        scheduler.advance(by: .seconds(10))
        let error = try await next.httpError

        #expect(error.code == .timedOut)
        #expect(error.response?.status == 200)
        try await server.hungUp(1).soon
    }

    @Test func aDeadlineEndsTheCall() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let transport = SessionTransport(.init(idleTimeout: nil))
        let deadline = CallDeadline(after: .milliseconds(300), on: scheduler)
        let future = CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        _ = try await server.received(1).soon

        scheduler.advance(by: .milliseconds(299))
        #expect(!future.isSettled)
        scheduler.advance(by: .milliseconds(1))

        #expect(try await future.httpError.code == .timedOut)
        try await server.hungUp(1).soon
    }

    @Test(arguments: [0, 1, 7, 8, 9])
    func aBodyHasNoMoreBytesThanItMay(limit: Int) async throws {
        let server = try LoopbackServer(answers: [.text("12345678"), .chunked(["1234", "5678"])])
        let transport = SessionTransport(.init(idleTimeout: nil, maxBodySize: limit))

        for _ in 0..<2 {
            let future = transport.send(HTTPRequest(.get, server.url))
            if limit >= 8 {
                #expect(try await future.soon.text == "12345678")
            } else {
                let error = try await future.httpError
                #expect(error.code == .bodyTooLarge)
                #expect(error.response?.status == 200)
                #expect(error.body.count <= limit)
            }
        }
    }

    @Test func aBodyThatNeverEndsIsCutOff() async throws {
        let server = try LoopbackServer { _ in
            let chunk = "10000\r\n\(String(repeating: "x", count: 65_536))\r\n"
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let bytes = Data((head + String(repeating: chunk, count: 400)).utf8)
            return LoopbackAnswer([.send(bytes), .hold(Promise())])
        }
        let transport = SessionTransport(.init(idleTimeout: nil, maxBodySize: 100_000))

        let error = try await transport.send(HTTPRequest(.get, server.url)).httpError

        #expect(error.code == .bodyTooLarge)
        #expect(error.body.count <= 100_000)
        try await server.hungUp(1).soon
    }

    @Test func headMayAnnounceMoreThanABodyMayHave() async throws {
        let server = try LoopbackServer { _ in .text("12345678") }
        let transport = SessionTransport(.init(idleTimeout: nil, maxBodySize: 1))

        let response = try await transport.send(HTTPRequest(.head, server.url)).soon

        #expect(response.headers["Content-Length"] == "8")
    }

    @Test(arguments: [301, 401])
    func theBodiesOfRedirectsAndRefusalsAreBoundedToo(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .chunked(
                ["12345678"], status: status,
                headers: ["Location": "/", "WWW-Authenticate": "Basic realm=\"a\""])
        }
        let transport = SessionTransport(.init(idleTimeout: nil, maxBodySize: 4))

        let error = try await transport.send(HTTPRequest(.get, server.url)).httpError

        #expect(error.code == .bodyTooLarge)
        #expect(error.status == status)
    }

    @Test func decodesAndCountsTheDecodedBytes() async throws {
        let zeros = try #require(Data(base64Encoded: Self.zeros))
        let hello = try #require(Data(base64Encoded: Self.hello))
        let server = try LoopbackServer { request in
            .response(
                headers: ["Content-Encoding": "gzip", "Content-Type": "text/plain"],
                body: request.target == "/zeros" ? zeros : hello)
        }
        let transport = SessionTransport(.init(idleTimeout: nil, maxBodySize: 299_999))
        let ample = SessionTransport(.init(idleTimeout: nil, maxBodySize: 300_000))

        let greeting = try await transport.send(HTTPRequest(.get, server.url)).soon
        let request = HTTPRequest(.get, server.url.appending("/zeros"))
        let error = try await transport.send(request).httpError
        let whole = try await ample.send(request).soon

        #expect(greeting.text == "Hello, hello, hello")
        #expect(greeting.headers["Content-Encoding"] == nil)
        #expect(greeting.headers["Content-Length"] == nil)
        #expect(greeting.headers["Content-Type"] == "text/plain")
        #expect(error.code == .bodyTooLarge)
        #expect(whole.body == Data(count: 300_000))
    }

    /// "Hello, hello, hello", compressed.
    private static let hello = "H4sIAAAAAAACA/NIzcnJ11HIQKIAi9dOLxMAAAA="

    /// 300,000 zeros, compressed.
    private static let zeros =
        "H4sIAAAAAAACA+3BAQ0AAADCoPdPbQ8HFAAA" + String(repeating: "A", count: 384)
        + "/Bj74rL24JMEAA=="
}

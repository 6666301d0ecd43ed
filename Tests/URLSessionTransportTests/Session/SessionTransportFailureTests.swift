import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime)
struct SessionTransportFailureTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    @Test func sendsNothingThatDoesNotValidate() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let url = server.url
        let requests: [(HTTPRequest, HTTPRequest.Error)] = [
            (HTTPRequest("GE T", url), .invalidMethod("GE T")),
            (HTTPRequest(.get, url, headers: ["X": "a\r\nY: b"]), .invalidHeader(name: "X")),
            (HTTPRequest(.get, url, body: .data(Data([1]))), .bodyNotAllowed(method: .get)),
            (HTTPRequest(.get, URL(string: "/relative")!), .invalidURL),
            (HTTPRequest(.get, URL(string: "ftp://127.0.0.1/")!), .invalidURL),
        ]

        for (request, expected) in requests {
            await #expect(throws: expected) { try await transport.send(request).soon }
            await #expect(throws: expected) { try await transport.stream(request).soon }
        }
        _ = try await transport.send(HTTPRequest(.get, url.appending("/last"))).soon

        #expect(server.requests.map(\.target) == ["/last"])
    }

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

    @Test func aGetWithAnEmptyBodyIsSent() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let request = HTTPRequest(.get, server.url, body: .data(Data()))

        #expect(try await transport.send(request).soon.text == "done")
    }

    @Test func aRefusedPortIsAConnectionThatFailed() async throws {
        let closed = try ClosedPort()
        let request = HTTPRequest(.get, closed.url)

        let error = try await transport.send(request).httpError

        #expect(error.code == .cannotConnect)
        #expect((error.cause as? URLError)?.code == .cannotConnectToHost)
        #expect(error.request == request)
        #expect(error.response == nil)
        withExtendedLifetime(closed) {}
    }

    @Test func anUnknownHostIsNotFound() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/x"))

        let error = try await transport.send(HTTPRequest(.get, url)).httpError

        #expect(error.code == .cannotFindHost)
    }

    @Test(arguments: [
        LoopbackAnswer.truncated("half", of: 8), .chunked(["half"], isComplete: false), .hangUp,
        LoopbackAnswer([.reset]),
    ])
    func anAnswerThatBreaksOffIsALostConnection(answer: LoopbackAnswer) async throws {
        let server = try LoopbackServer { _ in answer }

        let error = try await transport.send(HTTPRequest(.get, server.url)).httpError

        #expect(error.code == .connectionLost, "\(error)")
        #expect(error.cause is URLError)
        // The error has the bytes that had arrived.
        if error.status != nil { #expect(error.response?.text == "half") }
        #expect((error.status != nil) == (answer.steps.count > 1))
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

    @Test(arguments: ["100 Continue", "103 Early Hints"])
    func interimAnswersAreNoAnswer(line: String) async throws {
        let server = try LoopbackServer { _ in
            .raw("HTTP/1.1 \(line)\r\nX-A: 1\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nok")
        }

        let whole = try await transport.send(HTTPRequest(.get, server.url)).soon
        let streamed = try await transport.stream(HTTPRequest(.get, server.url)).soon

        #expect(whole.status == 404)
        #expect(whole.text == "ok")
        #expect(streamed.status == 404)
        #expect(try await streamed.body.collected(upTo: 10).soon == Data("ok".utf8))
    }
}

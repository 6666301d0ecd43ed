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

    @Test(arguments: [
        HTTPMethod.get, .post, .put, .delete, .patch, .options, "PURGE", .query, .trace,
    ])
    func sendsTheMethodTheTargetAndTheHeaders(method: HTTPMethod) async throws {
        let server = try LoopbackServer { .text("\($0.method) \($0.target)") }
        let url = server.url.appending("/a%20b/%C3%BC%2Fx?q=x%26y#part")
        var headers: HTTPHeaders = [
            "X-One": "1", "Authorization": "Bearer t", "X-Empty": "", "Cookie": "a=1; b=2",
        ]
        headers.add("2", for: "x-one")

        let response = try await transport.send(HTTPRequest(method, url, headers: headers)).soon

        #expect(response.status == 200)
        #expect(response.text == "\(method) /a%20b/%C3%BC%2Fx?q=x%26y")
        #expect(response.url?.absoluteString.hasPrefix(server.url.absoluteString) == true)
        let request = try #require(server.requests.first)
        #expect(request.header("X-One") == "1, 2")
        #expect(request.header("Authorization") == "Bearer t")
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Cookie") == "a=1; b=2")
        #expect(request.header("Content-Type") == nil)
        #expect(server.requests.count == 1)
    }

    @Test func theTimeLimitsDoNotCountTheTimeInWhichBytesInMemoryAreSent() async throws {
        let upload = try SlowUpload()
        defer { upload.stop() }
        var client = HTTPClient(
            base: nil, over: SessionTransport(.init(idleTimeout: nil), on: upload.scheduler))
        client.scheduler = upload.scheduler
        client.attemptTimeout = .seconds(10)
        client.deadline = .seconds(15)
        client.retry = nil
        try await upload.expectLimitsToBeginAfterwards(client.send)
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

    @Test func aResponseKnowsTheRequest() async throws {
        let server = try LoopbackServer { _ in .text("no", status: 403) }
        let request = HTTPRequest(.put, server.url, headers: ["X-One": "1"])
        #expect(try await transport.send(request).soon.request == request)
        #expect(try await transport.stream(request).soon.request == request)
        await #expect {
            try await URLSession.shared.request(Endpoint(url: server.url)).soon
        } throws: {
            ($0 as? HTTPError)?.response?.request?.url == server.url
        }
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, .options, .query])
    func sendsBytesWithTheirLengthAndType(method: HTTPMethod) async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let request = HTTPRequest(method, server.url, body: try .json(["name": "Zoë"]))

        let response = try await transport.send(request).soon

        #expect(response.text == #"{"name":"Zoë"}"#)
        let sent = try #require(server.requests.first)
        #expect(sent.header("Content-Type") == "application/json")
        #expect(sent.headers("Content-Length") == ["15"])
        #expect(sent.headers("Transfer-Encoding") == [])
        #expect(sent.headers("Expect") == [])
    }

    @Test func sendsAFile() async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let bytes = Pattern.bytes(3_000_000)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let request = HTTPRequest(.put, server.url, body: .file(file, contentType: "a/b"))
        let response = try await transport.send(request).soon

        #expect(response.body == bytes)
        #expect(server.requests.first?.header("Content-Type") == "a/b")
        #expect(server.requests.first?.headers("Content-Length") == ["3000000"])
    }

    @Test(arguments: [
        200, 201, 206, 226, 300, 400, 401, 403, 404, 407, 409, 417, 429, 500, 503, 599,
    ])
    func givesEveryStatusWithItsHeadersAndBody(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text("why", status: status, headers: ["X-Reason": "because"])
        }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == status)
        #expect(response.headers["x-reason"] == "because")
        #expect(response.headers["Content-Length"] == "3")
        #expect(response.text == "why")
    }

    @Test(arguments: [204, 304])
    func givesNoBodyWhereThereIsNone(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text("never sent", status: status, headers: ["ETag": "\"1\""])
        }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == status)
        #expect(response.headers["ETag"] == "\"1\"")
        #expect(response.body.isEmpty)
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

    @Test(arguments: [
        "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\"", "Basic", "Bearer", "Nonsense",
    ])
    func aQuestionForAPasswordIsAnAnswer(challenge: String) async throws {
        let server = try LoopbackServer { _ in
            .text("who are you", status: 401, headers: ["WWW-Authenticate": challenge])
        }

        for round in 1...3 {
            let response = try await transport.send(HTTPRequest(.get, server.url)).soon
            #expect(response.status == 401)
            #expect(response.headers["WWW-Authenticate"] == challenge)
            #expect(response.text == "who are you")
            #expect(server.requests.count == round)
        }
    }

    @Test func aProxysQuestionForAPasswordIsAnAnswer() async throws {
        let server = try LoopbackServer { _ in
            .text("who are you", status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""])
        }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 407)
        #expect(response.text == "who are you")
    }

    @Test(
        arguments: [301, 302, 303, 307, 308],
        ["/there", "http://127.0.0.1:9/there", "://", "?a=%2F"])
    func followsNoRedirect(status: Int, location: String) async throws {
        let server = try LoopbackServer { _ in
            .text("it is there", status: status, headers: ["Location": location])
        }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == status)
        #expect(response.headers["Location"] == location)
        #expect(response.text == "it is there", "\(location)")
        #expect(server.requests.count == 1)
    }

    /// On Linux the session does not return the body of that response.
    @Test func aRedirectThatLeadsNowhereIsAnAnswer() async throws {
        let server = try LoopbackServer { _ in .text("", status: 302, headers: ["X-A": "1"]) }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.status == 302)
        #expect(response.headers["X-A"] == "1")
    }

    @Test func keepsRepeatedSetCookieApartAndSendsNoneBack() async throws {
        let cookies = [
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2,3; Path=/", "c=4",
        ]
        let server = try LoopbackServer { _ in
            .text(
                "",
                headers: [
                    "Set-Cookie": cookies[0], "Set-Cookie": cookies[1], "Set-Cookie": cookies[2],
                ])
        }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(response.headers.values(for: "Set-Cookie") == cookies)
        #expect(server.requests.last?.header("Cookie") == nil)
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

    @Test func readsChunksAndBodiesWithoutALength() async throws {
        let server = try LoopbackServer(answers: [
            .chunked(["Hello", ", ", "world"]), .untilClose("until the end"),
        ])

        let chunked = try await transport.send(HTTPRequest(.get, server.url)).soon
        let endless = try await transport.send(HTTPRequest(.get, server.url)).soon

        #expect(chunked.text == "Hello, world")
        #expect(endless.text == "until the end")
    }

    @Test func carriesBigBodiesBothWays() async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let bytes = Pattern.bytes(5_000_000)

        let response = try await transport.send(
            HTTPRequest(.post, server.url, body: .data(bytes))
        ).soon

        #expect(response.body == bytes)
    }

    @Test(arguments: ["HTTP", "Http", "hTTp"])
    func knowsASchemeInAnyCase(scheme: String) async throws {
        let server = try LoopbackServer { .text($0.target) }
        let url = try #require(URL(string: "\(scheme)://127.0.0.1:\(server.port)/a?b#c"))

        let response = try await transport.send(HTTPRequest(.get, url)).soon

        #expect(response.text == "/a?b")
    }

    @Test func tellsHowLongItTook() async throws {
        let server = try LoopbackServer { _ in .text("done") }

        let response = try await transport.send(HTTPRequest(.get, server.url)).soon

        let total = try #require(response.timing.total)
        let untilHeaders = try #require(response.timing.untilHeaders)
        #expect(untilHeaders > .zero)
        #expect(total >= untilHeaders)
    }
}

extension URL {
    /// The URL with text appended unchanged.
    func appending(_ text: String) -> URL { URL(string: absoluteString + text)! }
}

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

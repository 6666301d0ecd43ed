import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeTesting
import PledgeTransportChecks
import PledgeURLSessionTransport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.oneAtATime)
struct URLSessionRequestTests {
    @Test(arguments: [
        HTTPMethod.get, .post, .put, .delete, .patch, .options, "PURGE", .query,
    ])
    func sendsTheMethodThePathAndTheQuery(method: HTTPMethod) async throws {
        let server = try LoopbackServer { .text("\($0.method) \($0.target)") }
        let endpoint = Endpoint(
            path: "/a b/ü",
            query: .init([URLQueryItem(name: "q", value: "x&y")]),
            method: method,
            base: server.url
        )

        let data = try await URLSession.patient.request(endpoint).value

        #expect(String(decoding: data, as: UTF8.self) == "\(method) /a%20b/%C3%BC?q=x%26y")
        #expect(server.requests.count == 1)
    }

    @Test func headGivesNoBody() async throws {
        let server = try LoopbackServer { _ in .text("never sent") }

        let data = try await URLSession.patient.request(
            Endpoint(path: "/", method: .head, base: server.url)
        ).value

        #expect(data.isEmpty)
        #expect(server.requests.map(\.method) == ["HEAD"])
    }

    @Test(arguments: [HTTPMethod.post, .put, .delete, .patch, .options, .query])
    func sendsTheBodyWithItsType(method: HTTPMethod) async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let endpoint = Endpoint(
            path: "/",
            method: method,
            body: try .json(["name": "Zoë"]),
            base: server.url
        )

        let data = try await URLSession.patient.request(endpoint).value

        #expect(String(decoding: data, as: UTF8.self) == #"{"name":"Zoë"}"#)
        #expect(server.requests.first?.header("Content-Type") == "application/json")
    }

    @Test func sendsHeadersRepeatedOnesJoined() async throws {
        let server = try LoopbackServer { _ in .response() }
        var endpoint = Endpoint(path: "/", base: server.url)
        endpoint.headers = ["X-One": "1", "Authorization": "Bearer t", "Accept": "text/plain"]
        endpoint.headers.add("2", for: "x-one")

        _ = try await URLSession.patient.request(endpoint).value

        let request = try #require(server.requests.first)
        #expect(request.header("X-One") == "1, 2")
        #expect(request.header("Authorization") == "Bearer t")
        #expect(request.header("Accept") == "text/plain")
    }

    @Test(arguments: ["Content-Length", "content-length", "Transfer-Encoding"])
    func theBodySaysHowLongItIs(name: String) async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        var endpoint = Endpoint(
            path: "/", method: .post, headers: [name: "3"], body: .data(Data("whole".utf8)),
            base: server.url)

        let refused = await URLSession.patient.request(endpoint).resultWhenSettled
        endpoint.headers = ["Content-Length": "5"]
        let data = try await URLSession.patient.request(endpoint).value

        #expect(throws: Endpoint.Error.reservedHeader(name: name)) { try refused.get() }
        #expect(String(decoding: data, as: UTF8.self) == "whole")
        #expect(server.requests.map { $0.headers("Content-Length") } == [["5"]])
    }

    @Test(arguments: [200, 201, 202, 204, 206, 299])
    func acceptsEverySuccess(status: Int) async throws {
        let server = try LoopbackServer { _ in .text("fine", status: status) }

        let data = try await URLSession.patient.request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == (status == 204 ? "" : "fine"))
    }

    @Test(arguments: [300, 304, 400, 401, 403, 404, 409, 429, 500, 503, 599])
    func rejectsEveryOtherStatusAndKeepsTheResponse(status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text("why", status: status, headers: ["X-Reason": "because"])
        }
        let endpoint = Endpoint(path: "/p", base: server.url)

        let error = try await httpError(of: URLSession.patient.request(endpoint))

        #expect(error.code == .unacceptableStatus)
        #expect(error.status == status)
        #expect(error.headers["x-reason"] == "because")
        #expect(String(decoding: error.body, as: UTF8.self) == (status == 304 ? "" : "why"))
        #expect(error.endpoint == endpoint)
    }

    @Test(arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\"", "Bearer", "Nonsense"])
    func endsWhenAskedForAPassword(challenge: String) async throws {
        let server = try LoopbackServer { _ in
            .text("who are you", status: 401, headers: ["WWW-Authenticate": challenge])
        }

        let error = try await httpError(of: URLSession.patient.request(Endpoint(url: server.url)))

        #expect(error.status == 401)
        #expect(error.headers["WWW-Authenticate"] == challenge)
        #expect(String(decoding: error.body, as: UTF8.self) == "who are you")
        #expect(server.requests.count == 1)
    }

    @Test func takesRepeatedSetCookieApart() async throws {
        let cookies = [
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2,3; Path=/", "c=4",
        ]
        let server = try LoopbackServer { _ in
            .text(
                "",
                status: 400,
                headers: [
                    "Set-Cookie": cookies[0], "Set-Cookie": cookies[1], "Set-Cookie": cookies[2],
                ]
            )
        }

        let error = try await httpError(
            of: URLSession(configuration: .patient).request(Endpoint(url: server.url))
        )

        #expect(error.headers.values(for: "Set-Cookie") == cookies)
    }

    @Test func anEmptyBodyIsEmptyData() async throws {
        let server = try LoopbackServer { _ in .response() }

        #expect(try await URLSession.patient.request(Endpoint(url: server.url)).value == Data())
    }

    @Test func carriesBigBodiesBothWays() async throws {
        let server = try LoopbackServer { .response(body: $0.body) }
        let bytes = Pattern.bytes(5_000_000)
        let endpoint = Endpoint(path: "/", method: .post, body: .data(bytes), base: server.url)

        let data = try await URLSession.patient.request(endpoint).value

        #expect(data == bytes)
    }

    @Test func readsChunksAndBodiesWithoutALength() async throws {
        let server = try LoopbackServer(answers: [
            .chunked(["Hello", ", ", "world"]), .untilClose("until the end"),
        ])
        let networking: Networking = URLSession.patient.request

        let chunked = try await networking(Endpoint(url: server.url)).value
        let endless = try await networking(Endpoint(url: server.url)).value

        #expect(String(decoding: chunked, as: UTF8.self) == "Hello, world")
        #expect(String(decoding: endless, as: UTF8.self) == "until the end")
    }

    @Test func aSessionOfOnesOwnWorksToo() async throws {
        let server = try LoopbackServer { .text($0.header("X-Session") ?? "none") }
        let configuration = URLSessionConfiguration.patient
        configuration.httpAdditionalHeaders = ["X-Session": "mine"]

        let data = try await URLSession(configuration: configuration)
            .request(Endpoint(url: server.url)).value

        #expect(String(decoding: data, as: UTF8.self) == "mine")
    }
}

/// The HTTPError that a future rejects with.
func httpError(of future: Future<Data>) async throws -> HTTPError {
    switch await future.resultWhenSettled {
    case .success(let data):
        Issue.record("it resolved with \(data.count) bytes")
        throw CancellationError()
    case .failure(let error):
        return try #require(error as? HTTPError, "it rejected with \(error)")
    }
}

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

extension URLSession {
    /// A session that only the ``watchdog`` ends.
    static let patient = URLSession(configuration: .patient)
}

extension URLSessionConfiguration {
    /// An ephemeral session with no limit but the ``watchdog``.
    static var patient: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(watchdog.components.seconds)
        return configuration
    }
}

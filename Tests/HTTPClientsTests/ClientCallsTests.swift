import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite struct HTTPClientMethodsTests {
    private struct User: Codable, Equatable, Sendable {
        var id = 7
        var name = "Ann"
    }

    private let server = URL(string: "https://api.example.com/v1")!
    private let transport = MemoryTransport(routes: [
        .any("/v1/users/:id", answer: .text(#"{"id": 7, "name": "Ann"}"#)),
        .any("/v1/users", answer: .text(#"{"id": 7, "name": "Ann"}"#)),
        .any("/v1/missing", answer: .status(404)),
    ])
    private var client: HTTPClient { HTTPClient(base: server, over: transport) }
    private var sent: [HTTPRequest] { transport.calls.compactMap(\.request) }

    @Test func aCallReturnsWhatIsAskedFor() async throws {
        let id = "7?x"
        let user: User = try await client.get(
            "/users/\(id)", query: ["page": 2, "q": nil as String?])
        #expect(user == User())
        #expect(sent[0].url.absoluteString == "https://api.example.com/v1/users/7%3Fx?page=2")
        let response = try await client.get("/users/7", headers: ["X-A": "b"])
        #expect(response.status == 200 && sent[1].headers["X-A"] == "b")
        let data: Data = try await client.get("/users/7")
        #expect(data == response.body)
        try await client.delete("/users/7")
        try await client.head("/users/7")
        #expect(sent.suffix(2).map(\.method) == [.delete, .head])
    }

    @Test func whereAFutureIsWantedTheSameWordsReturnOne() async throws {
        let user = client.futures.get("/users/7", as: User.self)
        let response = client.futures.delete("/users/7")
        let data = client.futures.put("/users/7", as: Data.self, json: User())
        let name = client.futures.get("/users/7")
            .flatMap { [client] in client.futures.get("/users/\($0.status)", as: User.self) }
            .map(\.name)
        #expect(try await user.value == User())
        #expect(try await response.value.status == 200)
        #expect(try await data.value.count == 24)
        #expect(try await name.value == "Ann")
        #expect(sent.last?.url.lastPathComponent == "200")
    }

    @Test func theTypeMayBeNamedInTheCall() async throws {
        let user = try await client.get("/users/7", as: User.self)
        #expect(user == User())
        let request = HTTPRequest(URL(string: "https://api.example.com/v1/users/7")!)
        let sent: User = try await client.send(request)
        #expect(sent == User())
        #expect(try await client.send(request, as: User.self) == User())
        #expect(try await client.futures.send(request, as: User.self).value == User())
        #expect(try await client.send(Endpoint(path: "/users/7"), as: User.self) == User())
    }

    @Test func transfersTakeATimeLimitAndAContext() async throws {
        var context = HTTPRequest.Context()
        context.tags = ["screen": "list"]
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let (second, server) = (Duration.seconds(1), server)
        try await client.download(
            "/users/7", to: file, timeout: second, context: context, resuming: false)
        for try await _ in client.pages(
            "/users/7", timeout: second, context: context, of: User.self)
        {}
        for try await _ in client.pages(
            "/users/7", timeout: second, context: context, cursor: "after",
            next: { (_: User) in nil as String? })
        {}
        var events = client.events(
            "/users/7", timeout: second, context: context, reconnecting: .never
        ).makeAsyncIterator()
        _ = try? await events.next()
        #expect(sent.count == 4 && sent[0].url == server.appending(path: "users/7"))
        #expect(sent.allSatisfy { $0.context.deadline == second })
        #expect(sent.allSatisfy { $0.context.tags == ["screen": "list"] })
    }

    @Test(arguments: ["multipart/form-data", "Multipart/Mixed; charset=utf-8"])
    func aMultipartTypeGetsTheBoundary(_ type: String) async throws {
        let parts = Multipart([.text("name", "Ann")])
        try await client.post("/users/7", headers: ["Content-Type": type], multipart: parts)
        let sent = try #require(sent.first?.effectiveHeaders["Content-Type"])
        #expect(sent.hasPrefix(type) && sent.hasSuffix("; boundary=\(parts.boundary)"))
        let own = "multipart/form-data; boundary=\(parts.boundary); charset=utf-8"
        try await client.post("/users/7", headers: ["Content-Type": own], multipart: parts)
        #expect(self.sent[1].effectiveHeaders["Content-Type"] == own)
        try await client.post("/users/7", headers: ["Content-Type": "text/plain"], multipart: parts)
        #expect(self.sent[2].effectiveHeaders["Content-Type"] == "text/plain")
    }

    @Test func jsonWrittenInPlaceMayHaveValuesOfAnyTypes() async throws {
        var client = client
        client.json = .iso8601.snakeCase
        let name: String? = nil
        let at = Date(timeIntervalSince1970: 0)
        try await client.post(
            "/users", json: ["firstName": "Ann", "id": 7, "at": at, "user": User(), "none": name])
        let _: User = try await client.put(
            "/users/7", json: ["id": sent.count, "tags": ["a", "b"]])
        _ = try await client.futures.patch("/users/7", json: ["id": 7, "name": "x"]).value
        try await client.send(
            Endpoint(path: "/users", method: .post, body: .json(["id": 7, "old": true])))
        let bodies = sent.map { String(decoding: $0.body.data ?? Data(), as: UTF8.self) }
        #expect(bodies[0].hasPrefix(#"{"at":"1970-01-01T00:00:00Z","firstName":"Ann","id":7,"#))
        #expect(bodies[0].contains(#""none":null"#))
        #expect(bodies[1] == #"{"id":1,"tags":["a","b"]}"#)
        #expect(bodies[2] == #"{"id":7,"name":"x"}"#)
        #expect(bodies[3] == #"{"id":7,"old":true}"#)
    }

    @Test func anOptionalIsNilIfTheBodyIsEmpty() async throws {
        for status in [200, 204] {
            let silent = HTTPClient(base: server) { _ in
                Future(value: HTTPResponse(status: status))
            }
            let user: User? = try await silent.get("/users/7")
            let data: Data? = try await silent.get("/users/7")
            #expect(user == nil && data == nil)
            #expect(try await silent.get("/users/7").decoded(as: User?.self) == nil)
            #expect(try await silent.get("/users/7", as: Data.self).isEmpty)
            #expect(try await silent.futures.get("/users/7", as: [User]?.self).value == nil)
            await #expect(throws: DecodingFailure.self) {
                try await silent.get("/users/7", as: User.self)
            }
        }
        #expect(try await client.get("/users/7", as: User?.self) == User())
    }

    /// Without an await, the compiler refuses them.
    @Test func aFailureOfACallWhoseResultIsIgnoredIsThrown() async throws {
        let failing = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 400)) }
        let file = FileManager.default.temporaryDirectory.appending(path: "never-\(UUID())")
        await #expect(throws: HTTPError.self) { try await failing.send(Endpoint(path: "/a")) }
        await #expect(throws: HTTPError.self) { _ = try await failing.stream("/a") }
        await #expect(throws: HTTPError.self) { try await failing.download("/a", to: file) }
        await #expect(throws: HTTPError.self) { try await failing.post("/a", json: ["a": 1]) }
    }

    @Test func aCallHasItsOwnTimeLimitAndContext() async throws {
        try await client.get("/users/7", timeout: .seconds(3), context: .init(tags: ["a": "b"]))
        try await client.post("/users", json: User(), timeout: .seconds(4))
        _ = try await client.stream("/users/7", timeout: .seconds(5))
        #expect(sent.map(\.context.deadline) == [.seconds(3), .seconds(4), .seconds(5)])
        #expect(sent[0].context.tags == ["a": "b"])
    }

    @Test func progressIsReportedWhileABodyIsSent() async throws {
        let counts = TestLog<Int64>()
        let transport = MemoryTransport(routes: [.post("/v1/users", answer: .text("{}"))])
        let client = HTTPClient(base: server, over: transport)
        try await client.post("/users", json: User(), progress: { sent, _ in counts.append(sent) })
        #expect(counts.elements.last == 21)
    }

    /// Not in an async function.
    @Test func aCallWithoutAwaitReturnsAFuture() throws {
        let user = client.futures.patch(
            "/users/7", as: User.self, form: ["name": "Ann & Bob", "n": 1.5])
        let status = client.futures.get("/users/7").map(\.status)
        #expect(try user.settledValue() == User())
        #expect(try status.settledValue() == 200)
        #expect(sent[0].body.data == Data("name=Ann+%26+Bob&n=1.5".utf8))
        #expect(sent[0].method == .patch)
    }

    @Test func aCallSendsBodiesOfEachKind() async throws {
        struct Draft: Encodable { var whenSent = Date(timeIntervalSince1970: 0) }
        var client = client
        client.json = JSONCoding(encoding: {
            $0.keyEncodingStrategy = .convertToSnakeCase
            $0.dateEncodingStrategy = .iso8601
        })
        try await client.post("/users/7", json: Draft())
        #expect(sent[0].body.data == Data(#"{"when_sent":"1970-01-01T00:00:00Z"}"#.utf8))
        #expect(sent[0].effectiveHeaders["Content-Type"] == "application/json")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("text".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let headers: HTTPHeaders = ["Content-Type": "text/plain"]
        try await client.put("/users/7", headers: headers, file: file)
        #expect(sent[1].effectiveHeaders["Content-Type"] == "text/plain")
        let parts = Multipart([.text("a", "b"), .file("f", file)])
        let user: User = try await client.post("/users/7", multipart: parts)
        #expect(user == User())
        #expect(sent[2].body.contentType == parts.contentType)
    }

    @Test func aCallThatFailsThrowsItsError() async throws {
        let error = await #expect(throws: HTTPError.self) { try await client.get("/missing") }
        #expect(error?.status == 404 && error?.endpoint?.path == "/missing")
        await #expect(throws: DecodingFailure.self) {
            let _: [Int] = try await client.get("/users/7")
        }
        await #expect(throws: Endpoint.Error.severalBodies) {
            try await client.post("/users/7", json: 1, form: [:])
        }
        await #expect(throws: EncodingError.self) {
            try await client.post("/users/7", json: Double.nan)
        }
        await #expect(throws: Endpoint.Error.dotSegment) { try await client.get("/users/\("..")") }
        #expect(sent.count == 2)
    }

    /// A password in a form, a key in a query.
    @Test func aQuerysTextHasNoValue() {
        let query: Endpoint.Query = ["user": "ann", "password": "s3cret"]
        var dumped = ""
        dump(query, to: &dumped)
        for text in ["\(query)", String(reflecting: query), dumped] {
            #expect(
                text.contains("password=…") && !text.contains("s3cret") && !text.contains("ann"))
        }
    }

    @Test func anErrorBeneathNamesTheRequestWithItsBody() async throws {
        let client = HTTPClient(base: server) { _ in
            Future(error: HTTPError(code: .cannotConnect))
        }
        let parts = Multipart([.text("a", "b")])
        let error = await #expect(throws: HTTPError.self) {
            try await client.post("/users/7", multipart: parts)
        }
        #expect(error?.request?.body.contentType == parts.contentType)
    }

    @Test func cancellingTheTaskCancelsTheCall() async throws {
        let network = MockNetwork()
        let client = HTTPClient(base: server, over: network.send)
        let task = Task { let _: User = try await client.get("/users/7") }
        let call = try await network.next()
        task.cancel()
        try await call.cancellation.value
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A model that only the main actor may decode.
    @MainActor
    private struct Screen: @MainActor Decodable, Equatable { var name: String }

    @MainActor
    @Test func aModelOfTheMainActorIsDecodedThere() async throws {
        let screen: Screen = try await client.get("/users/7")
        #expect(screen == Screen(name: "Ann"))
    }

    private actor Cache {
        var user: User?
        func load(_ client: HTTPClient) async throws { user = try await client.get("/users/7") }
    }

    @Test func anActorKeepsWhatItAsksFor() async throws {
        let cache = Cache()
        try await cache.load(client)
        #expect(await cache.user == User())
    }

    // MARK: - JSON's settings

    private struct Note: Codable, Equatable, Sendable {
        var at = Date(timeIntervalSince1970: 0)
    }

    private let iso = #"{"at":"1970-01-01T00:00:00Z"}"#
    private let plain = #"{"at":-978307200}"#

    private func noteClient(answering status: Int = 200) -> (HTTPClient, MemoryTransport) {
        let answer = HTTPResponse(status: status, body: Data(iso.utf8))
        let transport = MemoryTransport(routes: [.any("/v1/notes", answer: .response(answer))])
        var client = HTTPClient(base: server, over: transport)
        client.json = .iso8601
        client.retry = nil
        return (client, transport)
    }

    @Test func aBodyIsEncodedByTheClientThatSendsIt() async throws {
        let (client, transport) = noteClient()
        let endpoint = Endpoint(path: "/notes", method: .post, body: try .json(Note()))
        #expect(endpoint == Endpoint(path: "/notes", method: .post, body: try .json(Note())))
        #expect(endpoint.body.data == Data(plain.utf8))
        _ = try await client.send(endpoint)
        _ = try await client.stream(endpoint)
        _ = try await client.networking(endpoint).value
        let _: Note = try await client.send(endpoint)
        let request = HTTPRequest(
            .post, server.appending(path: "notes"), body: try .json(Note()))
        _ = try await client.send(request)
        _ = try await client.stream(request)
        try await client.post("/notes", json: Note())
        let bodies = transport.calls.map {
            $0.request?.body.data.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(bodies == Array(repeating: iso, count: 7))
        #expect(
            transport.calls.allSatisfy {
                $0.request?.effectiveHeaders["Content-Type"] == "application/json"
            })
    }

    @Test func aBodyWithSettingsOfItsOwnKeepsThem() async throws {
        let (client, transport) = noteClient()
        let bodies: [HTTPRequest.Body] = [
            try .json(Note(), using: JSONCoding()),
            .data(try JSONEncoder().encode(Note()), contentType: "application/json"),
        ]
        for body in bodies {
            _ = try await client.send(Endpoint(path: "/notes", method: .put, body: body))
        }
        #expect(transport.calls.allSatisfy { $0.request?.body.data == Data(plain.utf8) })
        // Another client has settings of its own.
        let outer = HTTPClient(base: server, over: client.futures.send)
        _ = try await outer.send(Endpoint(path: "/notes", method: .put, body: try .json(Note())))
        #expect(transport.calls[2].request?.body.data == Data(iso.utf8))
    }

    @Test func aBodyThatCannotBeEncodedFailsTheCall() async throws {
        var (client, transport) = noteClient()
        client.json = JSONCoding(encoding: { encoder in
            encoder.dateEncodingStrategy = .custom { _, _ in throw CocoaError(.coderInvalidValue) }
        })
        let body = try HTTPRequest.Body.json(Note())
        let request = HTTPRequest(.post, server.appending(path: "notes"), body: body)
        let call = client.futures.send(request)
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(transport.calls.isEmpty)
    }

    @Test func whatAClientsAnswersDecodeHasItsSettings() async throws {
        let (client, _) = noteClient()
        let endpoint = Endpoint(path: "/notes")
        let response = try await client.send(endpoint)
        #expect(try response.decoded(as: Note.self) == Note())
        #expect(try response.decodedBody(as: Note.self) == Note())
        #expect(try await client.futures.send(endpoint).decoded(as: Note.self).value == Note())
        let note: Future<Note> = client.futures.send(endpoint).decoded()
        #expect(try await note.value == Note())
        #expect(try await client.networking(endpoint).decoded(using: client.json).value == Note())
        let (refused, _) = noteClient(answering: 422)
        let error = await #expect(throws: HTTPError.self) { try await refused.get("/notes") }
        #expect(try error?.decodedBody(as: Note.self) == Note())
        let events = HTTPResponse(status: 200, body: Data("data: \(iso)\n\n".utf8))
        let transport = MemoryTransport(routes: [.get("/v1/events", answer: .response(events))])
        var listening = HTTPClient(base: server, over: transport)
        listening.json = .iso8601
        let stream = try await listening.stream("/events")
        for try await event in stream.serverSentEvents() {
            #expect(try event.decoded(as: Note.self) == Note())
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01T00:00:00.250Z", 0.25),
    ])
    func aClientReadsAndWritesDatesOfISO8601(_ text: String, _ seconds: Double) throws {
        let decoder = JSONCoding.iso8601.decoder()
        let note = try decoder.decode(Note.self, from: Data(#"{"at":"\#(text)"}"#.utf8))
        #expect(abs(note.at.timeIntervalSince1970 - seconds) < 0.000_1)
        #expect(throws: DecodingError.self) {
            try decoder.decode(Note.self, from: Data(#"{"at":"yesterday"}"#.utf8))
        }
    }

    @Test func aClientReadsKeysInSnakeCaseAndDatesOfISO8601() throws {
        struct Visit: Codable, Equatable {
            var firstSeen = Date(timeIntervalSince1970: 0)
        }
        let json = JSONCoding.iso8601.snakeCase
        let text = try json.encoder().encode(Visit())
        #expect(String(decoding: text, as: UTF8.self) == #"{"first_seen":"1970-01-01T00:00:00Z"}"#)
        #expect(try json.decoder().decode(Visit.self, from: text) == Visit())
        let plain = try JSONCoding.snakeCase.encoder().encode(Visit())
        #expect(String(decoding: plain, as: UTF8.self) == #"{"first_seen":-978307200}"#)
    }

    // MARK: - Pages

    @Test func pagesFollowTheHeaderLink() async throws {
        let (server, seen) = (self.server, Locked<[URL]>([]))
        var client = HTTPClient(base: server) { request in
            seen.withLock { $0.append(request.url) }
            let number = request.url.query == "page=2" ? 2 : 1
            let link =
                number == 1 ? #"</v1/list?page=2>; rel="last next""# : #"</v1/list>; rel="first""#
            return HTTPResponse(
                status: 200, headers: ["Link": link], body: Data("[\(number)]".utf8),
                url: request.url)
        }
        client.scheduler = ManualScheduler()
        var numbers: [Int] = []
        for try await page: [Int] in client.pages("/list", headers: ["X-A": "b"]) {
            numbers += page
        }
        #expect(numbers == [1, 2])
        #expect(
            seen.withLock { $0.map(\.absoluteString) }
                == ["https://api.example.com/v1/list", "https://api.example.com/v1/list?page=2"])
    }

    @Test func aNextPageElsewhereIsRefused() async throws {
        var client = HTTPClient(base: server) { request in
            HTTPResponse(
                status: 200, headers: ["Link": "<https://evil.example/2>; rel=next"],
                body: Data("[1]".utf8))
        }
        client.scheduler = ManualScheduler()
        var numbers: [Int] = []
        let error = await #expect(throws: HTTPError.self) {
            for try await page: [Int] in client.pages("/list", headers: ["X-Key": "s3cret"]) {
                numbers += page
            }
        }
        #expect(error?.code == .redirectRefused)
        #expect(numbers == [1])
    }

    @Test func pagesFollowACursor() async throws {
        struct Feed: Codable, Sendable, Equatable {
            var ids: [Int]
            var next: String?
        }
        let seen = Locked<[String?]>([])
        var client = HTTPClient(base: server) { request in
            seen.withLock { $0.append(request.url.query) }
            let isFirst = request.url.query == "size=1"
            let feed = Feed(ids: [isFirst ? 1 : 2], next: isFirst ? "a&b" : nil)
            return HTTPResponse(status: 200, body: try JSONEncoder().encode(feed))
        }
        client.scheduler = ManualScheduler()
        var ids: [Int] = []
        for try await feed in client.pages(
            "/posts", query: ["size": 1], cursor: "after", next: { (feed: Feed) in feed.next })
        {
            ids += feed.ids
        }
        #expect(ids == [1, 2])
        #expect(seen.withLock { $0 } == ["size=1", "size=1&after=a%26b"])
    }
}

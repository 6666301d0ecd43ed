import Foundation
import Pledge
import PledgeObservation
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeTesting

@Suite struct ReplayTransportTests {
    private typealias Entry = HTTPArchive.Entry

    private func exchange(
        _ url: String, _ method: HTTPMethod = .get, headers: HTTPHeaders = [:],
        body: HTTPRequest.Body = .none, answer: String = ""
    ) -> Entry {
        Entry(
            HTTPRequest(method, URL(string: url)!, headers: headers, body: body),
            HTTPResponse(status: 200, body: Data(answer.utf8)))
    }

    private func request(_ url: String, _ method: HTTPMethod = .get) -> HTTPRequest {
        HTTPRequest(method, URL(string: url)!)
    }

    private func text(_ transport: ReplayTransport, _ request: HTTPRequest) throws -> String {
        try transport.send(request).settledValue().text
    }

    private func failure(
        _ transport: ReplayTransport, _ request: HTTPRequest
    ) throws -> ReplayTransport.Failure {
        let error = #expect(throws: ReplayTransport.Failure.self) {
            try transport.send(request).settledValue()
        }
        return try #require(error)
    }

    @Test(
        "a request gets the entry with its method, URL and query, whatever the order of the items"
    )
    func aRequestIsMatchedByMethodURLAndQuery() throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                exchange("https://a.example/p?x=1&y=2", answer: "xy"),
                exchange("https://a.example/p?x=1&y=2", .post, answer: "post"),
                exchange("https://a.example/p?x=1&x=2", answer: "xx"),
                exchange("https://a.example/p", answer: "none"),
                exchange("https://b.example/p", answer: "b"),
            ]))
        #expect(try text(transport, request("https://A.example:443/p?y=2&x=1#f")) == "xy")
        #expect(try text(transport, request("https://a.example/p?y=2&x=1", .post)) == "post")
        #expect(try text(transport, request("https://a.example/p?x=2&x=1")) == "xx")
        #expect(try text(transport, request("https://a.example/p")) == "none")
        #expect(try text(transport, request("https://b.example/p")) == "b")
        for url in [
            "https://a.example/p?x=1", "https://a.example/q", "https://a.example/p?x=1&y=2&z=",
        ] {
            #expect(try failure(transport, request(url)).code == .unmatched, "\(url)")
        }
        let loose = ReplayTransport(
            HTTPArchive(entries: [exchange("https://a.example/p?x=1", answer: "any")]),
            matching: .init(query: false))
        #expect(try text(loose, request("https://a.example/p?z=9")) == "any")
    }

    @Test("bodies are compared if asked: JSON by value, forms by fields, others by bytes")
    func bodiesAreComparedIfAsked() throws {
        func post(_ body: String, _ type: String, answer: String = "") -> Entry {
            exchange(
                "https://a.example/", .post, body: .data(Data(body.utf8), contentType: type),
                answer: answer)
        }
        let form = "application/x-www-form-urlencoded"
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                post(#"{"a": 1, "b": [true, null, "x"]}"#, "application/json", answer: "json"),
                post("a=1&b=2", form, answer: "form"), post("text", "text/plain", answer: "text"),
            ]), matching: .init(body: true))
        #expect(
            try text(
                transport, post(#"{"b":[true,null,"x"],"a":1.0}"#, "application/json").request)
                == "json")
        #expect(try text(transport, post("b=2&a=1", form).request) == "form")
        #expect(try text(transport, post("text", "text/plain").request) == "text")
        #expect(
            try failure(transport, post(#"{"a": 2}"#, "application/json").request).code
                == .unmatched)
        let other = try failure(transport, post("a=1&b=3", form).request)
        #expect(other.differences == [#"the form's "b" is another one"#])
        #expect(try failure(transport, post("Text", "text/plain").request).code == .unmatched)
    }

    @Test func bodiesThatAreNotUTF8AreComparedByTheirBytes() throws {
        let bodies: [[UInt8]] = [[0xFF, 1], [0xFE, 1]]
        let recorded = bodies.map {
            exchange("https://a.example/", .post, body: .data(Data($0)), answer: "\($0)")
        }
        let transport = ReplayTransport(
            HTTPArchive(entries: recorded), matching: .init(body: true))
        for body in bodies.reversed() {
            var asked = request("https://a.example/", .post)
            asked.body = .data(Data(body))
            #expect(try text(transport, asked) == "\(body)")
        }
    }

    @Test func chosenHeadersAreCompared() throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                exchange("https://a.example/", headers: ["Accept": "text/html"], answer: "html"),
                exchange("https://a.example/", headers: ["Accept": "text/plain"], answer: "plain"),
            ]), matching: .init(headers: ["accept"]))
        var asked = request("https://a.example/")
        asked.headers = ["Accept": "text/plain", "X": "y"]
        #expect(try text(transport, asked) == "plain")
        asked.headers = [:]
        #expect(
            try failure(transport, asked).differences == [#"the header "accept" is another one"#])
    }

    @Test func aRedactedValueMatchesAnyValue() throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                exchange(
                    "https://a.example/bot-REDACTED/x?key=REDACTED&page=2", .post,
                    headers: ["Authorization": "Bearer REDACTED"],
                    body: .data(Data(#"{"user": "ann", "pin": "REDACTED"}"#.utf8)), answer: "ok")
            ]), matching: .init(body: true, headers: ["Authorization"]))
        var asked = request("https://a.example/bot-123/x?page=2&key=abc", .post)
        asked.headers = ["Authorization": "Bearer t0ken"]
        asked.body = .data(Data(#"{"pin": 1234, "user": "ann"}"#.utf8))
        #expect(try text(transport, asked) == "ok")
        asked.headers = ["Authorization": "Basic t0ken"]
        #expect(try failure(transport, asked).differences.count == 1)
        #expect(RecordedRequest.matches("aREDACTEDbREDACTEDc", "a1b2c"))
        #expect(RecordedRequest.matches("REDACTED", ""))
        #expect(!RecordedRequest.matches("aREDACTEDbREDACTEDc", "a12c"))
        #expect(!RecordedRequest.matches("abREDACTEDbc", "abc"))
    }

    @Test(
        "repeated requests get the entries in order, and then the last one again, or a failure")
    func repeatedRequestsGetTheEntriesInOrder() throws {
        let archive = HTTPArchive(entries: [
            exchange("https://a.example/", answer: "1"),
            exchange("https://a.example/", answer: "2"),
        ])
        let asked = request("https://a.example/")
        let repeating = ReplayTransport(archive)
        #expect(try (1...4).map { _ in try text(repeating, asked) } == ["1", "2", "2", "2"])
        let strict = ReplayTransport(archive, repeatsLast: false)
        #expect(try (1...2).map { _ in try text(strict, asked) } == ["1", "2"])
        let error = try failure(strict, asked)
        #expect(error.code == .usedUp)
        #expect(error.differences == ["each of the 2 that match was replayed"])
    }

    @Test func entriesThatMatchByARedactedPathOrBodyKeepTheirOrder() throws {
        func post(_ path: String, _ body: String, _ answer: String = "") -> Entry {
            exchange(
                "https://a.example/\(path)", .post,
                body: .data(Data(body.utf8), contentType: "text/plain"), answer: answer)
        }
        var left = post("a/1", "", "any body")
        left.missingRequestBody = "left out"
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                post("a/REDACTED", #"{"x":1}"#, "any path"), post("a/1", #"{"x": 1.0}"#, "exact"),
                left, post("a/REDACTED", #"{"x":"REDACTED"}"#, "both"), post("a/2", "b", "other"),
                post("a/1", #"{"x":2}"#, "another"),
            ]), matching: .init(body: true), repeatsLast: false)
        let asked = post("a/1", #"{"x":1}"#).request
        #expect(
            try (1...4).map { _ in try text(transport, asked) }
                == ["any path", "exact", "any body", "both"])
        #expect(try failure(transport, asked).code == .usedUp)
        #expect(try text(transport, post("a/2", "b").request) == "other")
    }

    @Test func twoUsersAtOnceGetEachEntryOnce() async throws {
        let entries = (1...200).map { exchange("https://a.example/", answer: "\($0)") }
        let transport = ReplayTransport(HTTPArchive(entries: entries), repeatsLast: false)
        let asked = request("https://a.example/")
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...200 { group.addTask { try await transport.send(asked).soon.text } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(answers.count == 200)
    }

    @Test(
        "a request that nothing answers shows the nearest entry, and what differs, without secrets"
    )
    func aMissShowsTheNearestEntryWithoutSecrets() throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                exchange("https://a.example/products/7?page=2"),
                exchange("https://a.example/users"),
                exchange("https://b.example/", .delete),
            ]))
        let error = try failure(transport, request("https://a.example/products/8?page=s3cret&x=1"))
        #expect(error.nearest?.request.url.path == "/products/7")
        #expect(
            "\(error)" == """
                no exchange answers GET https://a.example/products/8?page=…&x=…
                nearest of 3: GET https://a.example/products/7?page=2 → 200 (segment 2 is "8", not "7"; \
                the query's "page" is another one; the query has "x", which wasn't recorded)
                """)
        let empty = ReplayTransport(HTTPArchive())
        #expect(
            "\(try failure(empty, request("https://a.example/")))"
                == "no exchange answers GET https://a.example/: the recording is empty")
        // The service isn't blamed for it.
        #expect(error.advisedOutcome == .callersMistake)
    }

    @Test("an item of a query without \"=\" counts as a value, which a failure doesn't show")
    func aQueryItemWithoutANameCountsAsAValue() throws {
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                exchange("https://a.example/p?s3cret-1"), exchange("https://a.example/q?REDACTED"),
                exchange("https://a.example/r?flag&REDACTED", answer: "r"),
            ]))
        let error = try failure(transport, request("https://a.example/p?s3cret-2"))
        #expect(
            error.differences == [
                #"the query has no "…""#, #"the query has "…", which wasn't recorded"#,
            ])
        #expect(!"\(error)".contains("s3cret"))
        // What was redacted may have been any text.
        #expect(try text(transport, request("https://a.example/q?s3cret-3")) == "")
        #expect(try text(transport, request("https://a.example/r?s3cret-3&flag=")) == "r")
    }

    @Test("a decoded body isn't decoded again, and its length is its own")
    func aDecodedBodyIsNotDecodedAgain() async throws {
        var recorded = exchange("https://a.example/", answer: "hello")
        recorded.response?.headers = [
            "Content-Encoding": "br", "Content-Length": "9", "Transfer-Encoding": "chunked",
            "A": "b",
        ]
        let client = HTTPClient(
            base: URL(string: "https://a.example")!,
            over: ReplayTransport(HTTPArchive(entries: [recorded])))
        let response = try await client.futures.send(request("https://a.example/")).soon
        #expect(response.text == "hello" && response.headers == ["A": "b"])
        let streamed = try await client.futures.stream(request("https://a.example/")).soon
        #expect(try await streamed.body.collected(upTo: 100).soon == Data("hello".utf8))
    }

    @Test("failures of an exchange, and within its body, are replayed")
    func failuresAreReplayed() async throws {
        var cut = exchange("https://a.example/cut", answer: "half")
        cut.failure = "connectionLost"
        var left = exchange("https://a.example/left")
        left.missingResponseBody = "9 bytes, left out"
        func failed(_ word: String) -> Entry {
            Entry(request("https://a.example/\(word)"), nil, failure: word)
        }
        let transport = ReplayTransport(
            HTTPArchive(entries: [
                cut, left, failed("timedOut"), failed("net::ERR_X"), failed("cancelled"),
            ]))
        func code(_ path: String) -> HTTPError.Code? {
            let error = #expect(throws: HTTPError.self) {
                try transport.send(request("https://a.example/\(path)")).settledValue()
            }
            return error?.code
        }
        #expect(code("timedOut") == .timedOut)
        #expect(code("net::ERR_X") == .connectionLost)
        #expect(code("cut") == .connectionLost)
        let body = try await transport.stream(request("https://a.example/cut")).soon.body
        #expect(try await body.next().soon == Data("half".utf8))
        await #expect(throws: HTTPError.self) { try await body.next().soon }
        #expect(try failure(transport, request("https://a.example/left")).code == .bodyLeftOut)
        #expect(try failure(transport, request("https://a.example/cancelled")).code == .unmatched)
    }

    @Test(
        arguments: [
            .cannotFindHost, .timedOut, .insecureConnection, .redirectRefused, .tooManyRedirects,
        ] as [HTTPError.Code])
    func aTransportsFailureHasTheSameCodeWhenItIsReplayed(code: HTTPError.Code) throws {
        var recorded = exchange("https://a.example/")
        (recorded.response, recorded.failure) = (nil, code.rawValue)
        let transport = ReplayTransport(HTTPArchive(entries: [recorded]))
        let error = #expect(throws: HTTPError.self) {
            try transport.send(request("https://a.example/")).settledValue()
        }
        #expect(error?.code == code)
    }

    @Test("recorded times are replayed on a scheduler, if asked; none by default")
    func recordedTimesAreReplayedIfAsked() throws {
        var recorded = exchange("https://a.example/", answer: "x")
        recorded.duration = .milliseconds(30)
        recorded.response?.timing.untilHeaders = .milliseconds(20)
        let archive = HTTPArchive(entries: [recorded])
        let asked = request("https://a.example/")
        #expect(try text(ReplayTransport(archive), asked) == "x")

        let scheduler = ManualScheduler()
        let transport = ReplayTransport(archive, takesRecordedTime: true, on: scheduler)
        let whole = transport.send(asked)
        let streamed = transport.stream(asked)
        scheduler.advance(by: .milliseconds(19))
        #expect(!whole.isSettled && !streamed.isSettled)
        scheduler.advance(by: .milliseconds(1))
        let chunk = try streamed.settledValue().body.next()
        #expect(!whole.isSettled && !chunk.isSettled)
        scheduler.advance(by: .milliseconds(10))
        #expect(try chunk.settledValue() == Data("x".utf8))
        #expect(try whole.settledValue().timing.total == .milliseconds(30))
        let cancelled = transport.send(asked)
        cancelled.cancel()
        #expect(cancelled.isSettled)
    }

    @Test func invalidRequestsAreRefused() throws {
        let transport = ReplayTransport(HTTPArchive(entries: [exchange("https://a.example/")]))
        #expect(throws: Endpoint.Error.self) {
            try transport.send(request("ftp://a.example/")).settledValue()
        }
    }
}

@Suite(.oneAtATime) struct RecordOnceTransportTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "pledge-once-\(UUID().uuidString)")

    @Test(
        "the first run asks the network and writes the file; later runs replay it without a network"
    )
    func onlyTheFirstRunAsksTheNetwork() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("a.har")
        let server = MemoryTransport(routes: [
            .post("/login", answer: .text(#"{"token": "s3cret-token"}"#)),
            .get("/news", answer: .text("Rain")),
        ])
        func run(_ transport: RecordOnceTransport) async throws -> String {
            let client = HTTPClient(base: URL(string: "https://a.example")!, over: transport)
            let _: HTTPResponse = try await client.post(
                "/login", form: ["user": "ann", "password": "s3cret-word"])
            let news: HTTPResponse = try await client.get("/news")
            return news.text
        }
        let first = try RecordOnceTransport(file, over: server)
        #expect(!first.isReplaying)
        #expect(try await run(first) == "Rain")
        #expect(!FileManager.default.fileExists(atPath: file.path))
        try first.save()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("s3cret"))

        let second = try RecordOnceTransport(file, over: server)
        #expect(second.isReplaying)
        #expect(try await run(second) == "Rain")
        try second.save()
        #expect(server.calls.count == 2)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test(arguments: [("password", "t0ken-1"), ("page", "token"), ("token", "access_token")])
    func aRecordingIsReplayedEvenIfASecretIsTheSameWordAsAName(password: String, token: String)
        async throws
    {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("a.har")
        let server = MemoryTransport(routes: [
            .post("/login", answer: .text(#"{"access_token": "\#(token)"}"#))
        ])
        for _ in 1...2 {
            let transport = try RecordOnceTransport(
                file, over: server, replay: { ReplayTransport($0, matching: .init(body: true)) })
            let client = HTTPClient(base: URL(string: "https://a.example")!, over: transport)
            let answer: HTTPResponse = try await client.post(
                "/login?page=1", form: ["page": "1", "password": password])
            let members = try JSONDecoder().decode([String: String].self, from: answer.body)
            #expect(Array(members.keys) == ["access_token"])
            try transport.save()
        }
        #expect(server.calls.count == 1)
    }

    @Test("bodies that the network sends encoded are recorded decoded, and replayed so")
    func bodiesThatTheNetworkSendsEncodedAreRecordedDecoded() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("a.har")
        // "hello" by gzip.
        let coded = Data(
            base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==")!
        let server = MemoryTransport(routes: [
            .get("/", answer: .status(200, headers: ["Content-Encoding": "gzip"], body: coded))
        ])
        let request = HTTPRequest(URL(string: "https://a.example/")!)
        let first = try RecordOnceTransport(file, over: server)
        #expect(try await first.send(request).soon.text == "hello")
        let stream = try await first.stream(request).soon.body
        #expect(try await stream.collected(upTo: 9).soon == Data("hello".utf8))
        try first.save()
        let second = try RecordOnceTransport(file, over: server)
        #expect(try await second.send(request).soon.text == "hello")
    }

    @Test func aFileThatIsNoRecordingIsAnErrorAndStays() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("a.har")
        try Data("{".utf8).write(to: file)
        #expect(throws: HTTPArchive.ReadError.self) {
            try RecordOnceTransport(file, over: MemoryTransport(routes: []))
        }
        #expect(try Data(contentsOf: file) == Data("{".utf8))
    }
}

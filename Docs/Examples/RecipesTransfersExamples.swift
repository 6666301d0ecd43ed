// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Recipes/Transfers.md.
@Suite(.oneAtATime)
struct RecipesTransfersExamples {
    // snippet: server
    let server = URL(string: "https://files.example.com")!
    // end snippet
    // snippet: folder
    let folder = FileManager.default.temporaryDirectory
    // end snippet

    /// What the recipes print.
    private let lines = ExampleLog()

    /// A file server in memory: it sends the film whole, or from the byte that is asked for.
    private let files = MemoryTransport(routes: [
        .any(
            "/photos",
            answer: .future { call in
                let body = try call.request?.body.open() ?? HTTPBodyStream(Data())
                return body.collected(upTo: 1 << 20).map { HTTPResponse(status: 201, body: $0) }
            }),
        .put("/photos/7", answer: .status(201)),
        .get("/pictures/:id", answer: .reply { Data("picture \($0.parameters["id"]!)".utf8) }),
        .get("/log", answer: .text("one\r\ntwo\r\n")),
        .get(
            "/news",
            answer: .text("id: 1\ndata: {\"text\":\"one\"}\n\ndata: {\"text\":\"two\"}\n\n")),
        .get(
            "/film",
            answer: .respond { call in
                let film = Data("scene one, scene two".utf8)
                let range = call.request?.headers["Range"]?.split { "=-".contains($0) }.last
                let first = range.flatMap { Int($0) } ?? 0
                return HTTPResponse(
                    status: first == 0 ? 200 : 206, headers: ["ETag": "\"1\""],
                    body: film.dropFirst(first))
            }),
        .get(
            "/logo",
            answer: .respond { call in
                let isKnown = call.request?.headers["If-None-Match"] == "\"1\""
                return HTTPResponse(
                    status: isKnown ? 304 : 200,
                    headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"],
                    body: Data((isKnown ? "" : "logo").utf8))
            }),
    ])

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: files)
    }

    private var client: PledgeHTTPClients.HTTPClient { HTTPClient(base: server) }

    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    private func url(_ name: String) -> URL { folder.appending(path: "\(UUID()).\(name)") }

    @Test func upload() async throws {
        // snippet: client
        let client = HTTPClient(base: server)
        // end snippet
        // snippet: photo
        let photo = folder.appending(path: "photo.jpg")
        try Data(repeating: 7, count: 100_000).write(to: photo)
        // end snippet
        defer { try? FileManager.default.removeItem(at: photo) }
        // snippet: upload
        let response = try await client.put(
            "/photos", headers: ["Content-Type": "image/jpeg"], file: photo)
        // end snippet
        #expect(response.status == 201 && response.body.count == 100_000)
        // snippet: upload-progress
        let body = HTTPRequest.Body.file(photo, contentType: "image/jpeg")
            .reportingProgress { sent, total in print("\(sent) of \(total ?? 0)") }
        let url = server.appending(path: "photos/7")
        _ = try await client.send(HTTPRequest(.put, url, body: body))
        // end snippet
        try RecipePage("Transfers").expectOutput(lines)
        // snippet: multipart
        let form = Multipart([
            .text("title", "Holidays"), .file("photo", photo, contentType: "image/jpeg"),
        ])
        try await client.post("/photos", multipart: form)
        // end snippet
        let sent = files.calls.last?.request
        #expect(
            sent?.effectiveHeaders["Content-Type"]
                == "multipart/form-data; boundary=\(form.boundary)")
        #expect(sent?.body.length ?? 0 > 100_000)
    }

    @Test func save() async throws {
        defer { try? FileManager.default.removeItem(at: folder.appending(path: "film.mp4")) }
        // snippet: save
        let saved = try await client.download("/film", to: folder.appending(path: "film.mp4"))
        print("\(saved.byteCount) bytes")
        // end snippet
        #expect(lines.lines == ["20 bytes"])
        // snippet: save-progress
        let file = folder.appending(path: "film.mp4")
        _ = try await client.download("/film", to: file) { received, total in
            print("\(received) of \(total ?? 0)")
        }
        // end snippet
        #expect(lines.lines.last == "20 of 20")
    }

    @Test func cancel() async throws {
        let (started, never) = (Promise<Void>(), Promise<HTTPResponse>())
        let client = PledgeHTTPClients.HTTPClient(base: server) { _ in
            started.resolve(with: ())
            return never.map { $0 }
        }
        // snippet: cancel
        let saving = Task {
            try await client.download("/film", to: folder.appending(path: "half"))
        }
        // end snippet
        try await started.soon
        // snippet: cancel-now
        saving.cancel()  // when the user taps the cross
        // end snippet
        await #expect(throws: CancellationError.self) { try await saving.value }
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "half").path))
    }

    @Test func resumed() async throws {
        let saved = folder.appending(path: "film.mp4")
        defer { try? FileManager.default.removeItem(at: saved) }
        let server = FileServer(Data("scene one, scene two".utf8))
        server.lose(after: 11)
        var client = PledgeHTTPClients.HTTPClient(base: self.server, over: server)
        client.retry = nil
        do {
            // snippet: resume
            let film = folder.appending(path: "film.mp4")
            _ = try await client.download("/film", to: film)
            // end snippet
            Issue.record("the connection was not lost")
        } catch let error as HTTPError {
            #expect(error.code == .connectionLost)
        }
        let rest = try await client.download("/film", to: saved)
        #expect(rest.resumedFrom == 11)
        #expect(try Data(contentsOf: saved) == server.content)
    }

    @Test func followed() async throws {
        let scheduler = ManualScheduler()
        func events(_ text: String) -> MemoryTransport.Answer {
            .status(200, headers: ["Content-Type": "text/event-stream"], body: Data(text.utf8))
        }
        let connections = MemoryTransport(routes: [
            .get(
                "/live",
                answer: .sequence([
                    events("id: 1\ndata: goal\n\n"),
                    .failure(HTTPError(code: .connectionLost)), .status(503),
                    events("id: 2\ndata: half-time\n\n"), .status(204),
                ]))
        ])
        var live = PledgeHTTPClients.HTTPClient(base: server, over: connections)
        live.scheduler = scheduler
        // The test's time runs on while a call waits for a processor.
        (live.attemptTimeout, live.deadline) = (nil, nil)
        let following = Future { [client = live, print] in
            // snippet: follow
            for try await event in client.events("/live") {
                print("\(event.id): \(event.data)")
            }
            // end snippet
        }
        #expect(
            await comesTrue {
                scheduler.run()
                return following.isSettled
            })
        try await following.soon
        try RecipePage("Transfers").expectOutput(lines)
        let ids = connections.calls.map { $0.request?.headers["Last-Event-ID"] }
        #expect(ids == [nil, "1", "1", "1", "2"])
    }

    @Test func chunks() async throws {
        // snippet: chunks
        var count = 0
        let response = try await client.stream(Endpoint(path: "/film"))
        for try await chunk in response.body { count += chunk.count }
        // end snippet
        #expect(count == 20)
    }

    @Test func terminal() async throws {
        let file = folder.appending(path: "big.mp4")
        defer { try? FileManager.default.removeItem(at: file) }
        // snippet: progress-line
        let line = ProgressLine("film.mp4")
        defer { line.finish() }
        _ = try await client.download(
            "/film", to: folder.appending(path: "big.mp4"), progress: line.update
        )
        // end snippet
        let shown = ExampleLog()
        ProgressLine("film.mp4", on: ManualScheduler()) { shown.add($0) }
            .update(2_000_000, of: 8_000_000)
        let text = try #require(shown.lines.last?.split(separator: "\u{1B}[K").last)
        lines.add(String(text))
        try RecipePage("Transfers").expectOutput(lines)
    }

    @Test func readLines() async throws {
        // snippet: lines
        let response = try await client.stream(Endpoint(path: "/log"))
        for try await line in response.body.lines() { print(line) }
        // end snippet
        #expect(lines.lines == ["one", "two"])
    }

    // snippet: news
    struct News: Decodable {
        var text: String
    }
    // end snippet

    @Test func events() async throws {
        // snippet: events
        let response = try await client.stream(Endpoint(path: "/news"))
        for try await event in response.serverSentEvents() {
            print("\(event.id): \(try event.decoded(as: News.self).text)")
        }
        // end snippet
        try RecipePage("Transfers").expectOutput(lines)
        #expect(lines.lines == ["1: one", "1: two"])
    }

    @Test func parallel() async throws {
        let client = client
        // snippet: parallel
        let pictures = try await Future.traverse(1...20, maxConcurrent: 4) { id in
            client.futures.get("/pictures/\(id)", as: Data.self)
        }.value
        // end snippet
        #expect(pictures.map { String(decoding: $0, as: UTF8.self) }.last == "picture 20")
    }

    @Test func cache() async throws {
        // snippet: cache
        var client = HTTPClient(base: server)
        client.cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
        try await client.get("/logo")
        let second = try await client.get("/logo")  // 200, made of a 304
        // end snippet
        #expect(second.status == 200)
        #expect(second.text == "logo")
        #expect(files.calls.last?.request?.headers["If-None-Match"] == "\"1\"")
    }
}

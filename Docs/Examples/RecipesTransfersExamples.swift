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
    // snippet: files
    let server = URL(string: "https://files.example.com")!
    let folder = FileManager.default.temporaryDirectory

    /// A file server in memory: it sends the film whole, or from the byte that is asked for.
    let files = MemoryTransport(routes: [
        .any(
            "/photos",
            answer: .futureResponse { call in
                let body = try call.request?.body.open() ?? HTTPBodyStream(Data())
                return body.gathered(upTo: 1 << 20).map { HTTPResponse(status: 201, body: $0) }
            }),
        .get("/pictures/:id", answer: .reply { Data("picture \($0.parameters["id"]!)".utf8) }),
        .get("/log", answer: .text("one\r\ntwo\r\n")),
        .get("/news", answer: .text("id: 1\ndata: one\n\nevent: gone\ndata: two\n\n")),
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
    // end snippet

    private func url(_ name: String) -> URL { folder.appending(path: "\(UUID()).\(name)") }

    @Test func upload() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        defer { try? FileManager.default.removeItem(at: folder.appending(path: "photo.jpg")) }
        // snippet: upload
        let photo = folder.appending(path: "photo.jpg")
        try Data(repeating: 7, count: 100_000).write(to: photo)
        let client = HTTPClient(base: server, over: files)
        let body = HTTPRequest.Body.file(photo, contentType: "image/jpeg")
            .reportingProgress { sent, total in print("\(sent) of \(total ?? 0)") }
        let request = HTTPRequest(.put, server.appending(path: "photos"), body: body)
        let response = try await client.send(request).value
        // end snippet
        #expect(response.status == 201)
        #expect(lines.lines.last == "100000 of 100000")
        #expect(response.body.count == 100_000)
    }

    @Test func multipart() async throws {
        // snippet: multipart
        let form = Multipart([
            .text("title", "Holidays"),
            .data("photo", Data([1, 2, 3]), filename: "photo.jpg", contentType: "image/jpeg"),
        ])
        let client = HTTPClient(base: server, over: files)
        let response = try await client.send(
            HTTPRequest(.post, server.appending(path: "photos"), body: .multipart(form))
        ).value
        // end snippet
        #expect(response.status == 201)
        let type = files.calls.last?.request?.effectiveHeaders["Content-Type"]
        #expect(type == "multipart/form-data; boundary=\(form.boundary)")
        #expect(response.text.contains("Holidays"))
    }

    @Test func save() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        defer { try? FileManager.default.removeItem(at: folder.appending(path: "film")) }
        // snippet: save
        let client = HTTPClient(base: server, over: files)
        let saved = try await download(
            HTTPRequest(server.appending(path: "film")), to: folder.appending(path: "film"),
            over: client.stream, limit: 1_000_000_000,
            progress: { received, total in print("\(received) of \(total ?? 0)") }
        ).value
        print("\(saved.byteCount) bytes")
        // end snippet
        #expect(lines.lines.last == "20 bytes")
    }

    @Test func cancel() throws {
        let scheduler = ManualScheduler()
        let slow = MemoryTransport.Answer.future { _ in
            Future(value: Data()).delay(.seconds(9), on: scheduler)
        }
        let files = MemoryTransport(routes: [.get("/film", answer: slow)])
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: cancel
        let client = HTTPClient(base: server, over: files)
        let saving = download(
            HTTPRequest(server.appending(path: "film")), to: folder.appending(path: "half"),
            over: client.stream, limit: 1_000_000_000)
        saving.onFailure { error in print("\(error)") }
        saving.cancel()  // when the user taps on the cross
        // end snippet
        try RecipePage("Transfers").expectOutput(lines)
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "half").path))
    }

    // snippet: resume
    /// Loads a film, or the rest of it; to stop, cancel the task, and keep the ETag for the next time.
    func load(
        _ film: URL, to file: FileHandle, tag: String?, by client: HTTPClient,
        keepTag: @Sendable (String?) -> Void
    ) async throws {
        var request = HTTPRequest(film)
        if let tag {
            request.headers = ["Range": "bytes=\(try file.seekToEnd())-", "If-Range": tag]
        }
        let response = try await client.stream(request).value
        if response.status != 206 { try file.truncate(atOffset: 0) }  // All of it comes.
        keepTag(response.headers["ETag"])
        for try await chunk in response.body { try file.write(contentsOf: chunk) }
    }
    // end snippet

    @Test(arguments: [0, 11]) func resumed(known: Int) async throws {
        let (file, film) = (url("film"), server.appending(path: "film"))
        try Data("scene one, scene two".utf8.prefix(known)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forUpdating: file)
        let (tag, tags) = (known == 0 ? nil : "\"1\"", ExampleLog())
        let client = HTTPClient(base: server, over: files)
        try await load(film, to: handle, tag: tag, by: client) { tags.add($0 ?? "none") }
        #expect(try Data(contentsOf: file) == Data("scene one, scene two".utf8))
        #expect(tags.lines == ["\"1\""])
        let range = files.calls.last?.request?.headers["Range"]
        #expect(range == (known == 0 ? nil : "bytes=11-"))
    }

    // snippet: may-succeed
    /// Whether the same request may succeed a moment later.
    func maySucceed(after error: any Error) -> Bool {
        if Classifier<Void>.standard(.failure(error)).retry != .never { return true }
        return false
    }
    // end snippet

    // snippet: follow
    func follow(_ url: URL, by client: HTTPClient, handle: (ServerSentEvent) -> Void) async throws {
        var (id, wait) = ("", Duration.seconds(3))
        while true {
            do {
                let known: HTTPHeaders = id.isEmpty ? [:] : ["Last-Event-ID": id]
                let response = try await client.stream(HTTPRequest(url, headers: known)).value
                for try await event in response.body.serverSentEvents() {
                    if !event.id.isEmpty { id = event.id }
                    wait = event.retry ?? wait
                    handle(event)
                }
            } catch let error where maySucceed(after: error) {}
            try await client.scheduler.clock.sleep(for: wait)
        }
    }
    // end snippet

    @Test func followed() async throws {
        let (scheduler, seen) = (ManualScheduler(), ExampleLog())
        let connections = MemoryTransport(routes: [
            .get(
                "/news",
                answer: .sequence([.text("id: 1\ndata: one\n\n"), .text("data: two\n\n")]))
        ])
        var client = HTTPClient(base: server, over: connections)
        client.scheduler = scheduler
        let following = Task { [client] in
            try await follow(server.appending(path: "news"), by: client) { seen.add($0.data) }
        }
        while connections.calls.count < 3 {
            await Task.yield()
            scheduler.advance(by: .seconds(1))
        }
        following.cancel()
        _ = await following.result
        #expect(seen.lines.starts(with: ["one", "two"]))
        let ids = connections.calls.prefix(3).map { $0.request?.headers["Last-Event-ID"] }
        #expect(ids == [nil, "1", "1"])
    }

    @Test func lines() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: lines
        let client = HTTPClient(base: server, over: files)
        let response = try await client.stream(HTTPRequest(server.appending(path: "log"))).value
        for try await line in response.body.lines() { print(line) }
        // end snippet
        #expect(lines.lines == ["one", "two"])
    }

    @Test func events() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: events
        let client = HTTPClient(base: server, over: files)
        let response = try await client.stream(HTTPRequest(server.appending(path: "news"))).value
        for try await event in response.body.serverSentEvents() {
            print("\(event.id) \(event.type): \(event.data)")
        }
        // end snippet
        try RecipePage("Transfers").expectOutput(lines)
        #expect(lines.lines == ["1 message: one", "1 gone: two"])
    }

    @Test func parallel() async throws {
        // snippet: parallel
        let client = HTTPClient(base: server, over: files)
        let networking = client.networking
        let pictures = try await Future.traverse(1...20, maxConcurrent: 4) { id in
            networking(Endpoint(path: "/pictures/\(id)"))
        }.value
        // end snippet
        #expect(pictures.map { String(decoding: $0, as: UTF8.self) }.last == "picture 20")
    }

    @Test func cache() async throws {
        // snippet: cache
        var client = HTTPClient(base: server, over: files)
        client.cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
        let logo = HTTPRequest(server.appending(path: "logo"))
        _ = try await client.send(logo).value
        let second = try await client.send(logo).value  // 200, of a 304
        // end snippet
        #expect(second.status == 200)
        #expect(second.text == "logo")
        #expect(files.calls.last?.request?.headers["If-None-Match"] == "\"1\"")
    }
}

// snippet: imports
import Foundation
import Pledge
import PledgeTesting

// end snippet
// swift-format-ignore: OrderedImports
// snippet: recording
import PledgeObservation

// end snippet
// snippet: test
import Testing

// end snippet
// swift-format-ignore: OrderedImports
import TestSupport

/// The code of Docs/Guides/RecordedNetworks.md.
@Suite(.oneAtATime)
struct RecordedNetworksExamples {
    // snippet: file
    let file = FileManager.default.temporaryDirectory.appending(path: "news.har")
    // end snippet

    @Test func recordOnce() async throws {
        let lines = ExampleLog()
        let print: @Sendable (Any, Any) -> Void = { lines.add("\($0) \($1)") }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        for _ in 1...2 {
            // snippet: once
            let server = MemoryTransport(routes: [.get("/news", answer: .text("Rain"))])
            let transport = try RecordOnceTransport(file, over: server)
            let client = HTTPClient(base: URL(string: "https://news.example.com")!, over: transport)
            let news: HTTPResponse = try await client.get("/news?key=s3cret")
            print(transport.isReplaying, news.text)
            try transport.save()
            // end snippet
        }
        #expect(lines.lines == ["false Rain", "true Rain"])
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("s3cret"))
    }

    @Test func recorder() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = MemoryTransport(routes: [.get("/news", answer: .text("Rain"))])
        // snippet: recorder
        var client = HTTPClient(base: URL(string: "https://news.example.com")!, over: server)
        let recorder = HTTPRecorder()
        client.aroundExchange = .record(into: recorder)

        let news: HTTPResponse = try await client.get("/news")
        try recorder.archive.write(to: file)
        // end snippet
        #expect(news.text == "Rain")
        #expect(try HTTPArchive(contentsOf: file).entries.count == 1)
    }

    @Test func moreRedaction() async throws {
        let server = MemoryTransport(routes: [
            .get("/news", answer: .text("Rain")), .get("/health", answer: .text("ok")),
        ])
        var client = HTTPClient(base: URL(string: "https://news.example.com")!, over: server)
        // snippet: redact
        let recorder = HTTPRecorder { entry in
            if entry.request.url.path == "/health" { return nil }
            var entry = entry
            entry.response?.headers.remove("Server")
            return entry
        }
        // end snippet
        client.aroundExchange = .record(into: recorder)
        let _: HTTPResponse = try await client.get("/news")
        let _: HTTPResponse = try await client.get("/health")
        #expect(recorder.archive.entries.count == 1)
    }

    private let recorded = HTTPArchive(entries: [
        .init(
            HTTPRequest(URL(string: "https://news.example.com/news/7?page=2")!),
            HTTPResponse(status: 200, body: Data("Rain".utf8)))
    ])

    @Test func replay() async throws {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).har")
        defer { try? FileManager.default.removeItem(at: file) }
        try recorded.write(to: file)
        // snippet: replay
        let archive = try HTTPArchive(contentsOf: file)
        let replay = ReplayTransport(archive, matching: .init(body: true, headers: ["Accept"]))
        let client = HTTPClient(base: URL(string: "https://news.example.com")!, over: replay)
        do {
            let news: HTTPResponse = try await client.get("/news/8?page=2")
            print(news.text)
        } catch { print(error) }
        // end snippet
        #expect(
            lines.lines == [
                """
                no exchange answers GET https://news.example.com/news/8?page=2
                nearest of 1: GET https://news.example.com/news/7?page=2 → 200 (segment 2 is "8", not "7")
                """
            ])
    }

    @Test func mock() throws {
        let archive = recorded
        // snippet: mock
        let network = MockNetwork(har: archive)
        let news = network.request(
            Endpoint(path: "/news/7", query: ["page": 2]))
        #expect(try news.settledValue() == Data("Rain".utf8))
        // end snippet
    }
}

// snippet: imports
import Foundation
import Pledge
import PledgeStorage
import PledgeTesting
// end snippet
import TestSupport
import Testing

/// The code of Docs/Guides/CachingOnDisk.md.
@Suite(.oneAtATime)
struct CachingOnDiskExamples {
    // snippet: folder
    let folder = FileManager.default.temporaryDirectory.appending(path: "com.example.news")
    // end snippet

    @Test func everyRun() async throws {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 1...2 {
            // snippet: run
            let server = MemoryTransport(routes: [
                .get(
                    "/news",
                    answer: .respond { _ in
                        print("the server is asked")
                        return HTTPResponse(
                            status: 200, headers: ["Cache-Control": "max-age=3600"],
                            body: Data(#"["Rain","Sun"]"#.utf8))
                    })
            ])
            var client = HTTPClient(
                base: URL(string: "https://news.example.com")!, over: server)
            let cache = HTTPCache(folder: folder)
            client.cache = cache

            let news: [String] = try await client.get("/news")
            print(news)
            try await cache.flush().value
            // end snippet
        }
        #expect(
            lines.lines == ["the server is asked", #"["Rain", "Sun"]"#, #"["Rain", "Sun"]"#])
    }

    @Test func signOut() async throws {
        let lines = ExampleLog()
        let print: @Sendable (Any) -> Void = { lines.add("\($0)") }
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = MemoryTransport(routes: [
            .get(
                "/inbox",
                answer: .respond { _ in
                    HTTPResponse(
                        status: 200, headers: ["Cache-Control": "max-age=3600"],
                        body: Data(#"["Hello"]"#.utf8))
                })
        ])
        var client = HTTPClient(base: URL(string: "https://news.example.com")!, over: server)
        let cache = HTTPCache(folder: folder)
        client.cache = cache
        // snippet: sign-out
        let refresher = TokenRefresher(AccessToken("a token")) { $0 }
        client.authorization = .bearer(from: refresher)
        client.account = "account 7"

        let inbox: [String] = try await client.get("/inbox")
        print(try await cache.storedURLs.value.map(\.path))

        refresher.signOut()
        try await cache.flush().value
        print(try await cache.storedURLs.value.map(\.path))
        // end snippet
        #expect(inbox == ["Hello"] && lines.lines == [#"["/inbox"]"#, "[]"])
    }

    @Test func failure() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var client = HTTPClient(
            base: URL(string: "https://news.example.com")!,
            over: MemoryTransport(routes: [.get("/news", answer: .text("Rain"))]))
        let cache = HTTPCache(folder: file)
        client.cache = cache
        let answer: HTTPResponse = try await client.get("/news")
        #expect(answer.text == "Rain")
        // snippet: failure
        if let error = cache.storeError { print("only in memory: \(error)") }
        // end snippet
        #expect(lines.lines.count == 1 && lines.lines[0].hasPrefix("only in memory: "))
    }
}

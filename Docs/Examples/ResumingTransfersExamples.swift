// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: storage
import PledgeStorage
// end snippet
import Testing

/// The code of Docs/Guides/ResumingTransfers.md.
@Suite(.oneAtATime)
struct ResumingTransfersExamples {
    private let lines = ExampleLog()
    private var print: @Sendable (String) -> Void { { [lines] in lines.add($0) } }

    private let folder: ExampleFolder
    private let server = FileServer(Data(count: 3_000))

    init() throws { folder = try ExampleFolder() }

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        var client = PledgeHTTPClients.HTTPClient(base: base, over: server)
        client.random = .constant(0)
        return client
    }

    private func URL(filePath path: String) -> Foundation.URL {
        folder.file(path)
    }

    @Test func first() async throws {
        server.lose(after: 2_000)
        server.send(inChunksOf: 1_000)
        // snippet: first
        let client = HTTPClient(base: .init(string: "https://files.example.com"))
        let film = URL(filePath: "film.mp4")
        let saved = try await client.download("/film", to: film) { count, total in
            print("\(count) of \(total ?? 0)")
        }
        print("\(saved.byteCount) bytes, \(saved.resumedFrom) from an earlier run")
        // end snippet
        #expect(server.ranges == [nil, "bytes=2000-"])
        try expectPrinted(lines)
        // snippet: parts
        _ = try await client.download("/film", to: film, parts: 4)
        // end snippet
        #expect(server.ranges.last == "bytes=0-1048575")
        do {
            // snippet: digest
            let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
            _ = try await client.download("/film", to: film, sha256: digest)
            // end snippet
            Issue.record("the digest is not the file's")
        } catch let error as HTTPError {
            #expect(error.code == .digestMismatch)
        }
        // snippet: composed
        let rules = Resumption(Retry(attempts: 10, backoff: .constant(.seconds(5))))
        let request = HTTPRequest(.get, .init(string: "https://files.example.com/film")!)
        _ = try await download(request, to: film, over: client.futures.stream, resuming: rules)
            .value
        // end snippet
        #expect(try Data(contentsOf: film) == server.content)
    }

    @Test func upload() async throws {
        let film = URL(filePath: "film.mp4")
        try server.content.write(to: film)
        let client = HTTPClient(base: .init(string: "https://files.example.com"))
        // snippet: upload
        let record = URL(filePath: "film.mp4.upload")
        _ = try await client.upload(film, to: "/files", by: .tus, record: record)
        // end snippet
        #expect(server.upload == server.content)
        // snippet: draft
        let draft = ResumableUploadProtocol.ietfDraft(interopVersion: 6)
        // end snippet
        #expect(draft != .tus)
    }

    private func expectPrinted(_ log: ExampleLog) throws {
        let page = try Repository.this.check().documents["Docs/Guides/ResumingTransfers.md"] ?? ""
        let text = log.lines.joined(separator: "\n")
        #expect(page.contains("```text\n\(text)\n```"), "the page does not show:\n\(text)")
    }
}

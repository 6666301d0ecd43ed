// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/Streaming.md.
@Suite struct StreamingExamples {
    // snippet: echo
    let url = URL(string: "https://api.example.com/files/7")!

    /// Answers with what it was sent, two bytes a chunk.
    let echo: HTTPStreamingService = { request in
        Future(value: request).flatMap { try $0.body.open().collected(upTo: 1_000_000) }
            .map { data in
                HTTPStreamedResponse(
                    status: 200, body: HTTPBodyStream(data, chunksOf: 2),
                    url: request.url)
            }
    }
    // end snippet

    private func newFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        return folder
    }

    @Test func folders() throws {
        // snippet: folder
        let folder = FileManager.default.temporaryDirectory
        // end snippet
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func reading() async throws {
        // snippet: read
        let response = try await echo(
            HTTPRequest(.post, url, body: .data(Data("abcde".utf8)))
        ).value
        var chunks: [Data] = []
        for try await chunk in response.body {
            chunks.append(chunk)
        }
        // end snippet
        #expect(chunks.map(\.count) == [2, 2, 1])
    }

    @Test func sequences() async throws {
        // snippet: sequence
        let lines = AsyncStream<Data> { line in
            line.yield(Data("a\n".utf8))
            line.yield(Data("b\n".utf8))
            line.finish()
        }
        let source = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(lines)
        }
        let request = HTTPRequest(.post, url, body: .stream(source, contentType: "text/plain"))
        // end snippet
        let response = echo(request).flatMap { $0.collected(upTo: 100) }
        #expect(try await response.value.text == "a\nb\n")
    }

    @Test func pipes() async throws {
        // snippet: pipe
        let (pipe, body) = HTTPBodyPipe.make(capacity: 65_536)
        @Sendable func write(_ number: Int) -> Future<Void> {
            if number > 1_000 {
                pipe.finish()
                return Future(value: ())
            }
            // Goes on when there is room, and stops when the reader has gone.
            return pipe.write(Data("\(number)\n".utf8)).flatMap { write(number + 1) }
        }
        let written = write(1)
        let text = try await body.collected(upTo: 1_000_000).value
        // end snippet
        try await written.value
        #expect(text.count == 3_893)
    }

    @Test func forms() async throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let bars = ExampleLog()
        let print: @Sendable (String) -> Void = { bars.add($0) }
        // snippet: form
        let photo = folder.appendingPathComponent("photo.jpg")
        try Data([1, 2, 3]).write(to: photo)
        let form = Multipart([
            .text("title", "Holidays"),
            .file("photo", photo, contentType: "image/jpeg"),
        ])
        let body = try HTTPRequest.Body.multipart(form)
            .reportingProgress { sent, total in
                print("\(sent) of \(total.map { "\($0)" } ?? "?")")
            }
        let request = HTTPRequest(.post, url, body: body)
        // end snippet
        let response = try await echo(request).value
        let reader = MultipartReader(response.body, boundary: form.boundary)
        var read: [String] = []
        for try await part in reader {
            let data = try await part.body.collected(upTo: 100).value
            read.append("\(part.headers["Content-Type"] ?? "none"), \(data.count) bytes")
        }
        #expect(read == ["none, 8 bytes", "image/jpeg, 3 bytes"])
        let length = try #require(body.length)
        #expect(bars.lines.last == "\(length) of \(length)")
    }

    @Test func parts() async throws {
        // snippet: parts
        let text = "--B\r\nContent-Range: bytes 0-1/9\r\n\r\nab\r\n--B--"
        let response = HTTPStreamedResponse(
            status: 206, headers: ["Content-Type": "multipart/byteranges; boundary=B"],
            body: HTTPBodyStream(Data(text.utf8)))
        var ranges: [String: Data] = [:]
        for try await part in try MultipartReader(response) {
            let range = part.headers["Content-Range"] ?? ""
            ranges[range] = try await part.body.collected(upTo: 1_000_000).value
        }
        // end snippet
        #expect(ranges == ["bytes 0-1/9": Data("ab".utf8)])
    }

    @Test func downloads() async throws {
        let folder = try newFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let bar = ExampleLog()
        let print: @Sendable (String) -> Void = { bar.add($0) }
        let echo = echo
        // snippet: download
        let file = folder.appendingPathComponent("film")
        let request = HTTPRequest(.put, url, body: .data(Data("abc".utf8)))
        let saved = try await download(
            request, to: file, over: echo, limit: 1_000_000_000,
            progress: { received, total in print("\(received)") }
        ).value
        // end snippet
        #expect(saved.byteCount == 3)
        #expect(try Data(contentsOf: file) == Data("abc".utf8))
        #expect(bar.lines == ["2", "3"])
        // snippet: again
        let patient = stack(
            .retry(Retry(attempts: 5)),
            over: { request in download(request, to: file, over: echo) })
        // end snippet
        #expect(try await patient(request).value.byteCount == 3)
    }
}

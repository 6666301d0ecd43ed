import Pledge
import PledgeTesting

extension TransportCheck {
    /// Bodies arrive complete, from every kind of source.
    static var requestBodies: [TransportCheck] {
        [
            TransportCheck("empty POST", "a POST without a body says that it has none") { bench in
                let request = try await bench.arrived(HTTPRequest(.post, .anywhere))
                try require("the body's size", request.body.count, is: 0)
                try require("Content-Length", request.header("Content-Length") ?? "0", is: "0")
            },
            TransportCheck("big body", "5 MB arrive whole") { bench in
                let data = Pattern.bytes(5_000_000)
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .data(data)))
                try require("whether the body is the same", request.body == data, is: true)
                try require("Content-Length", request.header("Content-Length"), is: "5000000")
            },
            TransportCheck("file body", "a file arrives whole, with its length") { bench in
                let file = FileManager.default.temporaryDirectory
                    .appendingPathComponent("pledge-check-\(UUID().uuidString)")
                let data = Pattern.bytes(1_000_000)
                try data.write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .file(file)))
                try require("whether the body is the same", request.body == data, is: true)
                try require("Content-Length", request.header("Content-Length"), is: "1000000")
            },
            TransportCheck("missing file", "a file that is not there is bodyUnreadable") { bench in
                let request = HTTPRequest(
                    .put, URL(string: "http://127.0.0.1:9/")!,
                    body: .file(URL(fileURLWithPath: "/pledge/no/such/file")))
                try require("the code", try await bench.failure(request).code, is: .bodyUnreadable)
            },
            TransportCheck("stream body", "a stream of a known length arrives whole") { bench in
                let data = Pattern.bytes(300_000)
                let source = HTTPRequest.BodySource(length: Int64(data.count), isReplayable: true) {
                    HTTPBodyStream(data, chunksOf: 7_001)
                }
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .stream(source)))
                try require("whether the body is the same", request.body == data, is: true)
                try require("Content-Length", request.header("Content-Length"), is: "300000")
            },
            TransportCheck("stream of unknown length", "a stream of no known length arrives whole")
            {
                bench in
                let data = Pattern.bytes(300_000)
                let source = HTTPRequest.BodySource(isReplayable: true) {
                    let chunks = HTTPBodyStream(data, chunksOf: 7_001)
                    return HTTPBodyStream(next: { chunks.next() })
                }
                let request = try await bench.arrived(
                    HTTPRequest(.put, .anywhere, body: .stream(source)))
                try require("whether the body is the same", request.body == data, is: true)
            },
            mismatch("stream too short", gives: 5, announcing: 10),
            mismatch("stream too long", gives: 15, announcing: 10),
            TransportCheck("failing stream", "a body that fails fails the call with its error") {
                bench in
                struct Broken: Error {}
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let source = HTTPRequest.BodySource(length: 10, isReplayable: true) {
                    HTTPBodyStream(length: 10, next: { Future(error: Broken()) })
                }
                let request = HTTPRequest(.put, server.url, body: .stream(source))
                switch await bench.settled(bench.transport.send(request)) {
                case .failure(is Broken): break
                case .failure(let error as HTTPError) where error.cause is Broken: break
                case let other: throw Unexpected("it gives \(other)")
                }
            },
            TransportCheck("single-pass body", "a body that can be sent once is sent once") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("ok") })
                defer { server.stop() }
                let source = HTTPRequest.BodySource(length: 1, isReplayable: false) {
                    HTTPBodyStream(Data("x".utf8))
                }
                let request = HTTPRequest(.put, server.url, body: .stream(source))
                _ = try await bench.send(request)
                try require(
                    "the code", try await bench.failure(request).code, is: .bodyNotReplayable)
            },
        ]
    }

    private static func mismatch(
        _ name: Name, gives given: Int, announcing length: Int64
    ) -> TransportCheck {
        TransportCheck(name, "a stream of another length than announced fails the call") { bench in
            let server = try LoopbackServer(answering: { _ in .text("ok") })
            defer { server.stop() }
            let source = HTTPRequest.BodySource(length: length, isReplayable: true) {
                HTTPBodyStream(Pattern.bytes(given))
            }
            let request = HTTPRequest(.put, server.url, body: .stream(source))
            try require("the code", try await bench.failure(request).code, is: .bodyLengthMismatch)
        }
    }
}

/// Bytes that are the same each time, and reveal a shift.
package enum Pattern {
    /// They repeat after 64 KiB, so that megabytes of them take no time in a debug build.
    package static func bytes(_ count: Int) -> Data {
        var bytes = Data(capacity: count + period.count)
        while bytes.count < count { bytes.append(period) }
        return bytes.prefix(count)
    }

    private static let period = Data(
        (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
}

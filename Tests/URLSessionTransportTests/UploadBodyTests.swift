import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

@Suite(.oneAtATime) struct BodySpoolTests {
    @Test func keepsLittleInMemory() throws {
        var spool = BodySpool(limit: 100, memory: 10)
        try spool.append(Data("01234".utf8))
        try spool.append(Data("56789".utf8))

        guard case .data(let data) = try spool.finish() else {
            Issue.record("it is in a file")
            return
        }
        #expect(data == Data("0123456789".utf8))
    }

    @Test func movesToAFileThatOnlyItsOwnerReadsAndThatGoes() throws {
        var spool = BodySpool(limit: 100, memory: 10)
        for piece in ["01234", "56789", "a", "bc"] { try spool.append(Data(piece.utf8)) }
        var body: UploadBody? = try spool.finish()
        spool = BodySpool(limit: 0)
        guard case .file(let url, let file) = body else {
            Issue.record("it is in memory")
            return
        }

        #expect(try Data(contentsOf: url) == Data("0123456789abc".utf8))
        #expect(file != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        body = nil
    }

    @Test func aFileIsRemovedWithItsOwner() throws {
        var file: TemporaryFile? = try TemporaryFile()
        let path = try #require(file?.url.path)
        #expect(FileManager.default.fileExists(atPath: path))

        file = nil

        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [(5, true), (10, true), (11, false), (1_000, false)])
    func isBounded(size: Int, isAllowed: Bool) throws {
        var spool = BodySpool(limit: 15)
        try spool.append(Data(count: 5))
        if isAllowed { return try spool.append(Data(count: size)) }

        let error = try #require(throws: HTTPError.self) { try spool.append(Data(count: size)) }

        #expect(error.code == .bodyTooLarge)
    }

    @Test func cancelsAStreamThatIsTooLong() async throws {
        let cancelled = Promise<Void>()
        let stream = HTTPBodyStream(
            next: { Future(value: Data(count: 10)) }, cancel: { cancelled.resolve() })

        let error = try await BodySpool.body(of: stream, upTo: 95).httpError

        #expect(error.code == .bodyTooLarge)
        try await cancelled.soon
    }
}

@Suite(.oneAtATime)
struct SessionTransportUploadTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("PledgeTests-\(UUID().uuidString)")

    /// A stream of so many equal chunks, which can be opened once.
    private func stream(
        _ count: Int, of chunk: Data, length: Int64? = nil
    ) -> HTTPRequest.Body {
        .stream(
            HTTPRequest.BodySource(length: length, isReplayable: false) {
                let left = Locked(count)
                return HTTPBodyStream(next: {
                    let isOver = left.withLock { left in
                        left -= 1
                        return left < 0
                    }
                    return Future(value: isOver ? nil : chunk)
                })
            }, contentType: "a/b")
    }

    @Test(arguments: [(0, 5), (1, 5), (3, 1000), (40, 65_536)])
    func sendsAStreamWithItsLength(count: Int, size: Int) async throws {
        let server = try LoopbackServer { .text("\($0.body.count)") }
        let chunk = Data(repeating: 65, count: size)
        let body = stream(count, of: chunk, length: Int64(count * size))

        let response = try await transport.send(HTTPRequest(.post, server.url, body: body)).soon

        #expect(response.text == "\(count * size)")
        let request = try #require(server.requests.first)
        #expect(request.headers("Content-Length") == ["\(count * size)"])
        #expect(request.headers("Transfer-Encoding") == [])
        #expect(request.header("Content-Type") == "a/b")
        #expect(request.body.allSatisfy { $0 == 65 })
    }

    @Test(arguments: [9, 11])
    func sendsNothingWhereTheLengthIsNotWhatWasAnnounced(length: Int64) async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let body = stream(2, of: Data(count: 5), length: length)

        let error = try await transport.send(HTTPRequest(.post, server.url, body: body)).httpError

        #expect(error.code == .bodyLengthMismatch)
        #expect(error.request?.url == server.url)
        #expect(server.requests.isEmpty)
    }

    @Test func boundsWhatItKeepsOfAStream() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let transport = SessionTransport(.init(idleTimeout: nil, maxSpooledBodySize: 9))
        let body = stream(2, of: Data(count: 5))

        let error = try await transport.send(HTTPRequest(.post, server.url, body: body)).httpError

        #expect(error.code == .bodyTooLarge)
        #expect(server.requests.isEmpty)
    }

    @Test func cancellingCancelsTheStreamAndSendsNothing() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        let cancelled = Promise<Void>()
        let never = Promise<Data?>()
        let source = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(next: { never }, cancel: { cancelled.resolve() })
        }
        let future = transport.send(HTTPRequest(.post, server.url, body: .stream(source)))

        future.cancel()

        try await cancelled.soon
        try await transport.close().soon
        #expect(server.requests.isEmpty)
    }

    @Test func aDeadlineEndsTheReadingToo() async throws {
        let scheduler = ManualScheduler()
        let never = Promise<Data?>()
        let source = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(next: { never })
        }
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let future = CallContext(deadline: CallDeadline(after: .seconds(1), on: scheduler)).run {
            transport.send(HTTPRequest(.post, url, body: .stream(source)))
        }

        scheduler.advance(by: .seconds(1))

        #expect(try await future.httpError.code == .timedOut)
        try await transport.close().soon
    }

    @Test(arguments: [0, 1, 16_384, 16_385, 49_152, 3_000_000])
    func sendsAFileOrWhatALinkLeadsTo(size: Int) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = Pattern.bytes(size)
        let file = folder.appendingPathComponent("a file")
        let link = folder.appendingPathComponent("link")
        try bytes.write(to: file)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let server = try LoopbackServer { .response(body: $0.body) }

        for url in [file, link] {
            let request = HTTPRequest(.put, server.url, body: .file(url, contentType: "a/b"))
            #expect(try await transport.send(request).soon.body == bytes)
        }

        #expect(server.requests.map { $0.header("Content-Length") } == ["\(size)", "\(size)"])
        #expect(server.requests.map { $0.header("Content-Type") } == ["a/b", "a/b"])
    }

    @Test func aFileThatCannotBeReadFailsTheCall() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        for file in [folder, FileManager.default.temporaryDirectory] {
            let request = HTTPRequest(.put, url, body: .file(file))

            let error = try await transport.send(request).httpError

            #expect(error.code == .bodyUnreadable)
            #expect(error.cause is CocoaError)
            #expect(error.description.contains("(cause: open \(file.path) failed: "))
            #expect(error.request == request)
        }
        try await transport.close().soon
    }

    @Test func aFileIsReadAnewForEachCall() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file")
        let server = try LoopbackServer { .response(body: $0.body) }
        let request = HTTPRequest(.put, server.url, body: .file(file))

        for text in ["one", "and two"] {
            try Data(text.utf8).write(to: file)
            #expect(try await transport.send(request).soon.text == text)
        }
    }
}

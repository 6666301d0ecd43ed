#if AsyncHTTPClient
import Foundation
import HTTPTestSupport
import NIOCore
import NIOPosix
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct UploadTests {
    let transport = AHCTransport()

    /// A source of chunks that records how often it was opened and whether it was cancelled.
    final class Chunks: Sendable {
        let opened = Locked(0)
        let wasCancelled = Promise<Void>()

        func source(
            _ chunks: [String], length: Int64? = nil, isReplayable: Bool = true,
            end: @escaping @Sendable () -> Future<Data?> = { Future(value: nil) }
        ) -> HTTPRequest.Body {
            .stream(
                HTTPRequest.BodySource(length: length, isReplayable: isReplayable) {
                    self.opened.withLock { $0 += 1 }
                    let rest = Locked(chunks[...])
                    return HTTPBodyStream(
                        next: {
                            rest.withLock { $0.popFirst() }.map { Future(value: Data($0.utf8)) }
                                ?? end()
                        }, cancel: { self.wasCancelled.resolve() })
                })
        }
    }

    @Test func theTimeLimitsDoNotCountTheTimeInWhichBytesInMemoryAreSent() async throws {
        let upload = try SlowUpload()
        defer { upload.stop() }
        var client = HTTPClient(
            base: nil, over: AHCTransport(.init(idleTimeout: nil), on: upload.scheduler))
        client.scheduler = upload.scheduler
        client.attemptTimeout = .seconds(10)
        client.deadline = .seconds(15)
        client.retry = nil
        try await upload.expectLimitsToBeginAfterwards(client.send)
    }

    @Test func announcesTheLengthOfAStreamWhereItIsKnown() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = Chunks().source(["ab", "", "cde"], length: 5)
        _ = try await transport.send(HTTPRequest(.post, server.url, body: body)).value
        let seen = try #require(server.requests.first)
        #expect(seen.header("Content-Length") == "5")
        #expect(seen.header("Transfer-Encoding") == nil)
        #expect(seen.text == "abcde")
    }

    @Test func sendsAStreamInChunksOtherwise() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = Chunks().source(["ab", "cde"])
        _ = try await transport.send(HTTPRequest(.post, server.url, body: body)).value
        let seen = try #require(server.requests.first)
        #expect(seen.header("Content-Length") == nil)
        #expect(seen.header("Transfer-Encoding") == "chunked")
        #expect(seen.text == "abcde")
    }

    @Test(arguments: [4, 6])
    func failsWhereAStreamIsNotAsLongAsAnnounced(length: Int64) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = Chunks().source(["ab", "cde"], length: length)
        let request = HTTPRequest(.post, server.url, body: body)
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(request).value
        }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(error?.request == request)
        #expect(server.requests.isEmpty)
    }

    @Test func failsWithWhatFailsTheStream() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = Chunks().source(["ab"], end: { Future(error: PendingFutureError()) })
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.post, server.url, body: body)).value
        }
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.cause is PendingFutureError)
        try await server.connectionsOpen(atMost: 0).value
        #expect(server.requests.isEmpty)
    }

    @Test func opensAStreamOnceForEachCall() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let chunks = Chunks()
        let request = HTTPRequest(
            .post, server.url, body: chunks.source(["ab"], isReplayable: false))
        _ = try await transport.send(request).value
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(request).value
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(chunks.opened.withLock { $0 } == 1)
    }

    @Test func cancelsTheStreamWhenTheCallIsCancelled() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let chunks = Chunks()
        let asked = Promise<Void>()
        let never = Promise<Data?>()
        let body = chunks.source(["ab"], length: 3) {
            asked.resolve()
            return never
        }
        let response = transport.send(HTTPRequest(.post, server.url, body: body))
        try await asked.value
        response.cancel()
        try await chunks.wasCancelled.value
        try await server.hungUp(1).value
    }

    @Test func sendsAFile() async throws {
        let file = URL.temporaryDirectory.appending(path: "pledge-\(UUID()).bin")
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try LoopbackServer { _ in .text("ok") }
        let request = HTTPRequest(.put, server.url, body: .file(file, contentType: "a/b"))
        for _ in 0..<2 { _ = try await transport.send(request).value }
        #expect(server.requests.map(\.body) == [data, data])
        #expect(server.requests.first?.header("Content-Length") == "300000")
        #expect(server.requests.first?.header("Content-Type") == "a/b")
    }

    @Test(arguments: ["pledge-there-is-no-such-file", ""])
    func failsWhereAFileCannotBeRead(name: String) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let file = URL.temporaryDirectory.appending(path: name)
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.put, server.url, body: .file(file))).value
        }
        #expect(error?.code == .bodyUnreadable)
        #expect(error?.cause != nil)
        #expect(server.acceptedConnections == 0)
    }

    @Test func sendsALargeBody() async throws {
        let server = try LoopbackServer { request in .text("\(request.body.count)") }
        let body = Data(repeating: 1, count: 9 << 20)
        let response = try await transport.send(HTTPRequest(.post, server.url, body: .data(body)))
            .value
        #expect(response.text == "\(9 << 20)")
    }
}

/// Servers that answer before they have received the whole request.
struct UploadEarlyAnswerTests {
    let transport = AHCTransport()

    @Test(arguments: [(413, []), (413, ["no"]), (303, ["n", "o"]), (500, ["a", "b", "c"])])
    func givesARefusalThoughTheRequestIsNotAllSent(status: Int, pieces: [String]) async throws {
        let server = try await EarlyServer(status: status, pieces: pieces, hasLength: true)
        let upload = StuckUpload()
        let response = try await transport.send(upload.request(to: server.url)).value
        #expect(response.status == status)
        #expect(response.text == pieces.joined())
        try await upload.wasCancelled.value
        try await server.stop()
    }

    @Test(arguments: [[], ["no"], ["n", "o"]])
    func streamsARefusalThoughTheRequestIsNotAllSent(pieces: [String]) async throws {
        let server = try await EarlyServer(status: 413, pieces: pieces, hasLength: true)
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url)).value
        #expect(response.status == 413)
        let body = try await response.body.collected(upTo: 100).value
        #expect(String(decoding: body, as: UTF8.self) == pieces.joined())
        try await upload.wasCancelled.value
        try await server.stop()
    }

    @Test func givesAnEarlyAnswerWhenTheRequestIsAllSent() async throws {
        let server = try await EarlyServer(status: 200, pieces: ["o", "k"], hasLength: false)
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url)).value
        #expect(response.status == 200)
        #expect(try await response.body.next().value == Data("o".utf8))
        #expect(try await response.body.next().value == Data("k".utf8))
        upload.rest.resolve(with: nil)
        #expect(try await response.body.next().value == nil)
        try await server.stop()
    }

    @Test func endsARefusalOfUnknownLengthInTime() async throws {
        let server = try await EarlyServer(
            status: 413, pieces: ["n", "o"], hasLength: false, ends: false)
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url)).value
        #expect(try await response.body.next().value == Data("n".utf8))
        #expect(try await response.body.next().value == Data("o".utf8))
        let end = response.body.next()
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await end.value }
        #expect(error?.code == .timedOut)
        try await server.stop()
    }

    @Test func holdsTheSourceBackAndGivesUpInTime() async throws {
        let server = try await EarlyServer(status: 0, pieces: [], hasLength: false, reads: false)
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let count = Locked(0)
        let chunk = Data(repeating: 1, count: 1 << 20)
        let source = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream {
                count.withLock { $0 += 1 }
                return Future(value: chunk)
            }
        }
        let response = transport.send(HTTPRequest(.post, server.url, body: .stream(source)))
        // Until nothing is asked for during as many turns of the event loops.
        var last = (count: 0, turns: 0)
        while last.turns < 50, last.count < 64 {
            let now = count.withLock { $0 }
            last = (now, now == last.count && now > 0 ? last.turns + 1 : 0)
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                try await loop.submit {}.get()
            }
        }
        #expect(last.count < 64)
        #expect(response.result == nil)
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await response.value }
        #expect(error?.code == .timedOut)
        try await server.stop()
        // AsyncHTTPClient never releases the upload.
        try await transport.close().soon
    }

    /// A body whose first chunk is there; the rest comes when the test says so.
    final class StuckUpload: Sendable {
        let rest = Promise<Data?>()
        let wasCancelled = Promise<Void>()
        private let first = Locked<Data?>(Data("begun".utf8))

        func request(to url: URL) -> HTTPRequest {
            let source = HTTPRequest.BodySource(isReplayable: false) {
                HTTPBodyStream(
                    next: { self.next() }, cancel: { self.wasCancelled.resolve() })
            }
            return HTTPRequest(.post, url, body: .stream(source))
        }

        private func next() -> Future<Data?> {
            let first = first.withLock { first in
                defer { first = nil }
                return first
            }
            return first.map { Future(value: $0) } ?? rest
        }
    }
}
#endif

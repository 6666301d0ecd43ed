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

    private func source(_ chunks: [String], length: Int64? = nil) -> HTTPRequest.Body {
        .stream(
            HTTPRequest.BodySource(length: length, isReplayable: true) {
                let rest = Locked(chunks[...])
                return HTTPBodyStream {
                    Future(value: rest.withLock { $0.popFirst() }.map { Data($0.utf8) })
                }
            })
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
        try await upload.expectLimitsToBeginAfterwards(client.futures.send)
    }

    @Test func aStreamOfUnknownLengthIsSentInChunks() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = source(["ab", "cde"])
        _ = try await transport.send(HTTPRequest(.post, server.url, body: body)).value
        let seen = try #require(server.requests.first)
        #expect(seen.header("Content-Length") == nil)
        #expect(seen.header("Transfer-Encoding") == "chunked")
        #expect(seen.text == "abcde")
    }

    @Test(arguments: [4, 6])
    func failsWhereAStreamIsNotAsLongAsAnnounced(length: Int64) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = source(["ab", "cde"], length: length)
        let request = HTTPRequest(.post, server.url, body: body)
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(request).value
        }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(error?.request == request)
        #expect(server.requests.isEmpty)
    }
}

/// Servers that answer before they have received the whole request.
struct UploadEarlyAnswerTests {
    let transport = AHCTransport()

    /// A server that answers as soon as a head has arrived, piece by piece, and does not read the body.
    ///
    /// - Parameters:
    ///   - hasLength: Whether the length is announced; the body is chunked otherwise.
    ///   - ends: Whether the last chunk is followed by the end.
    private func earlyServer(
        status: Int, pieces: [String], hasLength: Bool, ends: Bool = true
    ) throws -> SocketServer {
        let length = pieces.reduce(0) { $0 + $1.utf8.count }
        let framing = hasLength ? "Content-Length: \(length)" : "Transfer-Encoding: chunked"
        return try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 \(status) Status\r\n\(framing)\r\n\r\n")
            for piece in pieces {
                connection.send(
                    hasLength ? piece : "\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
            }
            if !hasLength && ends { connection.send("0\r\n\r\n") }
            connection.awaitEnd()
        }
    }

    @Test(arguments: [(413, []), (413, ["no"]), (303, ["n", "o"]), (500, ["a", "b", "c"])])
    func givesARefusalThoughTheRequestIsNotAllSent(status: Int, pieces: [String]) async throws {
        let server = try earlyServer(status: status, pieces: pieces, hasLength: true)
        defer { server.stop() }
        let upload = StuckUpload()
        let response = try await transport.send(upload.request(to: server.url())).value
        #expect(response.status == status)
        #expect(response.text == pieces.joined())
        try await upload.wasCancelled.value
    }

    @Test(arguments: [[], ["no"], ["n", "o"]])
    func streamsARefusalThoughTheRequestIsNotAllSent(pieces: [String]) async throws {
        let server = try earlyServer(status: 413, pieces: pieces, hasLength: true)
        defer { server.stop() }
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url())).value
        #expect(response.status == 413)
        let body = try await response.body.collected(upTo: 100).value
        #expect(String(decoding: body, as: UTF8.self) == pieces.joined())
        try await upload.wasCancelled.value
    }

    @Test func givesAnEarlyAnswerWhenTheRequestIsAllSent() async throws {
        let server = try earlyServer(status: 200, pieces: ["o", "k"], hasLength: false)
        defer { server.stop() }
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url())).value
        #expect(response.status == 200)
        #expect(try await response.body.next().value == Data("o".utf8))
        #expect(try await response.body.next().value == Data("k".utf8))
        upload.rest.resolve(with: nil)
        #expect(try await response.body.next().value == nil)
    }

    @Test func endsARefusalOfUnknownLengthInTime() async throws {
        let server = try earlyServer(
            status: 413, pieces: ["n", "o"], hasLength: false, ends: false)
        defer { server.stop() }
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: server.url())).value
        #expect(try await response.body.next().value == Data("n".utf8))
        #expect(try await response.body.next().value == Data("o".utf8))
        let end = response.body.next()
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await end.value }
        #expect(error?.code == .timedOut)
    }

    @Test func holdsTheSourceBackAndGivesUpInTime() async throws {
        let ends = DispatchSemaphore(value: 0)
        let server = try SocketServer { _ in ends.wait() }
        defer {
            ends.signal()
            server.stop()
        }
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
        let response = transport.send(HTTPRequest(.post, server.url(), body: .stream(source)))
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

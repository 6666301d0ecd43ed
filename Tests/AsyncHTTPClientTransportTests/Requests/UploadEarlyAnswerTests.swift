#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import NIOCore
import NIOPosix
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

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

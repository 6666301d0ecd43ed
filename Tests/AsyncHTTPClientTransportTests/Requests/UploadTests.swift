#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
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
#endif

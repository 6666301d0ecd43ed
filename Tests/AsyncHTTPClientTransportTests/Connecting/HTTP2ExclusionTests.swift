#if AsyncHTTPClient && os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Servers over HTTP/2 that do not process a request, and say so.
@Suite(.oneAtATime)
struct HTTP2ExclusionTests {
    private let log = TestLog<Int>()

    /// A server that leaves as soon as it has a request, without processing it, and answers later connections.
    private func site(leaving count: Int) async throws -> HTTP2Site? {
        try await HTTP2Site.start { [log] _, frames in
            frames.serve { stream in
                log.append(frames.index)
                if frames.index < count {
                    frames.goAway(last: 0)
                } else {
                    frames.answer(stream, "answer")
                }
                return true
            }
        }
    }

    private func failure(of request: HTTPRequest, over transport: AHCTransport) async -> HTTPError?
    {
        switch await transport.send(request).resultSoon {
        case .success: nil
        case .failure(let error): error as? HTTPError
        }
    }

    @Test func aPOSTGoesByAnotherConnection() async throws {
        guard let site = try await site(leaving: 3) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let post = HTTPRequest(.post, site.url, body: .data(Data("once".utf8)))
        #expect(try await transport.send(post).soon.text == "answer")
        #expect(log.elements == [0, 1, 2, 3])
        try await transport.close().soon
    }

    @Test func aServerThatOnlyLeavesIsGivenUp() async throws {
        guard let site = try await site(leaving: .max) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let post = HTTPRequest(.post, site.url, body: .data(Data("once".utf8)))
        let error = await failure(of: post, over: transport)
        #expect(error?.code == .connectionLost)
        #expect(error?.reason == "the server ended it without processing the request")
        #expect(error?.isCertainlyUnsent == true)
        #expect(log.elements == Array(0...10))
        try await transport.close().soon
    }

    @Test func aStreamIsNotSentAgain() async throws {
        guard let site = try await site(leaving: 1) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let source = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(Data("abc".utf8))
        }
        let post = HTTPRequest(.post, site.url, body: .stream(source))
        let error = await failure(of: post, over: transport)
        #expect(error?.code == .connectionLost)
        #expect(error?.isCertainlyUnsent == true)
        #expect(try await transport.send(post).soon.text == "answer")
        #expect(log.elements == [0, 1])
        try await transport.close().soon
    }

    @Test(arguments: [
        (HTTP2Frames.Code.refusedStream, true), (.http11Required, true), (.cancel, false),
        (.noError, false),
    ])
    func aResetIsLeftToTheRetry(code: HTTP2Frames.Code, excludes: Bool) async throws {
        let site = try await HTTP2Site.start { [log] _, frames in
            frames.serve { stream in
                log.append(frames.index)
                frames.reset(stream, code)
                return true
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let post = HTTPRequest(.post, site.url, body: .data(Data("once".utf8)))
        let error = await failure(of: post, over: transport)
        #expect(error?.code == .connectionLost)
        #expect(error?.isCertainlyUnsent == excludes)
        #expect(log.elements == [0])
        try await transport.close().soon
    }
}
#endif

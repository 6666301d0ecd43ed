#if AsyncHTTPClient && os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Servers over HTTP/2 that answer before they have received the whole request.
@Suite(.oneAtATime)
struct HTTP2EarlyAnswerTests {
    typealias StuckUpload = UploadEarlyAnswerTests.StuckUpload

    /// What a server does after its answer.
    enum End { case reset, cancellation, goAway, closing }

    /// A server that answers each request as soon as it has the head, and notes what comes from the client.
    private func site(
        answering status: Int, then end: End? = nil, noting log: TestLog<String> = TestLog()
    ) async throws -> HTTP2Site? {
        try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                switch frame {
                case .head(let stream, _, _):
                    log.append("head by \(frames.index)")
                    frames.answer(stream, "answer", status: status)
                    switch end {
                    case .reset: frames.reset(stream, .noError)
                    case .cancellation: frames.reset(stream, .cancel)
                    case .goAway: frames.goAway(last: stream)
                    case .closing: return
                    case nil: break
                    }
                case .data(_, true, _): log.append("end")
                case .reset: log.append("reset")
                default: continue
                }
            }
        }
    }

    @Test(arguments: [End.reset, .cancellation, .closing], [false, true])
    func aWholeAnswerStandsWhateverFollows(end: End, isStreamed: Bool) async throws {
        guard let site = try await site(answering: 200, then: end) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let upload = StuckUpload()
        let request = upload.request(to: site.url)
        if isStreamed {
            let response = try await transport.stream(request).soon
            #expect(try await response.body.collected(upTo: 9).soon == Data("answer".utf8))
        } else {
            #expect(try await transport.send(request).soon.text == "answer")
        }
        try await upload.wasCancelled.soon
        try await transport.close().soon
    }

    @Test(arguments: [nil, End.goAway])
    func anAnswerIsGivenWhenTheRequestIsAllSent(end: End?) async throws {
        let log = TestLog<String>()
        guard let site = try await site(answering: 200, then: end, noting: log) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let upload = StuckUpload()
        let response = try await transport.stream(upload.request(to: site.url)).soon
        #expect(try await response.body.next().soon == Data("answer".utf8))
        #expect(log.elements == ["head by 0"])
        upload.rest.resolve(with: nil)
        #expect(try await response.body.next().soon == nil)
        // AsyncHTTPClient may close a connection that the server leaves before it has sent the rest.
        if end == nil {
            #expect(await comesTrue { log.elements.count > 1 })
            #expect(log.elements == ["head by 0", "end"])
        }
        try await transport.close().soon
    }

    @Test func aRefusalEndsTheStream() async throws {
        let log = TestLog<String>()
        guard let site = try await site(answering: 413, noting: log) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let upload = StuckUpload()
        let response = try await transport.send(upload.request(to: site.url)).soon
        #expect(response.status == 413)
        #expect(response.text == "answer")
        try await upload.wasCancelled.soon
        #expect(await comesTrue { log.elements.count > 1 })
        #expect(log.elements == ["head by 0", "reset"])
        try await transport.close().soon
    }

    /// SwiftNIO stops reading a connection after 200 of them.
    @Test func aServerMayResetManyStreamsThatItHasAnswered() async throws {
        let log = TestLog<String>()
        guard let site = try await site(answering: 200, then: .reset, noting: log) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let request = HTTPRequest(.post, site.url, body: .data(Data("once".utf8)))
        for _ in 0..<60 {
            let calls = (0..<8).map { _ in transport.send(request) }
            for call in calls { #expect(try await call.soon.text == "answer") }
        }
        let heads = log.elements.filter { $0.hasPrefix("head") }
        #expect(heads.count == 480)
        #expect(Set(heads).count > 1, "it has changed the connection")
        try await transport.close().soon
    }
}
#endif

#if AsyncHTTPClient && os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
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
        try await HTTP2Site.start { connection, frames in
            while let frame = frames.next() {
                switch frame {
                case .head(let stream, _, _):
                    log.append("head by \(frames.index)")
                    frames.answer(stream, "answer", status: status)
                    switch end {
                    case .reset: frames.reset(stream, .noError)
                    case .cancellation: frames.reset(stream, .cancel)
                    case .goAway: frames.goAway(last: stream)
                    case .closing:
                        // Bytes that nobody reads would make a close a reset, which overtakes the answer.
                        connection.finishSending()
                        return connection.awaitEnd()
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

/// What comes of a call if a server over HTTP/2 resets its stream, or leaves.
@Suite(.oneAtATime)
struct HTTP2TableTests {
    private let isWhole = isHTTP2Whole()

    private func bench() async throws -> HTTP2Bench? {
        try await HTTP2Bench.start { settings, idleTimeout, scheduler in
            var configuration = AHCTransport.Configuration()
            configuration.connectTimeout = watchdog
            configuration.connectionWaitTimeout = nil
            configuration.idleTimeout = idleTimeout
            let transport = try AHCTransport(configuration, connecting: settings, on: scheduler)
            return HTTP2Client(send: transport.send) { transport.close() }
        }
    }

    @Test func noRequestIsCarriedOutTwice() async throws {
        guard let bench = try await bench() else { return }
        defer { bench.stop() }
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            #expect(outcome == one.expected(tellsExclusion: true, tellsDemand: true), "\(one)")
        }
    }

    @Test(arguments: [NginxSite.Listener.good, .leavesAfterTen, .oneStream])
    func nginxCarriesOutNoPOSTTwiceAndNoGETIsLost(listener: NginxSite.Listener) async throws {
        guard let site = try await NginxSite.start(hasMaster: true) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let tally = try await site.tally(
            of: isWhole ? 10_000 : 200, to: listener, reloads: isWhole ? 20 : 2,
            over: HTTP2Client(send: transport.send) { transport.close() })
        #expect(tally.carriedOutTwice == 0)
        #expect(tally.lostGETs == 0)
        #expect(tally.lostUnansweredPOSTs == 0)
        #expect(tally.failedPOSTs == 0)
        #expect(tally.imagined == 0)
    }

    @Test func whatAServerSendsBesideItsAnswersEndsNoCallWrongly() async throws {
        guard let bench = try await bench() else { return }
        defer { bench.stop() }
        for check in HTTP2Check.all(floods: isWhole ? 5_000 : 100) {
            do {
                try await check.run(bench)
            } catch {
                Issue.record(error, "\(check)")
            }
        }
    }
}
#endif

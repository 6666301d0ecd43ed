import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// The part of an answer that had arrived before a failure.
@Suite(.oneAtATime)
struct CurlTransportPartTests {
    private let scheduler = ManualScheduler()
    private let never = Promise<Void>()

    @Test func anErrorHasThePartThatHadArrived() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(5) }
        let server = try LoopbackServer { [never] request in
            request.target == "/cut"
                ? .truncated("half", of: 8) : .stopping(after: "half", of: 8, until: never)
        }
        let lost = try await transport.get(server, "cut").httpError
        #expect(lost.code == .connectionLost)
        #expect(lost.response?.text == "half" && lost.response?.request?.url.path == "/cut")
        let stopped = transport.get(server, "stopped")
        _ = try await server.received(2).soon
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(5))
                return stopped.isSettled
            })
        let late = try await stopped.httpError
        #expect(late.code == .timedOut && late.reason == "the idle limit of 5.0 seconds")
        #expect(late.response.map { "half".hasPrefix($0.text) } ?? true)
        let streamed = try await transport.stream(HTTPRequest(server.url.appending(path: "cut")))
            .soon
        let error = try await streamed.body.collected(upTo: 10).httpError
        #expect(error.status == 200 && error.body.isEmpty)
    }

    @Test(arguments: [200, 401])
    func aWholeAnswerStandsIfTheServerTakesNoMoreOfTheRequest(status: Int) async throws {
        let transport = CurlTransport.patient
        let answered = Promise<Void>()
        let goes = Promise<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.answer("early", status: status)
            answered.resolve()
            // Until the client has read the answer.
            while !goes.isSettled {}
            connection.resetAtEnd()
        }
        let asked = Locked(0)
        let source = HTTPRequest.BodySource(length: 64 << 20, isReplayable: true) {
            HTTPBodyStream(
                length: 64 << 20,
                next: {
                    let isFirst = asked.withLock { asked in
                        asked += 1
                        return asked == 1
                    }
                    return isFirst
                        ? Future(value: Data(count: 100)) : goes.map { Data(count: 65_536) }
                })
        }
        let call = transport.send(HTTPRequest(.post, server.url(), body: .stream(source)))
        try await answered.soon
        // Turns in which the client reads the answer.
        let other = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<50 { _ = try await transport.get(other).soon }
        goes.resolve()
        let response = try await call.soon
        #expect(response.status == status && response.text == "early")
        try await transport.close().soon
        server.stop()
    }

    @Test func aUserInTheURLIsNotSent() async throws {
        let server = try LoopbackServer { .text($0.header("Authorization") ?? "none") }
        let url = try #require(URL(string: "http://joe:hunter2@127.0.0.1:\(server.port)/"))
        #expect(try await CurlTransport.patient.get(url).soon.text == "none")
    }
}

#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import PledgeServices
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Calls for which there is no connection yet.
@Suite(.oneAtATime) struct WaitingCallsTests {
    private let scheduler = ManualScheduler()
    private let gate = Promise<Void>()
    private let transport: AHCTransport
    private let server: LoopbackServer

    init() throws {
        var configuration = AHCTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        configuration.connectionWaitTimeout = .seconds(3)
        transport = AHCTransport(configuration, on: scheduler)
        server = try LoopbackServer { [gate] _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
    }

    private func ask(_ path: String, by deadline: CallDeadline? = nil) -> Future<HTTPResponse> {
        CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url.appending(path: path)))
        }
    }

    private func occupy() async throws -> Future<HTTPResponse> {
        let first = ask("first")
        _ = try await server.received(1).value
        return first
    }

    @Test func beginInTheOrderInWhichTheyCame() async throws {
        let calls = (0..<30).map { ask("\($0)") }
        gate.resolve()
        for call in calls { #expect(try await call.value.text == "ok") }
        #expect(server.requests.map(\.target) == (0..<30).map { "/\($0)" })
        #expect(server.acceptedConnections == 1)
    }

    @Test func waitNoLongerThanTheyMay() async throws {
        let first = try await occupy()
        let second = ask("second")
        scheduler.advance(by: .seconds(2))
        let third = ask("third")
        #expect(second.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "the limit of 3.0 seconds for a free connection")
        #expect(error?.request?.url.lastPathComponent == "second")
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await third.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/third"])
    }

    @Test func areNotSentAndSayNothingAboutTheHost() async throws {
        let first = try await occupy()
        let time = ManualScheduler()
        let service = stack(.timeout(.seconds(1), on: time), over: transport.send)
        let record = CallRecord()
        let second = CallContext().with(record: record).run {
            service(HTTPRequest(.post, server.url.appending(path: "second")))
        }
        for clock in [scheduler, time] { clock.advance(by: .seconds(2)) }
        #expect(second.result == nil && record.verdict == .repeatable)
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.isCertainlyUnsent == true && error?.advisedOutcome == .refusal)
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first"])
    }

    @Test func areNotIdle() async throws {
        var configuration = AHCTransport.Configuration(idleTimeout: .seconds(2))
        configuration.maxConnectionsPerHost = 1
        #expect(configuration.connectionWaitTimeout == .seconds(60))
        let transport = AHCTransport(configuration, on: scheduler)
        let server = try LoopbackServer { [gate] request in
            request.target == "/second"
                ? .text("ok")
                : .stopping(after: "a", of: 2, until: gate, then: [.send(Data("b".utf8))])
        }
        let first = try await transport.stream(HTTPRequest(.get, server.url)).value
        let second = transport.send(
            HTTPRequest(.get, server.url.appending(path: "second")))
        // The body of the first response is not read.
        scheduler.advance(by: .seconds(59))
        #expect(second.result == nil)
        gate.resolve()
        #expect(try await first.body.collected(upTo: 2).value == Data("ab".utf8))
        #expect(try await second.value.text == "ok")
    }

    @Test func endAtTheirDeadlines() async throws {
        let first = try await occupy()
        let second = ask("second", by: CallDeadline(after: .seconds(1), on: scheduler))
        scheduler.advance(by: .seconds(1))
        let error = #expect(throws: HTTPError.self) { try second.settledValue() }
        #expect(error?.code == .timedOut)
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await ask("third").value.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/third"])
    }

    @Test func endWithTheTransport() async throws {
        let first = try await occupy()
        let others = (0..<100).map { ask("\($0)") }
        let closed = transport.close(cancelling: true)
        for call in [first] + others {
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        try await closed.value
        #expect(server.requests.map(\.target) == ["/first"])
    }

    @Test func goOnWhereTheTransportIsClosed() async throws {
        let first = try await occupy()
        let second = ask("second")
        let closed = transport.close()
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await second.value.text == "ok")
        try await closed.value
    }

    @Test func haveALaneEachTimeAConnectionIsLost() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.close]) }
        let calls = (0..<20).map { _ in transport.send(HTTPRequest(.post, server.url)) }
        for call in calls {
            let error = await #expect(throws: HTTPError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
        }
    }
}
#endif

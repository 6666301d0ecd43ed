#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import NIOCore
import NIOPosix
import PledgeTesting
import PledgeServices
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Ways to end a call from outside.
@Suite(.oneAtATime) struct AHCTransportEndTests {
    let transport = AHCTransport()

    @Test func endsTheExchangeWhenTheFutureIsCancelled() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        response.cancel()
        #expect(throws: CancellationError.self) { try response.settledValue() }
        try await server.hungUp(1).value
    }

    @Test func sendsNothingThatWasCancelledWhileItWaited() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
        var configuration = AHCTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        let transport = AHCTransport(configuration)
        let first = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        transport.send(HTTPRequest(.get, server.url.appending(path: "cancelled"))).cancel()
        transport.stream(HTTPRequest(.get, server.url.appending(path: "cancelled"))).cancel()
        let last = transport.send(HTTPRequest(.get, server.url.appending(path: "last")))
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await loop.submit {}.get()
        }
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await last.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/", "/last"])
    }

    @Test func keepsOtherCallsWhenOneIsCancelled() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
        let responses = (0..<4).map { _ in transport.send(HTTPRequest(.get, server.url)) }
        _ = try await server.received(4).value
        responses[2].cancel()
        try await server.hungUp(1).value
        gate.resolve()
        for index in [0, 1, 3] { #expect(try await responses[index].value.text == "ok") }
    }

    @Test func endsAtTheDeadline() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let scheduler = ManualScheduler()
        let request = HTTPRequest(.get, server.url)
        let response = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.send(request)
        }
        _ = try await server.received(1).value
        scheduler.advance(by: .seconds(4))
        #expect(response.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await response.value }
        #expect(error?.code == .timedOut)
        #expect(error?.request == request)
        try await server.hungUp(1).value
    }

    @Test func sendsNothingAfterTheDeadline() throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let deadline = CallDeadline(after: .zero, on: ManualScheduler())
        let response = CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        let error = #expect(throws: HTTPError.self) { try response.settledValue() }
        #expect(error?.code == .timedOut)
        #expect(server.acceptedConnections == 0)
    }

    @Test func takesTheDeadlinesTimerBackWhenTheCallHasEnded() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let scheduler = ManualScheduler()
        let call = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        _ = try await call.value
        #expect(scheduler.isIdle)
    }

    @Test func endsACallWhenNothingHappensForTooLong() async throws {
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        scheduler.advance(by: .seconds(59))
        #expect(response.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await response.value }
        #expect(error?.code == .timedOut)
        try await server.hungUp(1).value
    }

    @Test func endsAStreamOfAnAppsClientWhenNothingHappensForTooLong() async throws {
        let scheduler = ManualScheduler()
        let client = HTTPClient()
        let transport = AHCTransport(client: client, idleTimeout: .seconds(5), on: scheduler)
        let server = try LoopbackServer { _ in .stopping(after: "a", of: 2, until: Promise()) }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(try await response.body.next().value == Data("a".utf8))
        scheduler.advance(by: .seconds(100))
        let next = response.body.next()
        scheduler.advance(by: .seconds(4))
        #expect(next.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await next.value }
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "the idle limit of 5.0 seconds")
        try await server.hungUp(1).value
        try await client.shutdown()
    }
}
#endif

#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct AHCTransportTests {
    @Test func refusesCallsWhenItIsClosed() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = AHCTransport()
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await transport.close().value
        try await server.connectionsOpen(atMost: 0).value
        let refused = transport.send(HTTPRequest(.get, server.url))
        let error = #expect(throws: HTTPError.self) { try refused.settledValue() }
        #expect(error?.code == .transportClosed)
        #expect(error?.request?.url == server.url)
        try await transport.close().value
        #expect(server.requests.count == 1)
    }

    @Test func letsCallsUnderWayEndWhenItIsClosed() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("late").steps)
        }
        let transport = AHCTransport()
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        let closed = transport.close()
        #expect(closed.result == nil)
        gate.resolve()
        #expect(try await response.value.text == "late")
        try await closed.value
    }

    @Test func cancelsCallsUnderWayWhenItIsClosedSo() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let transport = AHCTransport()
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        let closed = transport.close(cancelling: true)
        await #expect(throws: CancellationError.self) { try await response.value }
        try await closed.value
        try await server.hungUp(1).value
    }

    @Test func closesItselfWhenItIsReleased() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let response = AHCTransport().send(HTTPRequest(.get, server.url))
        #expect(try await response.value.text == "ok")
        try await server.connectionsOpen(atMost: 0).value
    }

    @Test func doesNotCloseTheSharedOne() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let error = #expect(throws: HTTPError.self) {
            try AHCTransport.shared.close(cancelling: true).settledValue()
        }
        #expect(error?.code == .unsupported)
        let response = AHCTransport.shared.send(HTTPRequest(.get, server.url))
        #expect(try await response.value.text == "ok")
    }

    @Test func leavesTheAppsClientOpen() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let client = HTTPClient(
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
        let transport = AHCTransport(client: client)
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await transport.close(cancelling: true).value
        let error = #expect(throws: HTTPError.self) {
            try transport.send(HTTPRequest(.get, server.url)).settledValue()
        }
        #expect(error?.code == .transportClosed)
        let again = AHCTransport(client: client)
        #expect(try await again.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await client.shutdown()
        await #expect(throws: HTTPError.self) {
            try await again.send(HTTPRequest(.get, server.url)).value
        }
    }
}

@Suite(.oneAtATime) struct AHCTransportSendTests {
    let transport = AHCTransport()

    @Test func boundsTheBody() async throws {
        let transport = AHCTransport(AHCTransport.Configuration(maxBodySize: 10))
        let server = try LoopbackServer { request in
            switch request.target {
            case "/fits": .text("0123456789")
            case "/announced": .text("0123456789a")
            default: .chunked(["0123456", "789a"])
            }
        }
        let fits = HTTPRequest(.get, server.url.appending(path: "fits"))
        #expect(try await transport.send(fits).value.text == "0123456789")
        for path in ["announced", "chunked"] {
            let request = HTTPRequest(.get, server.url.appending(path: path))
            let error = await #expect(throws: HTTPError.self) {
                try await transport.send(request).value
            }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.status == 200)
            #expect(error?.request == request)
        }
        #expect(try await transport.send(fits).value.text == "0123456789")
    }
}

@Suite(.oneAtATime) struct AHCTransportStreamTests {
    let transport = AHCTransport()

    @Test func holdsTheServerBack() async throws {
        let size = 32 << 20
        let server = try LoopbackServer { request in
            guard request.target == "/large" else { return .text("ok") }
            let answer = LoopbackAnswer.response(body: Data(repeating: 7, count: size))
            return LoopbackAnswer(answer.steps + [.close])
        }
        let other = AHCTransport()
        let large = HTTPRequest(.get, server.url.appending(path: "large"))
        let response = try await transport.stream(large).value
        var count = try #require(try await response.body.next().value).count
        // Turns for the server's only thread, which is busy while a client reads.
        for _ in 0..<100 { _ = try await other.send(HTTPRequest(.get, server.url)).value }
        try await other.close().value
        try await server.connectionsOpen(atMost: 1).value
        #expect(server.openConnections == 1)
        for try await chunk in response.body { count += chunk.count }
        #expect(count == size)
        try await server.connectionsOpen(atMost: 0).value
    }

    @Test func endsABodyAtTheDeadline() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)),
                .hold(Promise<Void>()),
            ])
        }
        let scheduler = ManualScheduler()
        let call = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.stream(HTTPRequest(.get, server.url))
        }
        let response = try await call.value
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(5))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
        try await server.hungUp(1).value
    }

    @Test func waitsForAReaderAsLongAsItLikes() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n".utf8)),
                .body(Data("half".utf8)), .hold(gate),
            ])
        }
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        scheduler.advance(by: .seconds(600))
        #expect(try await response.body.next().value == Data("half".utf8))
        scheduler.advance(by: .seconds(600))
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(59))
        #expect(chunk.result == nil)
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
    }

    @Test func readsFromAnyThread() async throws {
        let server = try LoopbackServer { _ in .chunked(Array(repeating: "chunk", count: 200)) }
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let response = try await transport.stream(HTTPRequest(.get, server.url)).value
                    var body = Data()
                    for try await chunk in response.body { body += chunk }
                    return body
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies.map(\.count) == Array(repeating: 1_000, count: 8))
    }
}

/// Ways to end a call from outside.
@Suite(.oneAtATime) struct AHCTransportEndTests {
    let transport = AHCTransport()

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

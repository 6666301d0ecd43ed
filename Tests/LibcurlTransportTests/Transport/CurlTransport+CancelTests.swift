import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportCancelTests {
    private let transport = CurlTransport.patient
    private let never = Promise<Void>()

    private func expectCancelled<Value>(_ future: Future<Value>) async {
        await #expect(throws: CancellationError.self) { try await future.soon }
    }

    @Test func beforeItStarts() async throws {
        let server = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        for _ in 0..<100 {
            let call = transport.get(server)
            call.cancel()
            await expectCancelled(call)
        }
        try await transport.close().soon
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func whileItWaitsForAConnection() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 1 }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let first = transport.get(server, "first")
        _ = try await server.received(1).soon
        let others = (0..<10).map { transport.get(server, "\($0)") }
        for call in others { call.cancel() }
        for call in others { await expectCancelled(call) }
        // The transport processes its commands in order: this answer shows that it has processed every
        // cancellation.
        let elsewhere = try LoopbackServer { _ in .text("ok") }
        #expect(try await transport.get(elsewhere).soon.text == "ok")
        go.resolve()
        #expect(try await first.soon.text == "ok")
        #expect(try await transport.get(server, "last").soon.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/last"])
        #expect(server.acceptedConnections == 1)
    }

    @Test func inTheHead() async throws {
        let server = try LoopbackServer { [never] request in
            let half = "HTTP/1.1 200 OK\r\nContent-Le"
            return request.target == "/ok"
                ? .text("ok") : LoopbackAnswer([.send(Data(half.utf8)), .hold(never)])
        }
        for streams in [false, true] {
            let request = HTTPRequest(.get, server.url)
            if streams {
                let call = transport.stream(request)
                _ = try await server.received(3).soon
                call.cancel()
                await expectCancelled(call)
            } else {
                let call = transport.send(request)
                _ = try await server.received(1).soon
                call.cancel()
                await expectCancelled(call)
            }
            try await server.connectionsOpen(atMost: 0).soon
            #expect(try await transport.get(server, "ok").soon.text == "ok")
            if !streams { continue }
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test func inABodyThatIsGathered() async throws {
        let server = try LoopbackServer { [never] _ in
            .stopping(after: "half", of: 8, until: never)
        }
        let call = transport.get(server)
        _ = try await server.received(1).soon
        call.cancel()
        await expectCancelled(call)
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test(arguments: ["by its reader", "by the call", "by release"])
    func inABodyThatIsStreamed(way: String) async throws {
        let server = try LoopbackServer { [never] _ in
            .stopping(after: "half", of: 8, until: never)
        }
        let call = transport.stream(HTTPRequest(.get, server.url))
        do {
            let response = try await call.soon
            #expect(try await response.body.next().soon == Data("half".utf8))
            let next = response.body.next()
            if way == "by its reader" {
                response.body.cancel()
                await expectCancelled(next)
            } else if way == "by the call" {
                next.cancel()
                await expectCancelled(next)
            }
        }
        if way == "by release" { return }
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func aResponseThatNobodyKeepsEndsItsCall() async throws {
        let server = try LoopbackServer { [never] _ in
            .stopping(after: "half", of: 8, until: never)
        }
        do {
            let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
            #expect(response.status == 200)
        }
        try await server.hungUp(1).soon
    }

    @Test func afterItsEnd() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<10 {
            let call = transport.get(server)
            #expect(try await call.soon.text == "ok")
            call.cancel()
            let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
            #expect(try await response.body.collected(upTo: 2).soon == Data("ok".utf8))
            response.body.cancel()
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test func whileItIsSent() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let source = ScriptedSource()
        let body = HTTPRequest.BodySource(isReplayable: true) { source.stream() }
        let call = transport.send(HTTPRequest(.post, server.url, body: .stream(body)))
        #expect(await comesTrue { source.asked == 1 })
        source.give("some")
        #expect(await comesTrue { source.asked == 2 })
        call.cancel()
        await expectCancelled(call)
        #expect(await comesTrue { source.cancelled == 1 })
        try await server.connectionsOpen(atMost: 0).soon
    }
}

#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
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
#endif

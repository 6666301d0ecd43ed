#if AsyncHTTPClient && os(Linux)
import AsyncHTTPClient
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// Hosts that go silent, with a manual clock.
@Suite(.oneAtATime) struct SilentHostTests {
    private let scheduler = ManualScheduler()
    /// The streams of the requests on the first connection.
    private let streams = TestLog<UInt32>()

    private func transport(to site: HTTP2Site) throws -> AHCTransport {
        try AHCTransport(.init(idleTimeout: nil), connecting: site.settings, on: scheduler)
    }

    /// A server over HTTP/2 whose first connection answers its first request alone.
    ///
    /// - Parameter other: Answers the other requests of the first connection.
    private func site(
        _ other: @escaping @Sendable (HTTP2Frames, UInt32) -> Void = { _, _ in }
    ) async throws -> HTTP2Site? {
        try await HTTP2Site.start { [streams] _, frames in
            while let frame = frames.next() {
                guard case .head(let stream, _, _) = frame else { continue }
                if frames.index > 0 {
                    frames.answer(stream, "\(frames.index)")
                } else {
                    streams.append(stream)
                    if stream == 1 { frames.answer(stream, "0") } else { other(frames, stream) }
                }
            }
        }
    }

    private func get(_ transport: AHCTransport, _ site: HTTP2Site) -> Future<HTTPResponse> {
        transport.send(HTTPRequest(.get, site.url))
    }

    /// Sends requests on the first connection that run into a limit of time.
    private func lose(
        _ count: Int = 1, _ limit: Duration = .seconds(3), over service: @escaping HTTPService,
        to site: HTTP2Site
    ) async {
        let before = streams.elements.count
        let limited = stack(.timeout(limit, on: scheduler), over: service)
        let calls = (0..<count).map { _ in
            CallContext().with(record: CallRecord()).run { limited(HTTPRequest(.get, site.url)) }
        }
        #expect(await comesTrue { streams.elements.count == before + count })
        scheduler.advance(by: limit)
        for call in calls {
            if case .success(let response) = await call.resultSoon {
                Issue.record("\(response.text)")
            }
        }
    }

    @Test func aSilentConnectionGetsNoNewStream() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        await lose(20, over: transport.send, to: site)
        for _ in 0..<20 { #expect(try await get(transport, site).soon.text == "1") }
        #expect(site.server.acceptedConnections == 2)
        try await transport.close().soon
    }

    @Test func theAttemptAfterTheSilenceSucceeds() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        let service = stack(
            .retry(
                Retry(attempts: 2, backoff: .constant(.zero)), budget: RetryBudget(capacity: 20),
                on: scheduler),
            .timeout(.seconds(3), on: scheduler), over: transport.send)
        let calls = (0..<20).map { _ in service(HTTPRequest(.get, site.url)) }
        #expect(await comesTrue { streams.elements.count == 21 })
        scheduler.advance(by: .seconds(3))
        scheduler.advance(by: .zero)
        for call in calls { #expect(try await call.soon.text == "1") }
        try await transport.close().soon
    }

    @Test("other streams of a silent connection run on, and closing waits for them")
    func otherStreamsOfASilentConnectionRunOn() async throws {
        let go = Promise<Void>()
        let site = try await site { frames, stream in
            guard stream == 3 else { return }
            go.observe { _ in frames.answer(stream, "late") }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        let long = get(transport, site)
        #expect(await comesTrue { streams.elements.count == 2 })
        await lose(over: transport.send, to: site)
        #expect(try await get(transport, site).soon.text == "1")
        let closed = transport.close()
        #expect(!closed.isSettled && !long.isSettled)
        go.resolve()
        #expect(try await long.soon.text == "late")
        try await closed.soon
    }

    @Test func closingCancelsTheCallsOfAllClients() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        let long = get(transport, site)
        #expect(await comesTrue { streams.elements.count == 2 })
        await lose(over: transport.send, to: site)
        #expect(try await get(transport, site).soon.text == "1")
        try await transport.close(cancelling: true).soon
        await #expect(throws: CancellationError.self) { try await long.soon }
    }

    @Test func theFailuresOfASilentConnectionCountOnceForABreaker() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: scheduler)
        let service = stack(
            .circuitBreaker(sharing: breaker), .timeout(.seconds(3), on: scheduler),
            over: transport.send)
        await lose(20, .seconds(4), over: service, to: site)
        #expect(breaker.state == .closed)
        #expect(try await service(HTTPRequest(.get, site.url)).soon.text == "1")
        try await transport.close().soon
    }

    /// Without this, each second of such calls would make a handshake.
    @Test func aLimitOf200MsOnAPathOf300MsMakesNoNewConnection() async throws {
        let site = try await HTTP2Site.start { [streams, scheduler] _, frames in
            while let frame = frames.next() {
                guard case .head(let stream, _, _) = frame else { continue }
                if stream == 1 {
                    scheduler.advance(by: .milliseconds(300))
                    frames.answer(stream, "\(frames.index)")
                }
                streams.append(stream)
            }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try transport(to: site)
        #expect(try await get(transport, site).soon.text == "0")
        for _ in 0..<20 {
            await lose(1, .milliseconds(200), over: transport.send, to: site)
        }
        #expect(site.server.acceptedConnections == 1)
        try await transport.close().soon
    }

    /// Over HTTP/1.1, the kept connections are left with the one that hangs.
    @Test func keptConnectionsOfASilentHostAreLeft() async throws {
        let heads = TestLog<Int>()
        let server = try SocketServer.silentAfterThree(logging: heads)
        defer { server.stop() }
        let transport = AHCTransport(.init(idleTimeout: nil), on: scheduler)
        let first = (0..<3).map { _ in transport.send(HTTPRequest(.get, server.url())) }
        for call in first { _ = try await call.soon }
        #expect(server.acceptedConnections == 3)
        let lost = stack(.timeout(.seconds(3), on: scheduler), over: transport.send)(
            HTTPRequest(.get, server.url()))
        #expect(await comesTrue { heads.elements.count == 4 })
        scheduler.advance(by: .seconds(3))
        if case .success = await lost.resultSoon { Issue.record() }
        for _ in 0..<3 {
            let next = transport.send(HTTPRequest(.get, server.url()))
            #expect(try await next.soon.text == "3")
        }
        try await transport.close().soon
    }

    @Test func aReplacedClientIsShutDownAfterItsLastCall() async throws {
        let server = try SocketServer { [streams] connection in
            if connection.head() != nil { streams.append(0) }
            connection.awaitEnd()
        }
        defer { server.stop() }
        let transport = AHCTransport(.init(idleTimeout: nil), on: scheduler)
        for round in 1...5 {
            let call = stack(.timeout(.seconds(3), on: scheduler), over: transport.send)(
                HTTPRequest(.get, server.url()))
            #expect(await comesTrue { streams.elements.count == round })
            scheduler.advance(by: .seconds(3))
            if case .success = await call.resultSoon { Issue.record() }
        }
        #expect(await comesTrue { transport.leases.count == 2 })
        try await transport.close().soon
        #expect(transport.leases.count == 0)
    }

    @Test func anAppsClientStays() async throws {
        let server = try SocketServer { [streams] connection in
            if connection.head() != nil { streams.append(0) }
            connection.awaitEnd()
        }
        defer { server.stop() }
        let client = HTTPClient(
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
        let transport = AHCTransport(client: client, idleTimeout: nil, on: scheduler)
        let call = stack(.timeout(.seconds(3), on: scheduler), over: transport.send)(
            HTTPRequest(.get, server.url()))
        #expect(await comesTrue { streams.elements.count == 1 })
        scheduler.advance(by: .seconds(3))
        if case .success = await call.resultSoon { Issue.record() }
        #expect(transport.leases.count == 1)
        try await transport.close().soon
        try await client.shutdown()
    }
}
#endif

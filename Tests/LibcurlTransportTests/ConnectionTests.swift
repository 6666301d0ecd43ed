#if os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@testable import PledgeLibcurlTransport

/// Connections that go silent.
///
/// The limit of the attempts that find out is three seconds, in real time as the rule itself.
@Suite(.oneSuiteAtATime)
struct ConnectionTests {
    private let limit = Duration.seconds(3)

    private func service(_ transport: CurlTransport) -> HTTPService {
        stack(.timeout(limit), over: transport.send)
    }

    /// A server over HTTP/2 whose first connection answers its first request alone.
    ///
    /// - Parameter other: Answers the other requests of the first connection.
    private func site(
        _ other: @escaping @Sendable (HTTP2Frames, UInt32) -> Void = { _, _ in }
    ) async throws -> HTTP2Site? {
        try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                guard case .head(let stream, _, _) = frame else { continue }
                if frames.index == 0, stream > 1 {
                    other(frames, stream)
                } else {
                    frames.answer(stream, "\(frames.index)")
                }
            }
        }
    }

    @Test func aSilentConnectionGetsNoNewStream() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try site.transport()
        let service = service(transport)
        #expect(try await transport.get(site.url).soon.text == "0")
        let calls = (0..<20).map { _ in service(HTTPRequest(site.url)) }
        for call in calls { if case .success = await call.resultSoon { Issue.record() } }
        for _ in 0..<20 { #expect(try await transport.get(site.url).soon.text == "1") }
        #expect(site.server.acceptedConnections == 2)
        try await transport.close().soon
    }

    @Test func theOtherStreamsOfASilentConnectionRunOn() async throws {
        let go = Promise<Void>()
        let site = try await site { frames, stream in
            guard stream == 3 else { return }
            go.observe { _ in frames.answer(stream, "late") }
        }
        guard let site else { return }
        defer { site.stop() }
        let transport = try site.transport()
        #expect(try await transport.get(site.url).soon.text == "0")
        let long = transport.get(site.url)
        if case .success = await service(transport)(HTTPRequest(site.url)).resultSoon {
            Issue.record()
        }
        #expect(try await transport.get(site.url).soon.text == "1")
        go.resolve()
        #expect(try await long.soon.text == "late")
        try await transport.close().soon
    }

    @Test func theFailuresOfASilentConnectionCountOnceForABreaker() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try site.transport()
        #expect(try await transport.get(site.url).soon.text == "0")
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero)
        let service = stack(
            .circuitBreaker(sharing: breaker), .timeout(limit), over: transport.send)
        let calls = (0..<20).map { _ in
            CallContext().with(record: CallRecord()).run { service(HTTPRequest(site.url)) }
        }
        for call in calls { if case .success = await call.resultSoon { Issue.record() } }
        #expect(breaker.state == .closed)
        #expect(try await service(HTTPRequest(site.url)).soon.text == "1")
        try await transport.close().soon
    }

    /// Whoever cancels a call need not know how the connection is.
    @Test func aCancelledCallSaysNothingAboutItsConnection() async throws {
        guard let site = try await site(), let other = try await self.site() else { return }
        defer { site.stop() }
        defer { other.stop() }
        let transport = try site.transport()
        let clock = try other.transport()
        #expect(try await transport.get(site.url).soon.text == "0")
        let call = transport.get(site.url)
        #expect(try await clock.get(other.url).soon.text == "0")
        if case .success = await service(clock)(HTTPRequest(other.url)).resultSoon {
            Issue.record()
        }
        call.cancel()
        let next = transport.get(site.url)
        #expect(try await clock.get(other.url).soon.text == "1")
        #expect(!next.isSettled && site.server.acceptedConnections == 1)
        for transport in [transport, clock] { try await transport.close().soon }
    }

    /// A transport that asks no kernel when the last byte came, as on macOS.
    private func blindTransport(to site: HTTP2Site) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration.patient
        configuration.asksKernel = false
        return try CurlTransport(configuration, connecting: site.settings)
    }

    @Test func withoutTheKernelsTimeOfTheLastByteTransfersTellASilentConnection() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let transport = try blindTransport(to: site)
        #expect(try await transport.get(site.url).soon.text == "0")
        let calls = (0..<20).map { _ in service(transport)(HTTPRequest(site.url)) }
        for call in calls { if case .success = await call.resultSoon { Issue.record() } }
        for _ in 0..<20 { #expect(try await transport.get(site.url).soon.text == "1") }
        #expect(site.server.acceptedConnections == 2)
        try await transport.close().soon
    }

    /// A call hangs for three seconds, and its limit passes after the answer to another call.
    @Test func withoutTheKernelsTimesBytesOfOtherTransfersCount() async throws {
        let site = try await site { frames, stream in
            if stream > 3 { frames.answer(stream, "0") }
        }
        guard let site, let other = try await self.site() else { return }
        defer { site.stop() }
        defer { other.stop() }
        let transport = try blindTransport(to: site)
        let clock = try other.transport()
        let scheduler = ManualScheduler()
        #expect(try await transport.get(site.url).soon.text == "0")
        let call = stack(.timeout(limit, on: scheduler), over: transport.send)(
            HTTPRequest(site.url))
        #expect(try await clock.get(other.url).soon.text == "0")
        if case .success = await service(clock)(HTTPRequest(other.url)).resultSoon {
            Issue.record()
        }
        #expect(try await transport.get(site.url).soon.text == "0")
        scheduler.advance(by: limit)
        if case .success = await call.resultSoon { Issue.record() }
        #expect(try await transport.get(site.url).soon.text == "0")
        #expect(site.server.acceptedConnections == 1)
        for transport in [transport, clock] { try await transport.close().soon }
    }

    /// The client's socket of a connection to a server in this process.
    private func socket(to server: SocketServer) -> Int32? {
        (3..<4_096).first { number in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(number, $0, &size)
                }
            }
            return code == 0 && UInt16(bigEndian: address.sin_port) == server.port
        }
    }

    private func option(_ level: Int32, _ name: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, level, name, &value, &size)
        return value
    }

    @Test func theKernelWatchesConnections() async throws {
        let server = try SocketServer { connection in
            while connection.head() != nil { connection.answer("ok") }
        }
        defer { server.stop() }
        let transport = try CurlTransport(CurlTransport.Configuration())
        #expect(try await transport.get(server.url()).soon.text == "ok")
        let client = try #require(socket(to: server))
        let tcp = Int32(IPPROTO_TCP)
        #expect(option(SOL_SOCKET, SO_KEEPALIVE, of: client) == 1)
        #expect(option(tcp, TCP_KEEPIDLE, of: client) == 15)
        #expect(option(tcp, TCP_KEEPINTVL, of: client) == 15)
        #expect(option(tcp, TCP_USER_TIMEOUT, of: client) == 60_000)
        try await transport.close().soon
    }

    /// Over HTTP/1.1, the kept connections are left with the one that hangs.
    @Test func keptConnectionsOfASilentHostAreLeft() async throws {
        let heads = TestLog<Int>()
        let server = try SocketServer.silentAfterThree(logging: heads)
        defer { server.stop() }
        let transport = CurlTransport.patient
        let first = (0..<3).map { _ in transport.get(server.url()) }
        for call in first { _ = try await call.soon }
        #expect(server.acceptedConnections == 3)
        if case .success = await service(transport)(HTTPRequest(server.url())).resultSoon {
            Issue.record()
        }
        #expect(try await transport.get(server.url()).soon.text == "3")
        try await transport.close().soon
    }
}
#endif

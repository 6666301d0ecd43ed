#if os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Addresses and handshakes that say nothing.
///
/// The time to connect is the watchdog's, so that a test whose call waits for libcurl's limits does not end.
@Suite(.oneSuiteAtATime)
struct ConnectWatchTests {
    private func transport(_ addresses: [String]) throws -> CurlTransport {
        try CurlTransport.connecting { settings in
            settings.proxy = .none
            settings.addresses = ["several.test": addresses]
        }
    }

    private func url(_ port: UInt16) throws -> URL {
        try #require(URL(string: "http://several.test:\(port)/"))
    }

    @Test func addressesThatDoNotAnswerAreLeft() async throws {
        let server = try SocketServer { connection in
            while connection.head() != nil { connection.answer("ok") }
        }
        defer { server.stop() }
        let silent = try [2, 3].map { try SilentAddress($0, port: server.port) }
        let transport = try transport(silent.map(\.address) + ["127.0.0.1"])
        #expect(try await transport.get(try url(server.port)).soon.text == "ok")
        try await transport.close().soon
    }

    /// An address that is alone gets the whole time.
    @Test func anAddressThatIsAloneIsTriedUntilTheLimit() async throws {
        let server = try SocketServer { $0.awaitEnd() }
        defer { server.stop() }
        let silent = try SilentAddress(port: server.port)
        let transport = try CurlTransport.with { $0.connectTimeout = .seconds(2) }
        let url = try #require(URL(string: "http://\(silent.address):\(server.port)/"))
        let error = try await transport.get(url).httpError
        #expect(error.code == .timedOut)
        #expect(error.reason == "the connect limit of 2.0 seconds")
        try await transport.close().soon
    }
}

// MARK: - Handshakes

extension ConnectWatchTests {
    /// A server that forwards to a site with TLS, except for its first connections.
    private func front(
        of site: HTTP2Site, first count: Int,
        _ serve: @escaping @Sendable (SocketConnection) -> Void = { $0.awaitEnd() }
    ) throws -> SocketServer {
        let port = UInt16(site.url.port ?? 0)
        return try SocketServer { connection in
            if connection.index < count { return serve(connection) }
            _ = connection.forward(toPort: port, saying: [])
        }
    }

    private func site() async throws -> HTTP2Site? {
        try await HTTP2Site.start { _, frames in
            while let frame = frames.next() {
                if case .head(let stream, _, _) = frame { frames.answer(stream, "HTTP/2") }
            }
        }
    }

    private func url(of front: SocketServer) throws -> URL {
        try #require(URL(string: "https://127.0.0.1:\(front.port)/"))
    }

    @Test func aHandshakeThatHangsHoldsUpItsOwnCallAlone() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let front = try front(of: site, first: 1)
        defer { front.stop() }
        let transport = try site.transport()
        let url = try url(of: front)
        let calls = (0..<20).map { _ in transport.get(url) }
        #expect(await comesTrue { calls.count(where: \.isSettled) == 19 })
        for call in calls where call.isSettled { #expect(try await call.soon.text == "HTTP/2") }
        #expect(front.acceptedConnections == 2)
        for call in calls { call.cancel() }
        try await transport.close().soon
    }

    /// The calls that wait have a limit of their own, whatever the time to connect is.
    @Test func eachHandshakeThatTakesTooLongFailsOneCall() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let front = try front(of: site, first: 2)
        defer { front.stop() }
        var configuration = CurlTransport.Configuration.patient
        configuration.connectTimeout = .milliseconds(700)
        let transport = try CurlTransport(configuration, connecting: site.settings)
        let url = try url(of: front)
        let calls = (0..<20).map { _ in transport.get(url) }
        var failures: [HTTPError.Code] = []
        for call in calls {
            guard case .failure(let error) = await call.resultSoon else { continue }
            failures.append(try #require(error as? HTTPError).code)
        }
        #expect(failures == [.timedOut, .timedOut])
        try await transport.close().soon
    }

    @Test func aHandshakeThatFailsFailsOneCall() async throws {
        guard let site = try await site() else { return }
        defer { site.stop() }
        let front = try front(of: site, first: 1) { connection in
            _ = connection.bytes()
            connection.resetAtEnd()
        }
        defer { front.stop() }
        let transport = try site.transport()
        let url = try url(of: front)
        let calls = (0..<20).map { _ in transport.get(url) }
        var failures = 0
        for call in calls {
            if case .failure = await call.resultSoon { failures += 1 }
        }
        #expect(failures == 1)
        try await transport.close().soon
    }
}
#endif

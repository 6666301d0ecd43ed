import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hosts that go silent, with a manual clock.
@Suite(.oneAtATime)
struct SessionPoolsTests {
    private let scheduler = ManualScheduler()
    private let transport: SessionTransport
    /// The indices of the connections on which requests have come.
    private let heads = TestLog<Int>()

    init() { transport = SessionTransport(.init(idleTimeout: nil), on: scheduler) }

    private func get(_ server: SocketServer) -> Future<HTTPResponse> {
        transport.send(HTTPRequest(.get, server.url()))
    }

    /// Sends a request that runs into a limit of time.
    private func lose(_ limit: Duration = .seconds(3), to server: SocketServer) async {
        let count = heads.elements.count
        let call = stack(.timeout(limit, on: scheduler), over: transport.send)(
            HTTPRequest(.get, server.url()))
        #expect(await comesTrue { heads.elements.count == count + 1 })
        scheduler.advance(by: limit)
        if case .success(let response) = await call.resultSoon { Issue.record("\(response.text)") }
    }

    /// A server whose first three connections answer one request each, and together; the others answer all.
    ///
    /// - Parameter other: Serves the other requests of the first connections.
    private func server(
        _ other: @escaping @Sendable (SocketConnection) -> Void = { $0.awaitEnd() }
    ) throws -> SocketServer {
        try SocketServer { [heads] connection in
            while connection.head() != nil {
                heads.append(connection.index)
                let count = heads.elements.count { $0 == connection.index }
                if connection.index < 3, count > 1 { return other(connection) }
                while heads.elements.count < 3 {}
                connection.answer("\(connection.index)")
            }
        }
    }

    private func silentServer() throws -> SocketServer {
        try SocketServer { [heads] connection in
            if connection.head() != nil { heads.append(connection.index) }
            connection.awaitEnd()
        }
    }

    private func keepThreeConnections(to server: SocketServer) async throws {
        let calls = (0..<3).map { _ in get(server) }
        for call in calls { _ = try await call.soon }
        #expect(server.acceptedConnections == 3)
    }

    private var openSessions: Int { transport.sessions.open.withLock { $0.count } }

    @Test func keptConnectionsOfASilentHostAreLeft() async throws {
        let server = try server()
        defer { server.stop() }
        try await keepThreeConnections(to: server)
        await lose(to: server)
        for _ in 0..<3 { #expect(try await get(server).soon.text == "3") }
        #expect(server.acceptedConnections == 4)
        try await transport.close().soon
        #expect(openSessions == 1)
    }

    @Test("other calls run on beside a silent host, and closing waits for them")
    func otherCallsRunOnBesideASilentHost() async throws {
        let go = Promise<Void>()
        let server = try server { connection in
            go.observe { _ in connection.answer("late") }
            connection.awaitEnd()
        }
        defer { server.stop() }
        try await keepThreeConnections(to: server)
        let long = get(server)
        #expect(await comesTrue { heads.elements.count == 4 })
        await lose(to: server)
        #expect(try await get(server).soon.text == "3")
        let closed = transport.close()
        #expect(try await get(server).httpError.code == .transportClosed)
        #expect(!closed.isSettled && !long.isSettled)
        go.resolve()
        #expect(try await long.soon.text == "late")
        try await closed.soon
    }

    @Test func closingCancelsTheCallsOfAllSessions() async throws {
        let server = try server()
        defer { server.stop() }
        try await keepThreeConnections(to: server)
        let long = get(server)
        #expect(await comesTrue { heads.elements.count == 4 })
        await lose(to: server)
        #expect(try await get(server).soon.text == "3")
        try await transport.close(cancelling: true).soon
        await #expect(throws: CancellationError.self) { try await long.soon }
    }

    @Test func aReplacedSessionEndsAfterItsLastCall() async throws {
        let server = try silentServer()
        defer { server.stop() }
        for _ in 0..<5 { await lose(to: server) }
        #expect(await comesTrue { openSessions == 2 })
        try await transport.close().soon
    }

    @Test func aLimitOf200MsOnAPathOf300MsMakesNoNewSession() async throws {
        let go = Promise<Void>()
        let server = try SocketServer { [heads] connection in
            while connection.head() != nil {
                heads.append(connection.index)
                guard heads.elements.count == 1 else { return connection.awaitEnd() }
                go.observe { _ in connection.answer("0") }
            }
        }
        defer { server.stop() }
        let first = get(server)
        #expect(await comesTrue { heads.elements.count == 1 })
        scheduler.advance(by: .milliseconds(300))
        go.resolve()
        #expect(try await first.soon.text == "0")
        for _ in 0..<20 { await lose(.milliseconds(200), to: server) }
        #expect(openSessions == 1)
        try await transport.close().soon
    }

    @Test func anAppsSessionStays() async throws {
        let server = try silentServer()
        defer { server.stop() }
        let app = URLSession(configuration: .ephemeral)
        let transport = SessionTransport(session: app, .init(idleTimeout: nil), on: scheduler)
        let call = stack(.timeout(.seconds(3), on: scheduler), over: transport.send)(
            HTTPRequest(.get, server.url()))
        #expect(await comesTrue { heads.elements.count == 1 })
        scheduler.advance(by: .seconds(3))
        _ = await call.resultSoon
        #expect(transport.sessions.open.withLock { $0.count } == 1)
        try await transport.close().soon
    }
}

import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime) struct ClosedPortTests {
    @Test func refusesConnectionsAndIsNobodyElses() async throws {
        let closed = try ClosedPort()
        let servers = try (0..<20).map { _ in try LoopbackServer { _ in .text("ok") } }
        #expect(!servers.contains { $0.url == closed.url })
        let result = await SessionTransport().send(HTTPRequest(.get, closed.url)).resultWhenSettled
        #expect(throws: HTTPError.self) { try result.get() }
        guard case .failure(let error as HTTPError) = result else { return }
        #expect(error.code == .cannotConnect)
        withExtendedLifetime((closed, servers)) {}
    }
}

#if AsyncHTTPClient && os(Linux)
import HTTPTestSupport
import PledgeHTTPTransportKit
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// AHCTransport on a network that falls silent or breaks, by the same checks as every other transport.
@Suite(.oneSuiteAtATime) struct NetworkTests {
    @Test(arguments: NetworkCheck.all)
    func holds(check: NetworkCheck) async {
        await check.run(making: Self.transport, differences: Self.differences)
    }

    @Test(.enabled(if: NetworkCheck.isBehindTunnel), arguments: NetworkCheck.overTunnel)
    func holdsOverATunnel(check: NetworkCheck) async {
        await check.run(making: Self.transport, differences: Self.differences)
    }

    @Test func plantedFaultsAreFound() async {
        await NetworkCheck.findPlantedFaults(making: Self.transport)
    }

    @Sendable private static func transport(_ settings: ConnectionSettings) throws -> AHCTransport {
        var settings = settings
        settings.proxy = .none
        var configuration = AHCTransport.Configuration()
        configuration.connectTimeout = watchdog
        configuration.connectionWaitTimeout = nil
        configuration.idleTimeout = nil
        return try AHCTransport(configuration, connecting: settings)
    }

    private static let differences: [String: NetworkCheck.Difference] = [
        "silent handshake": .differs(
            "where HTTP/2 is allowed, AsyncHTTPClient makes one connection to a host at a time"),
        "moved silently": .mayDiffer(
            "the next call may get the attempt to connect that was made for the first one"),
    ]
}
#endif

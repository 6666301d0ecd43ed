#if os(Linux)
import HTTPTestSupport
import PledgeHTTPTransportKit
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// CurlTransport on a network that falls silent or breaks, by the same checks as every other transport.
@Suite(.oneSuiteAtATime) struct CurlNetworkTests {
    @Test(arguments: NetworkCheck.all)
    func holds(check: NetworkCheck) async {
        await check.run(making: Self.transport)
    }

    @Test(.enabled(if: NetworkCheck.isBehindTunnel), arguments: NetworkCheck.overTunnel)
    func holdsOverATunnel(check: NetworkCheck) async {
        await check.run(making: Self.transport)
    }

    @Test func plantedFaultsAreFound() async {
        await NetworkCheck.findPlantedFaults(making: Self.transport)
    }

    @Sendable private static func transport(_ settings: ConnectionSettings) throws -> CurlTransport
    {
        var settings = settings
        settings.proxy = .none
        return try CurlTransport(.patient, connecting: settings)
    }
}
#endif

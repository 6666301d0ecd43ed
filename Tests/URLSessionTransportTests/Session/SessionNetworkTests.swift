#if os(Linux)
import HTTPTestSupport
import PledgeHTTPMessages
import PledgeURLSessionTransport
import TestSupport
import Testing

/// SessionTransport on a network that falls silent or breaks, by the same checks as every other transport.
@Suite(.oneSuiteAtATime) struct SessionNetworkTests {
    @Test(arguments: NetworkCheck.all)
    func holds(check: NetworkCheck) async {
        await check.run(
            making: { _ in SessionTransport(.init(idleTimeout: nil)) },
            differences: Self.differences)
    }

    @Test(.enabled(if: NetworkCheck.isBehindTunnel), arguments: NetworkCheck.overTunnel)
    func holdsOverATunnel(check: NetworkCheck) async {
        await check.run(
            making: { _ in SessionTransport(.init(idleTimeout: nil)) },
            differences: Self.differences)
    }

    @Test func plantedFaultsAreFound() async {
        await NetworkCheck.findPlantedFaults(includesTLS: false) { _ in
            SessionTransport(.init(idleTimeout: nil))
        }
    }

    private static let differences: [String: NetworkCheck.Difference] = {
        let tls = "URLSession on Linux trusts the system's authorities alone"
        let waits = "URLSession's libcurl waits for it for 150 seconds"
        #if compiler(>=6.3)
        let deadAddress = NetworkCheck.Difference.differs(waits)
        #else
        // Where a distribution has built Swift, with its own libcurl, that may be newer.
        let deadAddress = NetworkCheck.Difference.mayDiffer(waits)
        #endif
        return [
            "silent HTTP/2 flow": .cannotRun(tls),
            "silent handshake": .cannotRun(tls),
            "dead first address": deadAddress,
            "moved name": .differs(
                "URLSession's libcurl keeps an address for a minute, whatever happens there"),
        ]
    }()
}
#endif

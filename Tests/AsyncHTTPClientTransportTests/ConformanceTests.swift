#if AsyncHTTPClient
import PledgeHTTPNetworking
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct ConformanceTests {
    private let transport = AHCTransport()

    @Test(arguments: TransportCheck.all)
    func conforms(to check: TransportCheck) async throws {
        let checked = CheckedTransport(
            send: transport.send, stream: transport.stream,
            maxBodySize: AHCTransport.Configuration.defaultMaxBodySize)
        try await check.run(checked)
    }

    @Test func survivesWhateverAServerSends() async throws {
        let checked = CheckedTransport(
            send: transport.send, maxBodySize: AHCTransport.Configuration.defaultMaxBodySize)
        let responses = try mutatedResponses(min(2_000, fuzzInputCount()), seed: 1)
        try await TransportCheck.survives(responses).run(checked)
    }
}
#endif

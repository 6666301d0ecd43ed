import PledgeHTTPMessages
import PledgeLibcurlTransport
import PledgeTesting
import PledgeTransportChecks
import TestSupport
import Testing

/// CurlTransport by the same checks as every other transport.
@Suite(.oneAtATime) struct CurlConformanceTests {
    private static let checked: CheckedTransport = {
        let transport = CurlTransport.patient
        return CheckedTransport(
            send: transport.send, stream: transport.stream, maxBodySize: 64 << 20)
    }()

    @Test(arguments: TransportCheck.all)
    func conforms(to check: TransportCheck) async throws {
        try await check.run(Self.checked, differences: Self.differences)
    }

    @Test func survivesWhateverAServerSends() async throws {
        let responses = try mutatedResponses(fuzzInputCount(), seed: 1)
        #expect(responses.count == fuzzInputCount())
        try await TransportCheck.survives(responses).run(Self.checked)
    }

    private static let differences: [String: TransportDifference] = [:]
}

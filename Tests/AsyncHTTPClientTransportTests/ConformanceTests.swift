#if AsyncHTTPClient
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPTransportKit
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

#if os(Linux)
/// Whatever a server does, each call ends, and leaves no resources behind.
@Suite(.oneAtATime)
struct MisbehavingServerTests {
    @Test func noneOfThemLeavesAnything() async {
        // In a process in which no other test uses sockets and memory.
        await #expect(processExitsWith: .success) {
            var configuration = AHCTransport.Configuration()
            configuration.maxBodySize = 1 << 20
            // Opens the resources that SwiftNIO's threads keep for the process.
            _ = try await MisbehaviourRun(of: Misbehaviour.all[0], 8, by: AHCTransport().send)
            let before = ProcessState.now.descriptorCount
            do {
                let transport = AHCTransport(configuration)
                let strange = try await MisbehaviourRun.ofAll(
                    misbehaviourCallCount(), by: transport.send)
                #expect(strange.isEmpty, "\(strange.prefix(10))")
                try await transport.close().value
            }
            #expect(heldBytes() < 200 << 20, "\(heldBytes()) bytes")
            #expect(await comesTrue { ProcessState.now.descriptorCount <= before })
        }
    }
}
#endif
#endif

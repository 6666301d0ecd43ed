#if os(Linux)
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Whatever a server does, each call ends, and leaves no resources behind.
@Suite(.oneAtATime)
struct MisbehavingServerTests {
    @Test func thereAreFortyOfThemAndMore() {
        #expect(Misbehaviour.all.count >= 40)
        #expect(Set(Misbehaviour.all.map(\.name)).count == Misbehaviour.all.count)
    }

    @Test func noneOfThemLeavesAnything() async {
        // In a process in which no other test uses sockets and memory.
        await #expect(processExitsWith: .success) {
            let before = ProcessState.now.descriptorCount
            do {
                let transport = try CurlTransport.with { $0.maxBodySize = 1 << 20 }
                let strange = try await MisbehaviourRun.ofAll(
                    misbehaviourCallCount(), by: transport.send)
                #expect(strange.isEmpty, "\(strange.prefix(10))")
                try await transport.close().soon
            }
            #expect(heldBytes() < 200 << 20, "\(heldBytes()) bytes")
            // Dispatch's own: an epoll, an eventfd, a timerfd.
            #expect(await comesTrue { ProcessState.now.descriptorCount <= before + 3 })
        }
    }
}
#endif

#if os(Linux)
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Calls that are cancelled at random moments leave no resources behind.
@Suite(.oneAtATime)
struct RandomCancelTests {
    @Test func leaveNoHandleNoSocketAndNoByte() async {
        // In a process in which no other test uses sockets and memory.
        await #expect(processExitsWith: .success) {
            let server = try SocketServer { connection in
                while connection.head() != nil {
                    // In two pieces, so that some calls are cancelled in the body.
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n")
                    connection.send([UInt8](repeating: 65, count: 20_000))
                }
            }
            try await RandomCancelTests.cancel(1_000, seed: 1, server)
            let descriptors = ProcessState.now.descriptorCount
            let bytes = heldBytes()
            let count = cancelCount()
            try await RandomCancelTests.cancel(count, seed: 2, server)
            #expect(await comesTrue { server.openConnections == 0 })
            #expect(await comesTrue { ProcessState.now.descriptorCount <= descriptors })
            // For pages that the allocator keeps; a leak of one byte for each call would exceed this.
            let grown = heldBytes() - bytes
            #expect(grown < 8 << 20 + count * 16, "\(grown) bytes more")
            server.stop()
        }
    }

    /// Makes calls, and cancels most of them at random moments.
    private static func cancel(_ count: Int, seed: UInt64, _ server: SocketServer) async throws {
        let transport = CurlTransport.patient
        var random = SeededGenerator(seed: seed)
        var pending: [Future<Int>] = []
        for _ in 0..<count {
            let isStreamed = Bool.random(using: &random)
            let call =
                isStreamed
                ? transport.stream(HTTPRequest(.get, server.url())).map(\.status)
                : transport.get(server.url()).map(\.status)
            pending.append(call)
            // After none to many turns of the I/O thread.
            for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
            guard pending.count >= 16 else { continue }
            for _ in 0..<8 {
                let index = Int.random(in: pending.indices, using: &random)
                let call = pending.remove(at: index)
                if Int.random(in: 0..<4, using: &random) > 0 { call.cancel() }
                switch await call.resultSoon {
                case .success(let status): #expect(status == 200)
                case .failure(let error): #expect(error is CancellationError)
                }
            }
        }
        for call in pending { call.cancel() }
        try await transport.close().soon
    }
}
#endif

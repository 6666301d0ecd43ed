#if os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// Whatever a server does, each call ends, and leaves no resources behind.
@Suite(.oneAtATime)
struct MisbehavingServerTests {
    @Test func thereAreFortyMisbehavingServersAndMore() {
        #expect(Misbehaviour.all.count >= 40)
        #expect(Set(Misbehaviour.all.map(\.name)).count == Misbehaviour.all.count)
    }

    @Test func noMisbehavingServerLeavesAnything() async {
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

/// Calls that are cancelled at random moments leave no resources behind.
@Suite(.oneAtATime)
struct RandomCancelTests {
    @Test func cancellingAtRandomLeavesNoHandleNoSocketAndNoByte() async {
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

/// Many calls to a real nginx whose processes and connections end all the time.
@Suite(.oneAtATime)
struct ReloadedServerTests {
    private let count = reloadedCallCount()

    private func tally(
        of count: Int, to listener: NginxSite.Listener, reloads: Int,
        _ versions: ConnectionSettings.Versions = .automatic
    ) async throws -> NginxSite.Tally? {
        guard let site = try await NginxSite.start(hasMaster: true) else { return nil }
        defer { site.stop() }
        let transport = try site.transport { $0.versions = versions }
        let client = HTTP2Client(send: transport.send) { transport.close() }
        let tally = try await site.tally(of: count, to: listener, reloads: reloads, over: client)
        print("\(count) GETs and POSTs to \(listener) by \(versions): \(tally)")
        #expect(tally.carriedOutTwice == 0)
        #expect(tally.lostGETs == 0)
        #expect(tally.failedPOSTs == 0)
        #expect(tally.imagined == 0)
        return tally
    }

    /// Where libcurl tells what a server has excluded, all calls go by HTTP/2, and such a POST is sent again.
    @Test func noPOSTIsCarriedOutTwiceAndNoGETIsLost() async throws {
        let reloads = max(3, count / 1_000)
        guard let tally = try await tally(of: count, to: .good, reloads: reloads) else { return }
        let library = try CurlLibrary.lookUp()
        if library.tellsRefusals, library.keepsEarlyAnswers {
            #expect(tally.lostUnansweredPOSTs == 0)
        }
    }

    @Test(arguments: [NginxSite.Listener.leavesAfterTen, .oneStream])
    func noPOSTIsDoneTwiceIfConnectionsEndOften(listener: NginxSite.Listener) async throws {
        _ = try await tally(of: max(100, count / 10), to: listener, reloads: 2)
    }
}
#endif

#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

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
    func norIfConnectionsEndOftenOrCarryOneRequest(listener: NginxSite.Listener) async throws {
        _ = try await tally(of: max(100, count / 10), to: listener, reloads: 2)
    }
}
#endif

#if AsyncHTTPClient && os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

/// What comes of a call if a server over HTTP/2 resets its stream, or leaves.
@Suite(.oneAtATime)
struct HTTP2TableTests {
    private let isWhole = isHTTP2Whole()

    private func bench() async throws -> HTTP2Bench? {
        try await HTTP2Bench.start { settings, idleTimeout, scheduler in
            var configuration = AHCTransport.Configuration()
            configuration.connectTimeout = watchdog
            configuration.connectionWaitTimeout = nil
            configuration.idleTimeout = idleTimeout
            let transport = try AHCTransport(configuration, connecting: settings, on: scheduler)
            return HTTP2Client(send: transport.send) { transport.close() }
        }
    }

    @Test func noRequestIsCarriedOutTwice() async throws {
        guard let bench = try await bench() else { return }
        defer { bench.stop() }
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            #expect(outcome == one.expected(tellsExclusion: true, tellsDemand: true), "\(one)")
        }
    }

    @Test(arguments: [NginxSite.Listener.good, .leavesAfterTen, .oneStream])
    func nginxCarriesOutNoPOSTTwiceAndNoGETIsLost(listener: NginxSite.Listener) async throws {
        guard let site = try await NginxSite.start(hasMaster: true) else { return }
        defer { site.stop() }
        let transport = try AHCTransport(connecting: site.settings)
        let tally = try await site.tally(
            of: isWhole ? 10_000 : 200, to: listener, reloads: isWhole ? 20 : 2,
            over: HTTP2Client(send: transport.send) { transport.close() })
        #expect(tally.carriedOutTwice == 0)
        #expect(tally.lostGETs == 0)
        #expect(tally.lostUnansweredPOSTs == 0)
        #expect(tally.failedPOSTs == 0)
        #expect(tally.imagined == 0)
    }

    @Test func whatAServerSendsBesideItsAnswersEndsNoCallWrongly() async throws {
        guard let bench = try await bench() else { return }
        defer { bench.stop() }
        for check in HTTP2Check.all(floods: isWhole ? 5_000 : 100) {
            do {
                try await check.run(bench)
            } catch {
                Issue.record(error, "\(check)")
            }
        }
    }
}
#endif

#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// What comes of a call if a server over HTTP/2 resets its stream, or leaves.
@Suite(.oneAtATime)
struct HTTP2TableTests {
    private let isWhole = isHTTP2Whole()
    private let library: CurlLibrary

    init() throws { library = try CurlLibrary.lookUp() }

    private func bench(_ versions: ConnectionSettings.Versions) async throws -> HTTP2Bench? {
        try await HTTP2Bench.start { settings, idleTimeout, scheduler in
            var settings = settings
            settings.versions = versions
            var configuration = CurlTransport.Configuration.patient
            configuration.idleTimeout = idleTimeout
            let transport = try CurlTransport(configuration, connecting: settings, on: scheduler)
            return HTTP2Client(send: transport.send) { transport.close() }
        }
    }

    @Test func noRequestIsLostThatTheServerExcludesAndNoneIsCarriedOutTwice() async throws {
        guard let bench = try await bench(.http2) else { return }
        defer { bench.stop() }
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            let expected = one.expected(
                tellsExclusion: library.tellsRefusals, tellsDemand: true)
            #expect(outcome == expected, "\(one)")
        }
    }

    /// Requests that libcurl would not treat so over HTTP/2 go by HTTP/1.1.
    @Test func byTheVersionThatTheTransportChoosesEveryExcludedRequestSucceeds() async throws {
        guard let bench = try await bench(.automatic) else { return }
        defer { bench.stop() }
        let isSafe = library.tellsRefusals && library.keepsEarlyAnswers
        for one in isWhole ? HTTP2Case.all : HTTP2Case.few {
            let outcome = try await bench.outcome(of: one)
            let byHTTP1 = HTTP2Outcome(result: "answer", sent: 1, carriedOut: 1)
            let isByHTTP1 = !isSafe && one.call != .get
            let expected = one.expected(tellsExclusion: true, tellsDemand: true)
            #expect(outcome == (isByHTTP1 ? byHTTP1 : expected), "\(one)")
        }
    }

    @Test func whatAServerSendsBesideItsAnswersEndsNoCallWrongly() async throws {
        guard let bench = try await bench(.http2) else { return }
        defer { bench.stop() }
        for check in HTTP2Check.all(floods: isWhole ? 200_000 : 5_000) {
            do {
                try await check.run(bench)
            } catch {
                Issue.record(error, "\(check)")
            }
        }
    }
}
#endif

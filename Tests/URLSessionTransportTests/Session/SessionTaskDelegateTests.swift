import Foundation
import Futures
import HTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import URLSessionTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.oneAtATime)
struct SessionTaskDelegateTests {
    @Test func sessionAndDelegateAreFreedAfterTheEnd() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        weak var exchanges: SessionTaskDelegate?
        weak var session: URLSession?
        do {
            let configuration = SessionTransport.Configuration()
            let brief = SessionTaskDelegate(configuration, .live)
            brief.open(configuration.ofSession { _ in })
            exchanges = brief
            session = brief.state.withLock { $0.session }
            let promise = InternalPromise<HTTPResponse>()
            brief.send(HTTPRequest(.get, server.url), for: .whole(promise))
            _ = try await promise.soon
            try await brief.close(cancelling: false).soon
        }

        // URLSession releases its delegate after the last callback.
        #expect(await comesTrue { exchanges == nil })
        #expect(await comesTrue { session == nil })
    }

    @Test func whatTheTransportReliesOnCannotBeAdjusted() {
        let session = SessionTransport.Configuration(maxConnectionsPerHost: 3).ofSession {
            session in
            session.urlCache = .shared
            session.httpCookieStorage = .shared
            session.urlCredentialStorage = .shared
            session.timeoutIntervalForRequest = 1
            session.httpAdditionalHeaders = ["X-A": "1"]
        }

        #expect(session.urlCache == nil)
        #expect(session.httpCookieStorage == nil)
        #expect(session.urlCredentialStorage == nil)
        #expect(session.timeoutIntervalForRequest > 1_000_000)
        #expect(session.httpMaximumConnectionsPerHost == 3)
        #expect(session.httpAdditionalHeaders?["X-A"] as? String == "1")
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeURLSessionTransport

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
            try brief.send(HTTPRequest(.get, server.url), for: .whole(promise))
            _ = try await promise.soon
            try await brief.close(cancelling: false).soon
        }

        // URLSession releases its delegate after the last callback.
        #expect(await comesTrue { exchanges == nil })
        #expect(await comesTrue { session == nil })
    }

    /// Only Apple's URLSession tells of a wait, so the delegate is told of it here.
    @Test func aCallThatWaitsForANetworkEndsByItsDeadlineAlone() async throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let scheduler = ManualScheduler()
        let configuration = SessionTransport.Configuration(idleTimeout: .seconds(10))
        let delegate = SessionTaskDelegate(configuration, scheduler)
        delegate.open(configuration.ofSession { _ in })
        let promise = InternalPromise<HTTPResponse>()
        try CallContext(deadline: CallDeadline(after: .seconds(60), on: scheduler)).run {
            try delegate.send(HTTPRequest(.get, server.url), for: .whole(promise))
        }
        _ = try await server.received(1).soon

        for id in delegate.state.withLock({ Array($0.entries.keys) }) {
            delegate.exchange(id)?.expectNothing()
        }
        for _ in 1...59 { scheduler.advance(by: .seconds(1)) }
        #expect(!promise.isSettled)
        scheduler.advance(by: .seconds(1))

        let error = try await promise.httpError
        #expect(error.code == .timedOut)
        #expect(error.reason == "the deadline, after 60.0 seconds")
        try await delegate.close(cancelling: true).soon
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

#if canImport(FoundationNetworking)
struct DelegateQueueTests {
    @Test func tellsTheDelegateAtOnce() {
        let seen = Locked(false)

        DelegateQueue().addOperation { seen.withLock { $0 = true } }

        #expect(seen.withLock { $0 })
    }
}
#endif

extension SessionTaskDelegate {
    /// Sends a request, without the other sessions of a transport.
    fileprivate func send(
        _ request: HTTPRequest, for recipient: TransportExchange.Recipient
    ) throws {
        let exchange = try TransportExchange(
            request, for: recipient, within: limits, on: scheduler)
        try beginStart()
        send(exchange)
    }
}

import CPledgeCurl
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// A server that moves: the attempt after a failed connection asks the resolver again.
@Suite(.oneAtATime)
struct NameMemoryTests {
    /// Sends a request over an engine, of which libcurl's list of addresses may get an entry.
    private func send(
        _ request: HTTPRequest, over engine: CurlEngine, adding entry: String? = nil
    ) throws -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        let exchange = try TransportExchange(
            request, for: .whole(promise), within: engine.limits, on: engine.scheduler)
        let handle = try engine.handles.take(for: request, isStreamed: false)
        if let entry { handle.setAddresses(entry) }
        engine.submit(.start(exchange, handle))
        return promise
    }

    @Test func aNameIsLookedUpAgainAfterAFailedConnect() async throws {
        var settings = ConnectionSettings()
        settings.proxy = .none
        let options = try CurlOptions(
            .patient, settings, CurlLibrary.lookUp(), on: LiveScheduler.shared)
        let engine = try CurlEngine(options, delivery: ResultDelivery(.concurrent))
        let closed = try ClosedPort()
        let port = closed.port
        let request = HTTPRequest(
            try #require(URL(string: "http://moves.invalid:\(port)/")))
        // The plus makes the entry one that libcurl has looked up, and keeps for a minute.
        let first = try send(
            request, over: engine, adding: "+moves.invalid:\(port):127.0.0.1")
        #expect(try await first.httpError.code == .cannotConnect)
        let second = try send(request, over: engine)
        #expect(try await second.httpError.code == .cannotFindHost)
        engine.submit(.close)
        try await engine.ended.soon
        withExtendedLifetime(closed) {}
    }
}

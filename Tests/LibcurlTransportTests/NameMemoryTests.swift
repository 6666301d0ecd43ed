import CPledgeCurl
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
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
        let handle = try engine.handles.takeHandle(for: request, isStreamed: false)
        if let entry { handle.setAddresses(entry) }
        engine.submit(.start(exchange, handle))
        return promise
    }

    private func engine(
        _ adjust: (inout ConnectionSettings) -> Void = { _ in }
    ) throws -> CurlEngine {
        var settings = ConnectionSettings()
        settings.proxy = .none
        adjust(&settings)
        let options = try CurlOptions(
            .patient, settings, CurlLibrary.lookUp(), on: LiveScheduler.shared)
        return try CurlEngine(options, delivery: ResultDelivery(.concurrent))
    }

    private func request(_ port: some BinaryInteger) throws -> HTTPRequest {
        HTTPRequest(try #require(URL(string: "http://moves.invalid:\(port)/")))
    }

    /// An entry that libcurl takes for one that it has looked up just now; the plus says so.
    private func entry(_ port: some BinaryInteger) -> String {
        "+moves.invalid:\(port):127.0.0.1"
    }

    @Test func theLifeOfAnAddressIsKept() async throws {
        let engine = try engine { $0.addressLifetime = .zero }
        let closed = try ClosedPort()
        let call = try send(
            try request(closed.port), over: engine, adding: entry(closed.port))
        #expect(try await call.httpError.code == .cannotFindHost)
        engine.submit(.close)
        try await engine.ended.soon
        withExtendedLifetime(closed) {}
    }

    @Test func aNameIsLookedUpAgainAfterAFailedConnect() async throws {
        let engine = try engine()
        let closed = try ClosedPort()
        let request = try request(closed.port)
        let first = try send(request, over: engine, adding: entry(closed.port))
        #expect(try await first.httpError.code == .cannotConnect)
        let second = try send(request, over: engine)
        #expect(try await second.httpError.code == .cannotFindHost)
        engine.submit(.close)
        try await engine.ended.soon
        withExtendedLifetime(closed) {}
    }
}

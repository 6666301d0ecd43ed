import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What happens when the server closes a connection at the moment at which it is used again.
@Suite(.oneAtATime)
struct SessionTransportReuseTests {
    private let transport = SessionTransport(.init(idleTimeout: nil))

    /// A server that answers the first request on each of its first connections, and closes them at the
    /// second.
    private func server(closing connections: Int, by step: LoopbackAnswer.Step) throws
        -> LoopbackServer
    {
        try LoopbackServer { request in
            if request.target == "/again", request.connection < connections {
                return LoopbackAnswer([step])
            }
            return .text("got \(request.text)")
        }
    }

    @Test func aStreamIsSentAgainFromItsCopy() async throws {
        let server = try server(closing: 1, by: .close)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let once = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(Data("this".utf8))
        }
        let request = HTTPRequest(.put, server.url.appending("/again"), body: .stream(once))

        #expect(try await transport.send(request).soon.text == "got this")
    }

    @Test func aServerThatAlwaysClosesIsALostConnection() async throws {
        let server = try server(closing: .max, by: .close)
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let request = HTTPRequest(
            .put, server.url.appending("/again"), body: .data(Data("this".utf8)))

        let error = try await transport.send(request).httpError

        #expect(error.code == .connectionLost)
        #expect(server.requests.count < 10)
    }

    @Test func aRequestThatIsSentAgainIsStillCancelled() async throws {
        let server = try LoopbackServer(answeringLater: { request in
            if request.target != "/again" { return Future(value: .text("first")) }
            return request.connection == 0 ? Future(value: .hangUp) : Promise()
        })
        _ = try await transport.send(HTTPRequest(.get, server.url)).soon
        let future = transport.send(
            HTTPRequest(.put, server.url.appending("/again"), body: .data(Data([1]))))
        _ = try await server.received(3).soon

        future.cancel()

        try await server.hungUp(1).soon
        try await transport.close().soon
    }
}

@Suite(.oneAtATime)
struct SessionTransportLoadTests {
    @Test func aThousandAtOnceAreAllAnsweredWithTheirOwn() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let transport = SessionTransport(.init(idleTimeout: nil, maxConnectionsPerHost: 50))
        let futures = (0..<1000).map {
            transport.send(HTTPRequest(.get, server.url.appending("/\($0)")))
        }

        for (index, future) in futures.enumerated() {
            #expect(try await future.soon.text == "/\(index)")
        }

        #expect(Set(server.requests.map(\.target)).count == 1000)
    }

    @Test func noMoreAreSentAtOnceThanThereMayBeConnections() async throws {
        let atOnce = Locked((now: 0, most: 0))
        let server = try LoopbackServer(answeringLater: { _ in
            atOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            let answer = Promise<LoopbackAnswer>()
            DispatchQueue.global().async {
                atOnce.withLock { $0.now -= 1 }
                answer.resolve(with: .text("done"))
            }
            return answer
        })
        let transport = SessionTransport(.init(idleTimeout: nil, maxConnectionsPerHost: 3))
        let futures = (0..<60).map { _ in transport.send(HTTPRequest(.get, server.url)) }

        for future in futures { #expect(try await future.soon.text == "done") }

        #expect((1...3).contains(atOnce.withLock { $0.most }))
    }

    @Test func aRequestMayBeSentFromWhereAnotherOneEnded() async throws {
        let server = try LoopbackServer { .text($0.target) }
        let transport = SessionTransport(.init(idleTimeout: nil))
        @Sendable func go(_ left: Int) -> Future<Int> {
            transport.send(HTTPRequest(.get, server.url.appending("/\(left)"))).flatMap { _ in
                left == 0 ? Future(value: server.requests.count) : go(left - 1)
            }
        }

        #expect(try await go(200).soon == 201)
    }

    @Test func nothingOfACallIsLeftAfterItsEnd() async throws {
        let server = try LoopbackServer { .text("\($0.body.count)") }
        let transport = SessionTransport(.init(idleTimeout: nil))
        weak var source: HTTPRequest.BodySource?
        do {
            let brief = HTTPRequest.BodySource(isReplayable: true) {
                HTTPBodyStream(Data(count: 2 << 20))
            }
            source = brief
            let request = HTTPRequest(.put, server.url, body: .stream(brief))
            #expect(try await transport.send(request).soon.text == "\(2 << 20)")
        }
        try await transport.close().soon

        // The session releases its task on a queue of its own.
        #expect(await comesTrue { source == nil })
    }
}

/// What a URL says besides the place.
@Suite(.oneAtATime)
struct SessionTransportPlaceTests {
    @Test func aUserInTheURLAnswersNoQuestionForAPassword() async throws {
        let server = try LoopbackServer { _ in
            .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        }
        let url = try #require(URL(string: "http://joe:hunter2@127.0.0.1:\(server.port)/"))
        for transport in [
            SessionTransport(), SessionTransport(session: URLSession(configuration: .default)),
        ] {
            #expect(try await transport.send(HTTPRequest(url)).soon.status == 401)
        }
        #expect(server.requests.map { $0.header("Authorization") } == [nil, nil])
    }

    #if canImport(FoundationNetworking)
    @Test func aHostThatURLSessionDoesNotTakeIsTold() async throws {
        let url = try #require(URL(string: "http://127.1/"))
        let error = try await SessionTransport(.init(idleTimeout: nil)).send(HTTPRequest(url))
            .httpError
        #expect(error.code == .unsupported)
        #expect("\(error)".hasSuffix("write an IPv4 address as four numbers)"))
    }

    /// In a process of its own, since the environment names the proxy.
    @Test func aProxysRefusalIsNotRepeated() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in .text("no", status: 407) }
            setenv("https_proxy", proxy.url.absoluteString, 1)
            let send = SessionTransport(.init(idleTimeout: nil)).send
            let request = HTTPRequest(.get, URL(string: "https://example.test/")!)
            let stack = stack(.retry(Retry(backoff: .constant(.zero))), over: send)
            let error = try await stack(request).httpError
            #expect(error.code == .proxyRefused)
            #expect(error.reason == "the proxy answered 407")
            #expect(proxy.requests.map(\.method) == ["CONNECT"])
        }
    }
    #endif
}

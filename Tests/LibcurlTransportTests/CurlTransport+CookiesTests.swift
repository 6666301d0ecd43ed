import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// A jar gets the cookies of each response when its head arrives.
@Suite(.oneAtATime) struct CurlTransportCookiesTests {
    /// A server that sends the heads that it is given, one for each request, and then waits before it sends the body.
    private final class Site: Sendable {
        private let server: SocketServer
        private let gate = DispatchSemaphore(value: 0)
        private let heads = Locked<[String]>([])

        init(_ answers: String...) throws {
            let left = Locked(answers[...])
            server = try SocketServer { [heads, gate] connection in
                while let head = connection.head() {
                    heads.withLock { $0.append(head) }
                    guard let answer = left.withLock({ $0.popFirst() }) else { return }
                    let isSlow = answer.hasPrefix("slow ")
                    let head = isSlow ? String(answer.dropFirst(5)) : answer
                    connection.send("\(head)\r\nContent-Length: 2\r\n\r\n")
                    if isSlow { gate.wait() }
                    connection.send("ok")
                }
            }
        }

        var url: URL { server.url() }

        var requests: [String] { heads.withLock { $0 } }

        /// Sends a body that waits.
        func goOn() { gate.signal() }

        func stop() {
            goOn()
            server.stop()
        }
    }

    private typealias Part = Middleware<HTTPRequest, HTTPResponse>

    private let jar = CookieJar()
    private let scheduler = ManualScheduler()

    private func names() -> [String] { jar.cookies.map(\.name) }

    @Test func aCallerWhoLeavesDuringTheBodyKeepsItsCookies() async throws {
        let site = try Site("slow HTTP/1.1 200 OK\r\nSet-Cookie: a=1")
        defer { site.stop() }
        let send = stack(Part.cookies(sharing: jar), over: CurlTransport.patient.send)
        let call = send(HTTPRequest(.get, site.url))
        #expect(await comesTrue { names() == ["a"] })
        #expect(!call.isSettled)
        call.cancel()
        #expect(names() == ["a"])
    }

    @Test func aCallOutOfTimeDuringTheBodyKeepsItsCookies() async throws {
        let site = try Site("slow HTTP/1.1 200 OK\r\nSet-Cookie: a=1")
        defer { site.stop() }
        let send = stack(
            .deadline(.seconds(2), on: scheduler), Part.cookies(sharing: jar),
            over: CurlTransport.patient.send)
        let call = send(HTTPRequest(.get, site.url))
        #expect(await comesTrue { names() == ["a"] })
        scheduler.advance(by: .seconds(2))
        guard case .failure(let error) = await call.resultSoon else {
            Issue.record("it has an answer")
            return
        }
        #expect(error.isTimeout && names() == ["a"])
    }

    @Test func theCancelledCallOfAHedgeKeepsItsCookies() async throws {
        let site = try Site(
            "slow HTTP/1.1 200 OK\r\nSet-Cookie: a=1", "HTTP/1.1 200 OK\r\nSet-Cookie: b=2")
        defer { site.stop() }
        let send = stack(
            .cookies(sharing: jar),
            .hedge(sharing: Hedge(after: .seconds(1), maxExtraLoad: 1, on: scheduler)),
            over: CurlTransport.patient.send)
        let call = send(HTTPRequest(.get, site.url))
        #expect(await comesTrue { names() == ["a"] })
        scheduler.advance(by: .seconds(1))
        #expect(try await call.soon.headers["Set-Cookie"] == "b=2")
        #expect(names() == ["a", "b"])
    }

    /// What the jar has got since the head is newer.
    @Test(arguments: [false, true]) func aCookieIsSetOnceWhenTheHeadArrives(isWithClient: Bool)
        async throws
    {
        let site = try Site("slow HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/")
        defer { site.stop() }
        var send = stack(Part.cookies(sharing: jar), over: CurlTransport.patient.send)
        if isWithClient {
            var client = HTTPClient(base: nil, over: CurlTransport.patient)
            client.cookies = jar
            send = client.futures.send
        }
        let call = send(HTTPRequest(.get, site.url))
        #expect(await comesTrue { names() == ["a"] })
        jar.store("a=2; Path=/", from: site.url)
        site.goOn()
        #expect(try await call.soon.headers["Set-Cookie"] == "a=1; Path=/")
        #expect(jar.cookies.map(\.value) == ["2"])
    }

    @Test func aResponseThatEndsEarlyHasSetItsCookies() async throws {
        let server = try SocketServer { connection in
            _ = connection.head()
            connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 9\r\n\r\nok")
        }
        defer { server.stop() }
        let send = stack(Part.cookies(sharing: jar), over: CurlTransport.patient.send)
        let error = try await send(HTTPRequest(.get, server.url())).httpError
        #expect(error.code == .connectionLost)
        #expect(names() == ["a"])
    }

    @Test func aStreamedResponseSetsItsCookiesWithItsHead() async throws {
        let site = try Site("slow HTTP/1.1 404 Not Found\r\nSet-Cookie: a=1\r\nset-cookie: b=2")
        defer { site.stop() }
        let send: HTTPStreamingService = stack(
            .cookies(sharing: jar), over: CurlTransport.patient.stream)
        let response = try await send(HTTPRequest(.get, site.url)).soon
        #expect(response.status == 404 && names() == ["a", "b"])
        response.discardBody()
    }

    @Test func anInterimResponseSetsNoCookie() async throws {
        let site = try Site(
            "HTTP/1.1 103 Early Hints\r\nSet-Cookie: hint=1\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=1"
        )
        defer { site.stop() }
        let send = stack(Part.cookies(sharing: jar), over: CurlTransport.patient.send)
        #expect(try await send(HTTPRequest(.get, site.url)).soon.status == 200)
        #expect(names() == ["a"])
    }

    @Test func eachHopSetsItsOwnAndCarriesTheLastOnes() async throws {
        let site = try Site(
            "HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=1; Path=/",
            "HTTP/1.1 200 OK\r\nSet-Cookie: b=2")
        defer { site.stop() }
        let send = stack(
            .redirect(), .cookies(sharing: jar), over: CurlTransport.patient.send)
        #expect(try await send(HTTPRequest(.get, site.url)).soon.status == 200)
        #expect(names() == ["a", "b"])
        #expect(site.requests.map { $0.contains("Cookie: a=1") } == [false, true])
    }

    @Test func ofTwoUsersWhoShareAResponseOneGetsTheCookies() async throws {
        let site = try Site("slow HTTP/1.1 200 OK\r\nSet-Cookie: a=1")
        defer { site.stop() }
        let shared = stack(Part.coalesceSafeRequests(), over: CurlTransport.patient.send)
        let jars = [jar, CookieJar()]
        let calls = jars.map { jar in
            stack(Part.cookies(sharing: jar), over: shared)(HTTPRequest(.get, site.url))
        }
        calls[0].cancel()
        site.goOn()
        #expect(try await calls[1].soon.status == 200)
        #expect(jars.map { $0.cookies.count } == [1, 0])
        #expect(site.requests.count == 1)
    }

    @Test func aSignOutWhileTheHeadIsAwaitedSetsNoCookie() async throws {
        let arrived = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let server = try SocketServer { connection in
            _ = connection.head()
            arrived.withLock { $0 += 1 }
            gate.wait()
            connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let send = stack(Part.cookies(sharing: jar), over: CurlTransport.patient.send)
        let call = send(HTTPRequest(.get, server.url()))
        #expect(await comesTrue { arrived.withLock { $0 } == 1 })
        jar.removeAll()
        gate.signal()
        #expect(try await call.soon.status == 200)
        #expect(jar.cookies.isEmpty)
    }

    /// A stale response stands in for a 503, which has set its cookies; the stored one sets none.
    @Test func aStaleResponseKeepsTheCookiesOfTheErrorItReplaces() async throws {
        let site = try Site(
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nCache-Control: max-age=0, stale-if-error=60",
            "HTTP/1.1 503 Busy\r\nSet-Cookie: b=2")
        defer { site.stop() }
        let send = stack(
            .cookies(sharing: jar), .cache(sharing: HTTPCache(replaysCookies: true)),
            over: CurlTransport.patient.send)
        jar.store("id=7", from: site.url)
        _ = try await send(HTTPRequest(.get, site.url)).soon
        jar.store("a=3", from: site.url)
        let second = try await send(HTTPRequest(.get, site.url)).soon
        #expect(second.status == 200 && second.headers["Set-Cookie"] == "a=1")
        #expect(jar.cookies.map { "\($0.name)=\($0.value)" } == ["id=7", "a=3", "b=2"])
    }
}

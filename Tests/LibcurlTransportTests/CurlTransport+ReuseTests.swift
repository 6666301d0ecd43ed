import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportReuseTests {
    private let transport = CurlTransport.patient

    @Test func aSecondAnswerIsNeverGivenToTheNextCall() async throws {
        let spoilt = TestLog<String>()
        let server = try SocketServer { connection in
            while let head = connection.head() {
                let path = String(head.split(separator: " ")[1])
                connection.answer("for \(path)")
                connection.answer("unasked")
                spoilt.append(path)
            }
        }
        for number in 0..<200 {
            let text = try await transport.get(server.url("/\(number)")).soon.text
            #expect(text == "for /\(number)")
            // The unrequested bytes are there before the next call.
            #expect(await comesTrue { spoilt.elements.count == number + 1 })
        }
        #expect(server.acceptedConnections == 200)
        try await transport.close().soon
        server.stop()
    }

    @Test func anOldConnectionIsNotUsedAgain() async throws {
        let server = try SocketServer { connection in
            while connection.head() != nil { connection.answer("ok") }
        }
        let transport = try CurlTransport.connecting { $0.maxConnectionAge = .seconds(1) }
        while server.acceptedConnections < 2 {
            _ = try await transport.get(server.url()).soon
        }
        try await transport.close().soon
        server.stop()
    }

    @Test func aPOSTWithAnIdempotencyKeyIsSentAgainWithItsBody() async throws {
        let bodies = TestLog<String>()
        let server = try SocketServer { connection in
            while connection.head() != nil, let body = connection.bytes(70_000) {
                bodies.append("\(connection.index) \(body.allSatisfy { $0 == 65 })")
                if connection.index == 0, bodies.elements.count == 2 { return }
                connection.answer("ok")
            }
        }
        for _ in 0..<2 {
            var request = HTTPRequest(
                .post, server.url(), body: .data(Data(repeating: 65, count: 70_000)))
            request.headers["Idempotency-Key"] = "a"
            #expect(try await transport.send(request).soon.text == "ok")
        }
        #expect(bodies.elements == ["0 true", "0 true", "1 true"])
        try await transport.close().soon
        server.stop()
    }

    @Test func aSlowAnswerHoldsUpNoOtherCallToTheHost() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            request.target == "/slow"
                ? LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("slow").steps) : .text("ok")
        }
        let slow = transport.get(server, "slow")
        #expect(try await transport.get(server, "quick").soon.text == "ok")
        #expect(!slow.isSettled)
        go.resolve()
        #expect(try await slow.soon.text == "slow")
    }

    @Test func aConnectionThatHasEndedMeanwhileIsReplacedWhateverTheMethod() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer(LoopbackAnswer.text("ok").steps + [.close])
        }
        for count in 1...20 {
            let request = HTTPRequest(.post, server.url, body: .data(Data("a".utf8)))
            #expect(try await transport.send(request).soon.text == "ok")
            try await server.connectionsOpen(atMost: 0).soon
            #expect(server.acceptedConnections == count)
        }
    }

    @Test func aConnectionIsKeptNoLongerThanItIsToldTo() async throws {
        let transport = try CurlTransport.with { $0.keepAlive = .seconds(1) }
        let server = try LoopbackServer { _ in .text("ok") }
        _ = try await transport.get(server).soon
        // libcurl counts whole seconds, in real time.
        let later = ContinuousClock.now + .milliseconds(2_100)
        #expect(await comesTrue { ContinuousClock.now > later })
        _ = try await transport.get(server).soon
        #expect(server.acceptedConnections == 2)
    }

    @Test func tellsByWhatConnectionAnAnswerCame() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let first = try await transport.get(server).soon.timing
        let made = try #require(first.connection)
        #expect(made.isReused == false)
        #expect(made.protocolVersion == "HTTP/1.1")
        #expect(made.remoteAddress == "127.0.0.1:\(server.port)")
        #expect(made.untilSecure == nil)
        let untilConnected = try #require(made.untilConnected)
        let untilFirstByte = try #require(made.untilFirstByte)
        #expect(untilConnected > .zero)
        #expect(untilConnected <= untilFirstByte)
        #expect(untilFirstByte <= first.untilHeaders ?? .zero)
        #expect(first.untilHeaders ?? .seconds(9) <= first.total ?? .zero)

        let kept = try #require(try await transport.get(server).soon.timing.connection)
        #expect(kept.isReused == true)
        #expect(kept.remoteAddress == "127.0.0.1:\(server.port)")
        #expect(kept.untilConnected == nil)
        #expect(kept.untilNameLookup == nil)
        #expect(kept.untilFirstByte != nil)
    }
}

/// Where connections go: addresses, sockets and proxies.
@Suite(.oneAtATime)
struct CurlTransportPlaceTests {
    /// A server that answers with the request's first line and its Host.
    private func server(_ place: SocketServer.Place) throws -> SocketServer {
        try SocketServer(place) { connection in
            while let head = connection.head() {
                let lines = head.components(separatedBy: "\r\n")
                let host = lines.first { $0.hasPrefix("Host: ") } ?? ""
                connection.answer("\(lines[0]) \(host)")
            }
        }
    }

    @Test func anIPv6LiteralIsReached() async throws {
        let server = try server(.ipv6)
        let transport = CurlTransport.patient
        let response = try await transport.get(server.url("/a")).soon
        #expect(response.text == "GET /a HTTP/1.1 Host: [::1]:\(server.port)")
        #expect(response.timing.connection?.remoteAddress == "[::1]:\(server.port)")
        try await transport.close().soon
        server.stop()
    }

    @Test func aUnixDomainSocketIsReached() async throws {
        let folder = try TestFolder()
        let path = "/tmp/pledge-\(UUID().uuidString.prefix(8)).socket"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try server(.unix(path))
        let transport = try CurlTransport.connecting { $0.unixSocketPath = path }
        for number in 0..<3 {
            let response = try await transport.get(server.url("/\(number)")).soon
            #expect(response.text == "GET /\(number) HTTP/1.1 Host: some.host.test")
            #expect(response.timing.connection?.isReused == (number > 0))
        }
        #expect(server.acceptedConnections == 1)
        try await transport.close().soon
        server.stop()
        _ = folder
    }

    @Test func aUnixDomainSocketThatNobodyListensAtFails() async throws {
        let transport = try CurlTransport.connecting { $0.unixSocketPath = "/tmp/pledge-nobody" }
        let url = try #require(URL(string: "http://some.host.test/"))
        #expect(try await transport.get(url).httpError.code == .cannotConnect)
    }

    @Test func aUnixDomainSocketNeedsNoProxy() async throws {
        let path = "/tmp/pledge-\(UUID().uuidString.prefix(8)).socket"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try server(.unix(path))
        let proxy = try #require(URL(string: "http://127.0.0.1:9"))
        let transport = try CurlTransport.connecting {
            $0.unixSocketPath = path
            $0.proxy = .server(proxy)
        }
        let response = try await transport.get(server.url("/a")).soon
        #expect(response.text == "GET /a HTTP/1.1 Host: some.host.test")
        try await transport.close().soon
        server.stop()
    }

    @Test(arguments: [SocketServer.Place.ipv4, .ipv6], ["api.example.test", "API.Example.test"])
    func aHostIsReachedAtAnAddressByHand(place: SocketServer.Place, name: String) async throws {
        let server = try server(place)
        let isIPv6 = if case .ipv6 = place { true } else { false }
        let transport = try CurlTransport.connecting {
            $0.addresses = [name: [isIPv6 ? "::1" : "127.0.0.1"]]
        }
        let url = try #require(URL(string: "http://api.example.test:\(server.port)/a"))
        for _ in 0..<2 {
            let response = try await transport.get(url).soon
            #expect(response.text == "GET /a HTTP/1.1 Host: api.example.test:\(server.port)")
        }
        let other = try #require(URL(string: "http://other.invalid:\(server.port)/"))
        #expect(try await transport.get(other).httpError.code == .cannotFindHost)
        try await transport.close().soon
        server.stop()
    }

    @Test func theFirstOfSeveralAddressesThatAnswersIsUsed() async throws {
        let server = try server(.ipv4)
        let transport = try CurlTransport.connecting {
            $0.addresses = ["api.example.test": ["127.0.0.2", "127.0.0.1"]]
        }
        let url = try #require(URL(string: "http://api.example.test:\(server.port)/a"))
        let response = try await transport.get(url).soon
        #expect(response.timing.connection?.remoteAddress == "127.0.0.1:\(server.port)")
        try await transport.close().soon
        server.stop()
    }

    @Test(arguments: [[], [""], ["localhost"], ["127.0.0.1:80"], ["127.0.0.1,::1"], ["[::1]"]])
    func whatIsNoAddressIsRefused(addresses: [String]) {
        let error = #expect(throws: UnsupportedSetting.self) {
            try CurlTransport.connecting { $0.addresses = ["api.example.test": addresses] }
        }
        #expect(error?.setting == "addresses")
    }

    @Test(arguments: [(401, 1), (403, 1), (407, 1), (429, 3), (502, 3), (503, 3)])
    func aProxysRefusalIsNotRepeated(status: Int, count: Int) async throws {
        let proxy = try LoopbackServer { _ in .text("no", status: status) }
        let transport = try CurlTransport.connecting {
            $0.proxy = .server(proxy.url, user: "planted-user", password: "planted-secret")
        }
        var client = HTTPClient(base: nil, over: transport)
        client.retry?.backoff = .constant(.zero)
        let url = try #require(URL(string: "https://example.test/"))
        for method in [HTTPMethod.get, .post] {
            let error = try await client.futures.send(HTTPRequest(method, url)).httpError
            #expect(error.code == (count == 1 ? .proxyRefused : .cannotConnect))
            #expect(error.reason == "the proxy answered \(status)")
            #expect(error.isCertainlyUnsent)
        }
        #expect(proxy.requests.map(\.method) == Array(repeating: "CONNECT", count: 2 * count))
        try await transport.close().soon
    }
}

// MARK: - Private addresses

extension CurlTransportPlaceTests {
    /// A server that redirects /away to another name, and a transport that finds it by both names.
    private func redirecting() throws -> (LoopbackServer, ConnectionSettings) {
        let server = try LoopbackServer { request in
            guard request.target.hasSuffix("/away") else { return .text("secret") }
            let place = request.header("X-Place") ?? ""
            return .text("", status: 307, headers: ["Location": place])
        }
        var settings = ConnectionSettings()
        settings.addresses = ["a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]]
        return (server, settings)
    }

    private func client(
        _ settings: ConnectionSettings, refusing: Bool = true
    ) throws -> HTTPClient {
        let transport = try CurlTransport(.patient, connecting: settings)
        var client = HTTPClient(base: nil, over: transport)
        client.retry?.backoff = .constant(.zero)
        client.redirects?.refusesPrivateAddresses = refusing
        client.redirects?.kept = ["X-Place"]
        return client
    }

    private func request(
        _ server: LoopbackServer, _ method: HTTPMethod = .get, from host: String = "a.test",
        to place: String
    ) throws -> HTTPRequest {
        let url = try #require(URL(string: "http://\(host):\(server.port)/away"))
        let target = "http://\(place):\(server.port)/there"
        return HTTPRequest(method, url, headers: ["X-Place": target])
    }

    @Test(arguments: [HTTPMethod.get, .post], ["b.test", "a.test"])
    func aNameWithAPrivateAddressIsNotFollowed(method: HTTPMethod, place: String) async throws {
        let (server, settings) = try redirecting()
        let request = try request(server, method, to: place)
        let error = try await client(settings).futures.send(request).httpError
        #expect(error.code == .redirectRefused)
        #expect(error.reason == "it leads into a private network")
        #expect(error.advisedOutcome == .callersMistake && error.isCertainlyUnsent)
        #expect(server.requests.map(\.target) == ["/away"])
        // Where the app asks for it, it is followed.
        let lax = try client(settings, refusing: false)
        #expect(try await lax.futures.send(request).soon.text == "secret")
    }

    @Test func aPrivateAddressIsFollowedFromAPrivatePlace() async throws {
        let (server, settings) = try redirecting()
        let request = try request(server, from: "127.0.0.1", to: "b.test")
        #expect(try await client(settings).futures.send(request).soon.text == "secret")
    }

    @Test func theAddressOfAProxySaysNothing() async throws {
        var (server, settings) = try redirecting()
        settings.proxy = .server(server.url)
        let request = try request(server, to: "b.test")
        #expect(try await client(settings).futures.send(request).soon.text == "secret")
        settings.proxy = .server(server.url, bypassing: ["b.test"])
        let error = try await client(settings).futures.send(request).httpError
        #expect(error.code == .redirectRefused)
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a URL says besides the place.
@Suite(.oneAtATime)
struct SessionTransportPlaceTests {
    @Test(arguments: ["joe:hunter2@", "joe@", ":@", "a%40b:c%3Ad@"])
    func aUserInTheURLIsNotSent(user: String) async throws {
        let server = try LoopbackServer {
            .text("\($0.target) \($0.header("Authorization") ?? "none")")
        }
        let url = try #require(URL(string: "http://\(user)127.0.0.1:\(server.port)/a@b?c=@#d"))
        for transport in [
            SessionTransport(.init(idleTimeout: nil)),
            SessionTransport(session: URLSession(configuration: .patient)),
        ] {
            let text = try await transport.send(HTTPRequest(url)).soon.text
            #expect(text == "/a@b?c=@ none")
        }
        let own = HTTPRequest(url, headers: ["Authorization": "Bearer own"])
        #expect(
            try await SessionTransport(.init(idleTimeout: nil)).send(own).soon.text
                == "/a@b?c=@ Bearer own")
    }

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
            let stack = stack(.retry(backoff: .constant(.zero)), over: send)
            let error = try await stack(request).httpError
            #expect(error.code == .proxyRefused)
            #expect(error.reason == "the proxy answered 407")
            #expect(proxy.requests.map(\.method) == ["CONNECT"])
        }
    }
    #endif
}

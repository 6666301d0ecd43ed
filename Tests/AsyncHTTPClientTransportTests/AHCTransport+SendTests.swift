#if AsyncHTTPClient
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct AHCTransportSendTests {
    let transport = AHCTransport()

    @Test func givesTheWholeResponse() async throws {
        let server = try LoopbackServer { _ in
            .text(
                "hello", status: 418, headers: ["B": "1", "Set-Cookie": "a=1", "set-cookie": "b=2"])
        }
        let url = server.url.appending(path: "a b")
        let response = try await transport.send(HTTPRequest(.get, url)).value
        #expect(response.status == 418)
        #expect(response.text == "hello")
        #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
        #expect(
            response.headers.map(\.name) == ["B", "Set-Cookie", "set-cookie", "Content-Length"])
        #expect(response.url == url)
        let timing = try #require(response.timing.untilHeaders)
        #expect(timing > .zero)
        #expect(try #require(response.timing.total) >= timing)
    }

    @Test func aResponseKnowsTheRequest() async throws {
        let server = try LoopbackServer { _ in .text("no", status: 403) }
        let request = HTTPRequest(.put, server.url, headers: ["X": "1"])
        #expect(try await transport.send(request).value.request == request)
        #expect(try await transport.stream(request).value.request == request)
    }

    @Test func sendsWhatItIsGiven() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let url = try #require(URL(string: "\(server.url)/a%2Fb?q=%20x&y#fragment"))
        var request = HTTPRequest("PURGE", url, headers: ["X": "1", "x": "2"])
        request.body = .data(Data("abc".utf8), contentType: "text/plain")
        request.context.idempotencyKey = "k"
        _ = try await transport.send(request).value
        let seen = try #require(server.requests.first)
        #expect(seen.method == "PURGE")
        #expect(seen.target == "/a%2Fb?q=%20x&y")
        #expect(seen.headers("X") == ["1", "2"])
        #expect(seen.header("Content-Type") == "text/plain")
        #expect(seen.header("Idempotency-Key") == "k")
        #expect(seen.headers("Content-Length") == ["3"])
        #expect(seen.header("Host") == "127.0.0.1:\(server.port)")
        #expect(seen.text == "abc")
    }

    @Test func followsNoRedirect() async throws {
        let server = try LoopbackServer { _ in
            .text("there", status: 302, headers: ["Location": "/other"])
        }
        let response = try await transport.send(HTTPRequest(.get, server.url)).value
        #expect(response.status == 302)
        #expect(response.text == "there")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304)])
    func readsNoBodyWhereThereIsNone(method: HTTPMethod, status: Int) async throws {
        let server = try LoopbackServer { request in
            request.target == "/" ? .response(status, body: Data("left out".utf8)) : .text("next")
        }
        let response = try await transport.send(HTTPRequest(method, server.url)).value
        #expect(response.status == status)
        #expect(response.body.isEmpty)
        let next = try await transport.send(HTTPRequest(.get, server.url.appending(path: "next")))
            .value
        #expect(next.text == "next")
        #expect(server.acceptedConnections == 1)
    }

    @Test func readsOverInformationAndTrailers() async throws {
        let text =
            "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: 1\r\n\r\n"
        let server = try LoopbackServer { _ in .raw(text) }
        let response = try await transport.send(HTTPRequest(.get, server.url)).value
        #expect(response.status == 200)
        #expect(response.text == "ok")
        #expect(response.headers["Link"] == nil)
    }

    @Test func lowersTheSchemesCase() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let url = try #require(URL(string: "HTTP://127.0.0.1:\(server.port)/"))
        #expect(try await transport.send(HTTPRequest(.get, url)).value.text == "ok")
    }

    @Test func boundsTheBody() async throws {
        let transport = AHCTransport(AHCTransport.Configuration(maxBodySize: 10))
        let server = try LoopbackServer { request in
            switch request.target {
            case "/fits": .text("0123456789")
            case "/announced": .text("0123456789a")
            default: .chunked(["0123456", "789a"])
            }
        }
        let fits = HTTPRequest(.get, server.url.appending(path: "fits"))
        #expect(try await transport.send(fits).value.text == "0123456789")
        for path in ["announced", "chunked"] {
            let request = HTTPRequest(.get, server.url.appending(path: path))
            let error = await #expect(throws: HTTPError.self) {
                try await transport.send(request).value
            }
            #expect(error?.code == .bodyTooLarge)
            #expect(error?.status == 200)
            #expect(error?.request == request)
        }
        #expect(try await transport.send(fits).value.text == "0123456789")
    }

    @Test func refusesWhatCannotBeSent() throws {
        let bad = HTTPRequest("NO METHOD", try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(throws: HTTPRequest.Error.self) { try transport.send(bad).settledValue() }
        let path = HTTPRequest(.get, try #require(URL(string: "/only/a/path")))
        #expect(throws: HTTPRequest.Error.self) { try transport.send(path).settledValue() }
    }
}
#endif

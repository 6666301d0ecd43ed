import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct LoopbackServerServingTests {
    private struct Refusal: Error, CustomStringConvertible {
        let description = "not today"
    }

    /// The bytes that a client receives for a request, until the server closes the connection.
    private func answer(_ server: LoopbackServer, _ text: String) -> String {
        let client = RawClient(port: server.port)
        client.send(text)
        return client.read()
    }

    @Test func answersByRoute() throws {
        let transport = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(["name": "iPad Pro"])),
            .post("/login", answer: .status(401, headers: ["Set-Cookie": "a=1", "X": ""])),
        ])
        let server = try LoopbackServer(serving: transport.send)
        defer { server.stop() }

        let product = answer(
            server,
            "GET /products/7?expand=price HTTP/1.1\r\nHost: shop\r\nConnection: close\r\n\r\n")
        #expect(product.hasPrefix("HTTP/1.1 200 "))
        #expect(product.contains("Content-Type: application/json\r\nContent-Length: 19\r\n"))
        #expect(product.hasSuffix("\r\n\r\n{\"name\":\"iPad Pro\"}"))
        let login = answer(server, "POST /login HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(login.hasPrefix("HTTP/1.1 401 "))
        #expect(login.contains("Set-Cookie: a=1\r\nX: \r\n"))

        #expect(transport.calls.first?.parameters == ["id": "7"])
        #expect(
            transport.calls.first?.request?.url.absoluteString
                == "http://shop/products/7?expand=price")
        #expect(server.requests.map(\.target) == ["/products/7?expand=price", "/login"])
    }

    @Test func theServiceSeesTheWholeRequest() throws {
        let server = try LoopbackServer(serving: { request in
            let type = request.headers["Content-Type"] ?? "none"
            guard case .data(let body) = request.body.content else {
                return Future(value: HTTPResponse(status: 204))
            }
            let text = "\(request.method) \(type) \(String(decoding: body, as: UTF8.self))"
            return Future(
                value: HTTPResponse(
                    status: 201, headers: ["Content-Length": "99"], body: Data(text.utf8)))
        })
        defer { server.stop() }

        let made = answer(
            server,
            "PUT / HTTP/1.1\r\nContent-Type: a/b\r\nContent-Length: 3\r\nConnection: close\r\n\r\nxyz"
        )
        #expect(made.hasPrefix("HTTP/1.1 201 "))
        #expect(made.hasSuffix("\r\nContent-Length: 11\r\n\r\nPUT a/b xyz"))
        let empty = answer(server, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(empty == "HTTP/1.1 204 Status 204\r\n\r\n")
    }

    @Test func anErrorAndNonsenseAreAnswered() throws {
        let server = try LoopbackServer(serving: { _ in Future(error: Refusal()) })
        defer { server.stop() }
        let failed = answer(server, "GET / HTTP/1.1\r\n\r\n")
        #expect(failed.hasPrefix("HTTP/1.1 500 "))
        #expect(failed.hasSuffix("the test gave no answer: not today"))
        let nonsense = answer(server, "GET http:// HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(nonsense.hasPrefix("HTTP/1.1 "))
    }

    @Test func theTestPlaysTheServer() async throws {
        let network = MockNetwork()
        let server = try LoopbackServer(serving: network.send)
        defer { server.stop() }
        let client = RawClient(port: server.port)
        client.send("GET /products/7 HTTP/1.1\r\nX-A: 1\r\n\r\n")

        let call = try await network.next()
        #expect(call.headers["X-A"] == "1")
        try call.answer(with: .json(7))

        #expect(client.read(until: "\r\n\r\n7").hasPrefix("HTTP/1.1 200 "))
    }

    @Test func aClientThatHangsUpCancelsTheCall() async throws {
        let network = MockNetwork()
        let server = try LoopbackServer(serving: network.send)
        defer { server.stop() }
        let call: MockCall
        do {
            let client = RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            call = try await network.next()
            #expect(!call.isCancelled)
        }
        try await server.hungUp(1).value
        #expect(call.isCancelled)
    }
}

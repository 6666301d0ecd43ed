import Foundation
import Pledge
import TestSupport
import Testing

@testable import PledgeTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

@Suite(.oneAtATime)
struct LoopbackServerTests {
    @Test func answersByItsClosureAndRecordsWhatCame() throws {
        let server = try LoopbackServer { .text("you asked for \($0.target)") }
        defer { server.stop() }
        let client = RawClient(port: server.port)
        client.send("PUT /a%20b?c=d HTTP/1.1\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 3\r\n\r\nxyz")

        let answer = client.read(until: "you asked for /a%20b?c=d")

        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("Content-Length: 24\r\n"))
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.headers("X-A") == ["1", "2"])
        #expect(request.text == "xyz")
        #expect(server.requests.count == 1)
    }

    @Test func answersWithJSON() throws {
        let answer = LoopbackAnswer.json(["a": 1], status: 201)
        let server = try LoopbackServer(answers: [answer])
        defer { server.stop() }
        let client = RawClient(port: server.port)
        client.send("GET /a?token=secret HTTP/1.1\r\nB: 1\r\na: 2\r\nb:\t3 \r\n\r\n")

        let text = client.read(until: "}")

        #expect(text.hasPrefix("HTTP/1.1 201 "))
        #expect(text.contains("Content-Type: application/json\r\n"))
        #expect(text.hasSuffix("\r\n\r\n{\"a\":1}"))
        let request = try #require(server.requests.first)
        #expect(request.headers.map(\.name) == ["B", "a", "b"])
        #expect(request.headers["B"] == "1, 3")
        #expect("\(request)" == "GET /a")
    }

    @Test func keepsAConnectionAndAnswersPipelinedRequestsInOrder() throws {
        let server = try LoopbackServer(answers: [.text("one"), .text("two")])
        defer { server.stop() }
        let client = RawClient(port: server.port)
        client.send("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n")

        let answers = client.read()

        let bodies = answers.split(separator: "\r\n\r\n").dropFirst().map { $0.prefix(3) }
        #expect(bodies == ["one", "two"])
        #expect(server.requests.map(\.target) == ["/1", "/2"])
        #expect(server.requests.map(\.connection) == [0, 0])
    }

    @Test func holdsAnAnswerUntilTheTestSaysGo() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.send(Data("HTTP/1.1 ".utf8)), .hold(go), .send(Data("200 Go".utf8))])
        }
        let client = RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.read(until: " ") == "HTTP/1.1 ")

        go.resolve(with: ())

        #expect(client.read(until: "Go") == "200 Go")
        server.stop()
    }

    @Test func aHeldAnswerDoesNotHoldUpOthers() throws {
        let thinking = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { request in
            request.target == "/slow" ? thinking : Future(value: .text("quick"))
        })
        let slow = RawClient(port: server.port)
        slow.send("GET /slow HTTP/1.1\r\n\r\n")
        let quick = RawClient(port: server.port)
        quick.send("GET /quick HTTP/1.1\r\n\r\n")

        #expect(quick.read(until: "quick").hasSuffix("quick"))
        thinking.resolve(with: .text("slow"))
        #expect(slow.read(until: "slow").hasSuffix("slow"))
        server.stop()
    }

    @Test func tellsThatAClientHungUpAndCancelsItsAnswer() async throws {
        let cancelled = Promise<Void>()
        let server = try LoopbackServer(answeringLater: { _ in
            let answer = Promise<LoopbackAnswer>()
            answer.onCancel { cancelled.resolve(with: ()) }
            return answer
        })
        do {
            let client = RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            _ = try await server.received(1).value
            #expect(server.hungUp(1).result == nil)
        }
        try await server.hungUp(1).value
        try await cancelled.value
        try await server.connectionsOpen(atMost: 0).value
        server.stop()
    }

    @Test func aClientThatLeavesBetweenRequestsDidNotHangUp() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        do {
            let client = RawClient(port: server.port)
            client.send("GET / HTTP/1.1\r\n\r\n")
            _ = client.read(until: "done")
        }
        try await server.connectionsOpen(atMost: 0).value

        let hangUp = server.hungUp(1)
        #expect(hangUp.result == nil)
        server.stop()
        let error = try #require(throws: LoopbackError.self) { try hangUp.result?.get() }
        #expect(error.code == .stopped)
        #expect("\(error)".hasSuffix("stopped after 1 requests and 0 hang-ups were seen"))
    }

    @Test func repliesToExpectContinueAndRefusesNonsense() throws {
        let server = try LoopbackServer { .text("got \($0.text)") }
        let patient = RawClient(port: server.port)
        patient.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(patient.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        patient.send("ok")
        #expect(patient.read(until: "got ok").hasSuffix("got ok"))
        let confused = RawClient(port: server.port)
        confused.send("hello\r\n")
        #expect(confused.read().hasPrefix("HTTP/1.1 400 "))
        #expect(server.requests.count == 1)
        server.stop()
    }

    @Test(arguments: [
        (LoopbackAnswer.hangUp, ""),
        (.raw("garbage"), "garbage"),
        (
            .truncated("half", of: 9),
            "HTTP/1.1 200 Status 200\r\nContent-Length: 9\r\n\r\nhalf"
        ),
        (
            .chunked(["ab", "c"], isComplete: false),
            "HTTP/1.1 200 Status 200\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nab\r\n1\r\nc\r\n"
        ),
    ])
    func misbehavesAsTold(answer: LoopbackAnswer, text: String) throws {
        let server = try LoopbackServer(answers: [answer])
        let client = RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")

        #expect(client.read() == text)
        server.stop()
    }

    @Test func anAnswerThatFailsAndOneTooManyAre500() throws {
        let server = try LoopbackServer(answeringLater: { _ in Future(error: CancellationError()) })
        let client = RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.read().hasPrefix("HTTP/1.1 500 "))
        server.stop()

        let scripted = try LoopbackServer(answers: [])
        let next = RawClient(port: scripted.port)
        next.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(next.read().hasSuffix("no answer is left"))
        scripted.stop()
    }

    @Test func servesHundredsOfConnectionsAtOnce() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        var clients = Clients()
        for index in 0..<300 { clients.open(on: server.port, asking: "GET /\(index) HTTP/1.1") }
        _ = try await server.received(300).value
        #expect(server.openConnections == 300)
        #expect(server.acceptedConnections == 300)

        go.resolve(with: ())

        for index in 0..<300 { #expect(clients.answer(index).hasSuffix("/\(index)")) }
        server.stop()
        #expect(server.openConnections == 0)
    }

    @Test func stoppingClosesEverything() throws {
        let server = try LoopbackServer(answeringLater: { _ in Promise() })
        let client = RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")

        server.stop()
        server.stop()

        #expect(client.read() == "")
        #expect(server.openConnections == 0)
    }

    @Test func aReleasedServerStops() throws {
        var server: LoopbackServer? = try LoopbackServer(answeringLater: { _ in Promise() })
        let client = RawClient(port: try #require(server).port)
        client.send("GET / HTTP/1.1\r\n\r\n")

        server = nil

        #expect(client.read() == "")
    }
}

/// Many clients, each in a box of its own, as a client cannot be copied.
private struct Clients {
    private final class Box {
        let client: RawClient
        init(_ client: consuming RawClient) { self.client = client }
    }

    private var boxes: [Box] = []

    mutating func open(on port: UInt16, asking line: String) {
        let box = Box(RawClient(port: port))
        box.client.send("\(line)\r\nConnection: close\r\n\r\n")
        boxes.append(box)
    }

    func answer(_ index: Int) -> String { boxes[index].client.read() }
}

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
        call.answer(with: .json(7))

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

/// A client that sends exactly the given bytes, on a connection of its own.
struct RawClient: ~Copyable {
    private let descriptor: Int32

    init(port: UInt16) {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        precondition(code == 0, "no connection to port \(port)")
    }

    deinit { _ = close(descriptor) }

    borrowing func send(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Reads until the received text contains a mark, or until the server closes the connection.
    borrowing func read(until mark: String? = nil) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while mark.map({ !text.contains($0) }) ?? true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }
}

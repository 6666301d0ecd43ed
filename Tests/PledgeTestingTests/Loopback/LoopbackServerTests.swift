import Foundation
import Pledge
import TestSupport
import Testing

@testable import PledgeTesting

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
        let answer = try LoopbackAnswer.json(["a": 1], status: 201)
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

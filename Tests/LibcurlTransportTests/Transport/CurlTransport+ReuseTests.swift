import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
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

    @Test func aSecondAnswerInTheSamePieceIsNotGivenEither() async throws {
        let server = try SocketServer { connection in
            while let head = connection.head() {
                let text = "for \(head.split(separator: " ")[1])"
                let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                connection.send(answer + answer)
            }
        }
        for number in 0..<200 {
            let text = try await transport.get(server.url("/\(number)")).soon.text
            #expect(text == "for /\(number)")
        }
        try await transport.close().soon
        server.stop()
    }

    /// A server that answers the first request on each connection, and closes the connection at the second.
    private func leavingServer(_ log: TestLog<String>) throws -> SocketServer {
        try SocketServer { connection in
            guard let first = connection.head() else { return }
            log.append("\(connection.index) \(first.prefix { $0 != " " })")
            connection.answer("first")
            guard let second = connection.head() else { return }
            log.append("\(connection.index) \(second.prefix { $0 != " " })")
        }
    }

    @Test func aPOSTIsNotSentAgain() async throws {
        let log = TestLog<String>()
        let server = try leavingServer(log)
        _ = try await transport.get(server.url()).soon
        let request = HTTPRequest(.post, server.url(), body: .data(Data("once".utf8)))
        let error = try await transport.send(request).httpError
        #expect(error.code == .connectionLost)
        #expect(error.request == request)
        #expect(log.elements == ["0 GET", "0 POST"])
        try await transport.close().soon
        server.stop()
    }

    @Test(arguments: [HTTPMethod.get, .head, .put, .delete])
    func whatIsIdempotentIsSentAgain(method: HTTPMethod) async throws {
        let log = TestLog<String>()
        let server = try leavingServer(log)
        _ = try await transport.get(server.url()).soon
        let response = try await transport.send(HTTPRequest(method, server.url())).soon
        #expect(response.text == (method == .head ? "" : "first"))
        #expect(log.elements == ["0 GET", "0 \(method.rawValue)", "1 \(method.rawValue)"])
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

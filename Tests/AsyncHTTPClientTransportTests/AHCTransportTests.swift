#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct AHCTransportTests {
    @Test func refusesCallsWhenItIsClosed() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let transport = AHCTransport()
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await transport.close().value
        try await server.connectionsOpen(atMost: 0).value
        let refused = transport.send(HTTPRequest(.get, server.url))
        let error = #expect(throws: HTTPError.self) { try refused.settledValue() }
        #expect(error?.code == .transportClosed)
        #expect(error?.request?.url == server.url)
        try await transport.close().value
        #expect(server.requests.count == 1)
    }

    @Test func letsCallsUnderWayEndWhenItIsClosed() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("late").steps)
        }
        let transport = AHCTransport()
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        let closed = transport.close()
        #expect(closed.result == nil)
        gate.resolve()
        #expect(try await response.value.text == "late")
        try await closed.value
    }

    @Test func cancelsCallsUnderWayWhenItIsClosedSo() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let transport = AHCTransport()
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        let closed = transport.close(cancelling: true)
        await #expect(throws: CancellationError.self) { try await response.value }
        try await closed.value
        try await server.hungUp(1).value
    }

    @Test func closesItselfWhenItIsReleased() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let response = AHCTransport().send(HTTPRequest(.get, server.url))
        #expect(try await response.value.text == "ok")
        try await server.connectionsOpen(atMost: 0).value
    }

    @Test func doesNotCloseTheSharedOne() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let error = #expect(throws: HTTPError.self) {
            try AHCTransport.shared.close(cancelling: true).settledValue()
        }
        #expect(error?.code == .unsupported)
        let response = AHCTransport.shared.send(HTTPRequest(.get, server.url))
        #expect(try await response.value.text == "ok")
    }

    @Test func leavesTheAppsClientOpen() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let client = HTTPClient(
            configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))
        let transport = AHCTransport(client: client)
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await transport.close(cancelling: true).value
        let error = #expect(throws: HTTPError.self) {
            try transport.send(HTTPRequest(.get, server.url)).settledValue()
        }
        #expect(error?.code == .transportClosed)
        let again = AHCTransport(client: client)
        #expect(try await again.send(HTTPRequest(.get, server.url)).value.text == "ok")
        try await client.shutdown()
        await #expect(throws: HTTPError.self) {
            try await again.send(HTTPRequest(.get, server.url)).value
        }
    }
}

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

@Suite(.oneAtATime) struct AHCTransportStreamTests {
    let transport = AHCTransport()

    @Test func givesTheHeadersBeforeTheBody() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)), .hold(gate),
                .body(Data("late".utf8)),
            ])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(response.status == 200)
        #expect(response.body.length == 4)
        #expect(response.url == server.url)
        #expect(response.timing.untilHeaders != nil)
        let first = response.body.next()
        #expect(first.result == nil)
        gate.resolve()
        #expect(try await first.value == Data("late".utf8))
        #expect(try await response.body.next().value == nil)
        #expect(try await response.body.next().value == nil)
    }

    @Test func holdsTheServerBack() async throws {
        let size = 32 << 20
        let server = try LoopbackServer { request in
            guard request.target == "/large" else { return .text("ok") }
            let answer = LoopbackAnswer.response(body: Data(repeating: 7, count: size))
            return LoopbackAnswer(answer.steps + [.close])
        }
        let other = AHCTransport()
        let large = HTTPRequest(.get, server.url.appending(path: "large"))
        let response = try await transport.stream(large).value
        var count = try #require(try await response.body.next().value).count
        // Turns for the server's only thread, which is busy while a client reads.
        for _ in 0..<100 { _ = try await other.send(HTTPRequest(.get, server.url)).value }
        try await other.close().value
        try await server.connectionsOpen(atMost: 1).value
        #expect(server.openConnections == 1)
        for try await chunk in response.body { count += chunk.count }
        #expect(count == size)
        try await server.connectionsOpen(atMost: 0).value
    }

    @Test func freesTheConnectionWhenTheBodyIsCancelled() async throws {
        let server = try LoopbackServer { _ in
            .chunked(["first"] + Array(repeating: String(repeating: "x", count: 65_536), count: 99))
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(try await response.body.next().value == Data("first".utf8))
        response.body.cancel()
        try await server.connectionsOpen(atMost: 0).value
        await #expect(throws: CancellationError.self) { try await response.body.next().value }
    }

    @Test func freesTheConnectionWhenTheResponseIsReleased() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)),
                .hold(Promise<Void>()),
            ])
        }
        #expect(try await transport.stream(HTTPRequest(.get, server.url)).value.status == 200)
        try await server.hungUp(1).value
    }

    @Test func keepsTheConnectionWhenTheBodyIsReadToItsEnd() async throws {
        let server = try LoopbackServer { _ in .chunked(["a", "bc"]) }
        for _ in 0..<3 {
            let response = try await transport.stream(HTTPRequest(.get, server.url)).value
            #expect(try await response.body.collected(upTo: 3).value == Data("abc".utf8))
        }
        #expect(server.acceptedConnections == 1)
    }

    @Test func failsTheBodyWhereItIsCutOff() async throws {
        let server = try LoopbackServer { _ in .truncated("half", of: 8) }
        let request = HTTPRequest(.get, server.url)
        let response = try await transport.stream(request).value
        let error = await #expect(throws: HTTPError.self) {
            for try await _ in response.body {}
        }
        #expect(error?.code == .connectionLost)
        #expect(error?.request == request)
        await #expect(throws: HTTPError.self) { try await response.body.next().value }
    }

    @Test func endsABodyAtTheDeadline() async throws {
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)),
                .hold(Promise<Void>()),
            ])
        }
        let scheduler = ManualScheduler()
        let call = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.stream(HTTPRequest(.get, server.url))
        }
        let response = try await call.value
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(5))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
        try await server.hungUp(1).value
    }

    @Test func waitsForAReaderAsLongAsItLikes() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n".utf8)),
                .body(Data("half".utf8)), .hold(gate),
            ])
        }
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        scheduler.advance(by: .seconds(600))
        #expect(try await response.body.next().value == Data("half".utf8))
        scheduler.advance(by: .seconds(600))
        let chunk = response.body.next()
        scheduler.advance(by: .seconds(59))
        #expect(chunk.result == nil)
        scheduler.advance(by: .seconds(60))
        let error = await #expect(throws: HTTPError.self) { try await chunk.value }
        #expect(error?.code == .timedOut)
    }

    @Test func failsAReaderWhoComesAfterTheFailure() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([
                .send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n".utf8)), .hold(gate),
                .reset,
            ])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        gate.resolve()
        try await server.connectionsOpen(atMost: 0).value
        let error = await #expect(throws: HTTPError.self) { try await response.body.next().value }
        #expect(error?.code == .connectionLost)
    }

    @Test func readsFromAnyThread() async throws {
        let server = try LoopbackServer { _ in .chunked(Array(repeating: "chunk", count: 200)) }
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let response = try await transport.stream(HTTPRequest(.get, server.url)).value
                    var body = Data()
                    for try await chunk in response.body { body += chunk }
                    return body
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies.map(\.count) == Array(repeating: 1_000, count: 8))
    }
}

/// Ways to end a call from outside.
@Suite(.oneAtATime) struct AHCTransportEndTests {
    let transport = AHCTransport()

    @Test func endsTheExchangeWhenTheFutureIsCancelled() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        response.cancel()
        #expect(throws: CancellationError.self) { try response.settledValue() }
        try await server.hungUp(1).value
    }

    @Test func sendsNothingThatWasCancelledWhileItWaited() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
        var configuration = AHCTransport.Configuration()
        configuration.maxConnectionsPerHost = 1
        let transport = AHCTransport(configuration)
        let first = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        transport.send(HTTPRequest(.get, server.url.appending(path: "cancelled"))).cancel()
        transport.stream(HTTPRequest(.get, server.url.appending(path: "cancelled"))).cancel()
        let last = transport.send(HTTPRequest(.get, server.url.appending(path: "last")))
        for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
            try await loop.submit {}.get()
        }
        gate.resolve()
        #expect(try await first.value.text == "ok")
        #expect(try await last.value.text == "ok")
        #expect(server.requests.map(\.target) == ["/", "/last"])
    }

    @Test func keepsOtherCallsWhenOneIsCancelled() async throws {
        let gate = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(gate)] + LoopbackAnswer.text("ok").steps)
        }
        let responses = (0..<4).map { _ in transport.send(HTTPRequest(.get, server.url)) }
        _ = try await server.received(4).value
        responses[2].cancel()
        try await server.hungUp(1).value
        gate.resolve()
        for index in [0, 1, 3] { #expect(try await responses[index].value.text == "ok") }
    }

    @Test func endsAtTheDeadline() async throws {
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let scheduler = ManualScheduler()
        let request = HTTPRequest(.get, server.url)
        let response = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.send(request)
        }
        _ = try await server.received(1).value
        scheduler.advance(by: .seconds(4))
        #expect(response.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await response.value }
        #expect(error?.code == .timedOut)
        #expect(error?.request == request)
        try await server.hungUp(1).value
    }

    @Test func sendsNothingAfterTheDeadline() throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let deadline = CallDeadline(after: .zero, on: ManualScheduler())
        let response = CallContext(deadline: deadline).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        let error = #expect(throws: HTTPError.self) { try response.settledValue() }
        #expect(error?.code == .timedOut)
        #expect(server.acceptedConnections == 0)
    }

    @Test func takesTheDeadlinesTimerBackWhenTheCallHasEnded() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let scheduler = ManualScheduler()
        let call = CallContext(deadline: CallDeadline(after: .seconds(5), on: scheduler)).run {
            transport.send(HTTPRequest(.get, server.url))
        }
        _ = try await call.value
        #expect(scheduler.isIdle)
    }

    @Test func endsACallWhenNothingHappensForTooLong() async throws {
        let scheduler = ManualScheduler()
        let transport = AHCTransport(on: scheduler)
        let server = try LoopbackServer { _ in LoopbackAnswer([.hold(Promise<Void>())]) }
        let response = transport.send(HTTPRequest(.get, server.url))
        _ = try await server.received(1).value
        scheduler.advance(by: .seconds(59))
        #expect(response.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await response.value }
        #expect(error?.code == .timedOut)
        try await server.hungUp(1).value
    }

    @Test func endsAStreamOfAnAppsClientWhenNothingHappensForTooLong() async throws {
        let scheduler = ManualScheduler()
        let client = HTTPClient()
        let transport = AHCTransport(client: client, idleTimeout: .seconds(5), on: scheduler)
        let server = try LoopbackServer { _ in .stopping(after: "a", of: 2, until: Promise()) }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(try await response.body.next().value == Data("a".utf8))
        scheduler.advance(by: .seconds(100))
        let next = response.body.next()
        scheduler.advance(by: .seconds(4))
        #expect(next.result == nil)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: HTTPError.self) { try await next.value }
        #expect(error?.code == .timedOut)
        #expect(error?.reason == "the idle limit of 5.0 seconds")
        try await server.hungUp(1).value
        try await client.shutdown()
    }
}
#endif

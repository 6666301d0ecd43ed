import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport
@testable import PledgeServices

@Suite(.oneAtATime)
struct CurlTransportLimitTests {
    private let scheduler = ManualScheduler()
    private let never = Promise<Void>()

    @Test func aCallWaitsForAConnectionUntilTheLimit() async throws {
        let transport = try CurlTransport.with(on: scheduler) {
            $0.maxConnectionsPerHost = 1
            $0.connectionWaitTimeout = .seconds(60)
            $0.idleTimeout = nil
        }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let first = transport.get(server, "first")
        _ = try await server.received(1).soon
        let second = transport.get(server, "second")
        #expect(await comesTrue { !scheduler.isIdle })
        scheduler.advance(by: .seconds(59))
        #expect(!second.isSettled)
        scheduler.advance(by: .seconds(2))
        let error = try await second.httpError
        #expect(error.code == .timedOut)
        #expect(error.reason == "the limit of 60.0 seconds for a free connection")
        go.resolve()
        #expect(try await first.soon.text == "ok")
        #expect(server.requests.map(\.target) == ["/first"])
    }

    /// The client's own queue says nothing about the host, however long it is.
    @Test(arguments: [HTTPMethod.get, .post])
    func waitingForAConnectionIsNoEvidence(method: HTTPMethod) async throws {
        let transport = try CurlTransport.with(on: scheduler) {
            $0.maxConnectionsPerHost = 2
            $0.idleTimeout = nil
        }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let first = (0..<2).map { transport.get(server, "first\($0)") }
        _ = try await server.received(2).soon
        let time = ManualScheduler()
        let breaker = CircuitBreaker(failuresInARow: 2, lasting: .zero, on: time)
        let service = stack(
            .circuitBreaker(sharing: breaker), .timeout(.seconds(2), on: time),
            over: transport.send)
        let records = (0..<20).map { _ in CallRecord() }
        let calls = records.map { record in
            CallContext().with(record: record).run { service(HTTPRequest(method, server.url)) }
        }
        #expect(
            await comesTrue {
                scheduler.advance(by: .microseconds(1))
                return records.allSatisfy { $0.time(of: .queue) > .zero }
            })
        for clock in [scheduler, time] { clock.advance(by: .seconds(50)) }
        #expect(calls.allSatisfy { !$0.isSettled })
        // Nothing has been sent, so any of them may be made again.
        #expect(records.allSatisfy { $0.verdict == .repeatable })
        // Who leaves the queue now is never sent.
        calls[0].cancel()
        records[1].close()
        go.resolve()
        for call in first + calls[2...] { #expect(try await call.soon.text == "ok") }
        let error = await #expect(throws: (any Error).self) { try await calls[1].soon }
        #expect((error as? ServiceError)?.code == .superseded)
        #expect(server.requests.count == 20)
        #expect(breaker.state == .closed)
    }

    @Test func aRefusalByTheQueueIsNoEvidenceAndIsNotRepeated() async throws {
        let transport = try CurlTransport.with(on: scheduler) {
            $0.maxConnectionsPerHost = 1
            $0.connectionWaitTimeout = .seconds(60)
            $0.idleTimeout = nil
        }
        let server = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        transport.get(server, "first").observe { _ in }
        _ = try await server.received(1).soon
        let time = ManualScheduler()
        let breaker = CircuitBreaker(failuresInARow: 1, lasting: .zero, on: time)
        let service = stack(
            .retry(on: time), .circuitBreaker(sharing: breaker), .timeout(.seconds(2), on: time),
            over: transport.send)
        let call = service(HTTPRequest(server.url))
        #expect(await comesTrue { !scheduler.isIdle })
        scheduler.advance(by: .seconds(62))
        let error = try await call.httpError
        #expect(error.isCertainlyUnsent && error.advisedOutcome == .refusal)
        #expect(time.isIdle && breaker.state == .closed)
        #expect(server.requests.count == 1)
        try await transport.close().soon
    }

    @Test("a client's deadline that passes during the wait says so, and observers hear of it")
    func aClientsDeadlineThatPassesDuringTheWaitSaysSo() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.maxConnectionsPerHost = 1 }
        let server = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        transport.get(server, "first").observe { _ in }
        _ = try await server.received(1).soon
        let notes = TestLog<String>()
        var client = HTTPClient(base: server.url, over: transport)
        client.scheduler = scheduler
        client.deadline = .seconds(5)
        client.observers = [
            ServiceObserver { event in
                if case .note(let text) = event.kind { notes.append(text) }
            }
        ]
        let call = client.futures.send(HTTPRequest(.get, server.url.appending(path: "small")))
        #expect(await comesTrue { !notes.elements.isEmpty })
        #expect(notes.elements == ["waits for a free connection"])
        scheduler.advance(by: .seconds(5))
        let error = await #expect(throws: ServiceError.self) { try await call.soon }
        #expect(error?.code == .deadlineExceeded)
        #expect(
            error?.description.hasSuffix("; it waited 5.0 seconds for a free connection") == true)
        try await transport.close().soon
    }

    @Test func waitingForAConnectionIsNotBeingIdle() async throws {
        let transport = try CurlTransport.with(on: scheduler) {
            $0.maxConnectionsPerHost = 1
            $0.connectionWaitTimeout = .seconds(600)
            $0.idleTimeout = .seconds(10)
        }
        let steps = TestLog<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for count in 1...20 {
                while steps.elements.count < count {}
                connection.send("x")
            }
            guard connection.head() != nil else { return }
            connection.answer("second")
            connection.awaitEnd()
        }
        let first = try await transport.stream(HTTPRequest(.get, server.url("/first"))).soon
        let second = transport.get(server.url("/second"))
        for count in 1...20 {
            // The first call continues all the time; for the second, no byte arrives or leaves.
            steps.append(())
            #expect(try await first.body.next().soon == Data("x".utf8))
            // Twice as long is still within the limit: the call notes a piece after its reader has got it.
            scheduler.advance(by: .seconds(4))
            #expect(count == 20 || !second.isSettled)
        }
        #expect(try await second.soon.text == "second")
        try await transport.close().soon
        server.stop()
    }

    @Test func theIdleLimitEndsACallWithoutAHead() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(10) }
        let server = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        let call = transport.get(server)
        _ = try await server.received(1).soon
        scheduler.advance(by: .seconds(9))
        #expect(!call.isSettled)
        scheduler.advance(by: .seconds(2))
        let error = try await call.httpError
        #expect(error.code == .timedOut)
        #expect(error.reason == "the idle limit of 10.0 seconds")
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func theIdleLimitEndsABodyThatStops() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(10) }
        let server = try LoopbackServer { [never] _ in
            .stopping(after: "half", of: 8, until: never)
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        #expect(try await response.body.next().soon == Data("half".utf8))
        let next = response.body.next()
        scheduler.advance(by: .seconds(9))
        #expect(!next.isSettled)
        // The I/O thread may note the piece after its reader has got it.
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(1))
                return next.isSettled
            })
        #expect(try await next.httpError.code == .timedOut)
    }

    @Test func theIdleLimitEndsAnUploadThatAServerDoesNotTake() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(10) }
        let server = try SocketServer { [never] connection in
            _ = connection.head()
            while !never.isSettled {}
        }
        let endless = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(next: { Future(value: Data(count: 65_536)) })
        }
        let call = transport.send(HTTPRequest(.put, server.url(), body: .stream(endless)))
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(1))
                return call.isSettled
            })
        #expect(try await call.httpError.code == .timedOut)
        never.resolve()
        try await transport.close().soon
        server.stop()
    }

    /// Advances the time by half a minute, second by second, with turns for the I/O thread after each.
    private func letTimePass(for transport: CurlTransport) async throws {
        let other = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<30 {
            #expect(try await transport.get(other).soon.text == "ok")
            scheduler.advance(by: .seconds(1))
        }
    }

    @Test func aSourceMayTakeItsTime() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(10) }
        let server = try LoopbackServer { .text($0.text) }
        let source = ScriptedSource()
        let body = HTTPRequest.BodySource(isReplayable: true) { source.stream() }
        let call = transport.send(HTTPRequest(.put, server.url, body: .stream(body)))
        for count in 1...5 {
            #expect(await comesTrue { source.asked == count })
            try await letTimePass(for: transport)
            try #require(!call.isSettled)
            source.give("\(count)")
        }
        #expect(await comesTrue { source.asked == 6 })
        source.give(nil)
        #expect(try await call.soon.text == "12345")
    }

    @Test func aReaderMayTakeItsTime() async throws {
        let transport = try CurlTransport.with(on: scheduler) {
            $0.idleTimeout = .seconds(10)
            $0.maxUnreadBytes = 10
        }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            .stopping(
                after: String(repeating: "a", count: 20), of: 24, until: go,
                then: [.body(Data("last".utf8))])
        }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        try await letTimePass(for: transport)
        let first = try await response.body.next().soon
        #expect(first?.count == 20)
        go.resolve()
        #expect(try await response.body.collected(upTo: 4).soon == Data("last".utf8))
    }

    @Test func aHeadIsBounded() async throws {
        let transport = try CurlTransport.with { $0.maxHeadSize = 1_000 }
        let server = try LoopbackServer { request in
            let size = request.target == "/large" ? 1_000 : 900
            return .text("ok", headers: ["X-A": String(repeating: "a", count: size)])
        }
        #expect(try await transport.get(server).soon.text == "ok")
        let error = try await transport.get(server, "large").httpError
        #expect(error.code == .badResponse)
        #expect(error.reason == "its head has more than 1000 bytes")
        #expect(try await transport.get(server).soon.text == "ok")
    }

    @Test func trailersAreBounded() async throws {
        let transport = try CurlTransport.with { $0.maxHeadSize = 1_000 }
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
            while connection.send("X-A: a\r\n") {}
        }
        let error = try await transport.get(server.url()).httpError
        #expect(error.code == .badResponse)
        try await transport.close().soon
        server.stop()
    }

    @Test(arguments: [true, false])
    func aBodyIsBounded(isAnnounced: Bool) async throws {
        let transport = try CurlTransport.with { $0.maxBodySize = 10 }
        let server = try LoopbackServer { request in
            let text = request.target == "/large" ? "elevenbytes" : "tenbytes!!"
            return isAnnounced ? .text(text) : .chunked([text])
        }
        #expect(try await transport.get(server).soon.text == "tenbytes!!")
        let error = try await transport.get(server, "large").httpError
        #expect(error.code == .bodyTooLarge)
        #expect(error.response?.status == 200)
        #expect(try await transport.get(server).soon.text == "tenbytes!!")
    }

    @Test func connectionsToAHostAreBounded() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 3 }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let calls = (0..<30).map { transport.get(server, "\($0)") }
        _ = try await server.received(3).soon
        #expect(server.acceptedConnections == 3)
        go.resolve()
        for call in calls { #expect(try await call.soon.text == "ok") }
        #expect(server.acceptedConnections == 3)
        #expect(server.requests.count == 30)
    }

    @Test func callsThatWaitBeginInTheirOrder() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 1 }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        var calls = (0..<20).map { transport.get(server, "\($0)") }
        _ = try await server.received(1).soon
        // It leaves no gap.
        calls.remove(at: 5).cancel()
        go.resolve()
        for call in calls { #expect(try await call.soon.text == "ok") }
        #expect(server.requests.map(\.target) == (0..<20).filter { $0 != 5 }.map { "/\($0)" })
        #expect(server.acceptedConnections == 1)
    }

    @Test func aBusyHostHoldsUpNoOther() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 1 }
        let busy = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        let other = try LoopbackServer { _ in .text("ok") }
        let calls = (0..<3).map { _ in transport.get(busy) }
        #expect(try await transport.get(other).soon.text == "ok")
        #expect(calls.allSatisfy { !$0.isSettled })
        try await transport.close().soon
        for call in calls { #expect(try await call.httpError.code == .transportClosed) }
    }

    @Test func aBodyThatIsReadWaitsForAConnectionToo() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 1 }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let first = transport.get(server)
        _ = try await server.received(1).soon
        let body = Data(repeating: 7, count: 1 << 20)
        let others = (0..<3).map { _ in
            transport.send(HTTPRequest(.put, server.url, body: .data(body)))
        }
        go.resolve()
        for call in [first] + others { #expect(try await call.soon.text == "ok") }
        #expect(server.requests.dropFirst().map(\.body) == [body, body, body])
        #expect(server.acceptedConnections == 1)
    }

    @Test func connectionsAreBoundedInAll() async throws {
        let transport = try CurlTransport.with { $0.maxConnections = 1 }
        let go = Promise<Void>()
        let servers = try (0..<3).map { _ in
            try LoopbackServer { _ in
                LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
            }
        }
        let first = transport.get(servers[0])
        _ = try await servers[0].received(1).soon
        let others = servers.dropFirst().map { transport.get($0) }
        go.resolve()
        #expect(try await first.soon.text == "ok")
        for call in others { #expect(try await call.soon.text == "ok") }
        // A kept connection is closed to make room for a needed one.
        var open = 0
        #expect(
            await comesTrue {
                open = servers.map(\.openConnections).reduce(0, +)
                return open <= 1
            }, "\(open)")
    }
}

/// Calls whose servers say nothing, while others wait for a connection.
@Suite(.oneAtATime)
struct CurlTransportSilenceTests {
    private let scheduler = ManualScheduler()

    private func transport(
        limit: Int, _ settings: ConnectionSettings = ConnectionSettings()
    ) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration.patient
        configuration.maxConnectionsPerHost = limit
        configuration.countsSilentConnections = false
        return try CurlTransport(configuration, connecting: settings, on: scheduler)
    }

    @Test func callsThatHangKeepNoOtherWaiting() async throws {
        let transport = try transport(limit: 2)
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            let steps = LoopbackAnswer.text(request.target).steps
            return LoopbackAnswer(request.target == "/ok" ? steps : [.hold(go)] + steps)
        }
        let hanging = (0..<2).map { transport.get(server, "hangs\($0)") }
        _ = try await server.received(2).soon
        let others = (0..<20).map { _ in transport.get(server, "ok") }
        scheduler.advance(by: .seconds(1))
        for call in others { #expect(try await call.soon.text == "/ok") }
        // Now all that hang are silent, so twice as many can hang as there may be connections.
        scheduler.advance(by: .seconds(1))
        let more = (2..<4).map { transport.get(server, "hangs\($0)") }
        _ = try await server.received(24).soon
        scheduler.advance(by: .seconds(1))
        #expect(try await transport.get(server, "ok").soon.text == "/ok")
        #expect((hanging + more).allSatisfy { !$0.isSettled })
        go.resolve()
        for (index, call) in (hanging + more).enumerated() {
            #expect(try await call.soon.text == "/hangs\(index)")
        }
        // All lanes are free again, and no more than there were.
        #expect(try await transport.get(server, "ok").soon.text == "/ok")
        try await transport.close().soon
    }

    #if os(Linux)
    /// Over TLS, only the connections show that the server doesn't speak HTTP/2, because it hasn't answered yet.
    @Test func callsThatHangFromTheBeginningKeepNoOtherWaiting() async throws {
        let go = Promise<Void>()
        let heads = TestLog<String>()
        let site = try await HTTP2Site.start(
            offering: "http/1.1",
            http1: { connection, head in
                HTTP2Site.answer(connection, head) { head in
                    heads.append(head)
                    while head.contains("/hangs"), !go.isSettled {}
                    return ("ok", 200)
                }
            }, http2: { _, _ in })
        guard let site else { return }
        defer { site.stop() }
        let transport = try transport(limit: 2, site.settings)
        let calls = ["hangs", "hangs"] + Array(repeating: "ok", count: 20)
        let all = calls.map { transport.get(site.url.appending(path: $0)) }
        #expect(await comesTrue { heads.elements.count { $0.contains("/hangs") } == 2 })
        scheduler.advance(by: .seconds(1))
        for call in all.dropFirst(2) { #expect(try await call.soon.text == "ok") }
        #expect(all.prefix(2).allSatisfy { !$0.isSettled })
        go.resolve()
        for call in all { #expect(try await call.soon.text == "ok") }
        try await transport.close().soon
    }
    #endif

    @Test func anOpenStreamCountsAsAConnectionInUse() async throws {
        let transport = try transport(limit: 2)
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            let text = LoopbackAnswer.truncated("part", of: 8).steps.dropLast()
            return request.target == "/stream"
                ? LoopbackAnswer(text + [.hold(go)])
                : LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let stream = try await transport.stream(HTTPRequest(server.url.appending(path: "stream")))
            .soon
        let first = transport.get(server, "first")
        _ = try await server.received(2).soon
        let next = (0..<2).map { transport.get(server, "next\($0)") }
        scheduler.advance(by: .seconds(1))
        // The first one's connection no longer counts, and the stream's does.
        _ = try await server.received(3).soon
        #expect(server.requests.map(\.target) == ["/stream", "/first", "/next0"])
        stream.discardBody()
        _ = try await server.received(4).soon
        go.resolve()
        for call in [first] + next { #expect(try await call.soon.text == "ok") }
        try await transport.close().soon
    }

    #if os(Linux)
    /// A server with TLS tells only in its first handshake that it has no HTTP/2.
    @Test func callsThatHangOverTLSKeepNoOtherWaiting() async throws {
        guard let site = try await NginxSite.start() else { return }
        defer { site.program.stop() }
        let transport = try transport(limit: 2, site.settings)
        let url = try site.url(.onlyTLS12)
        #expect(try await transport.get(url).soon.text.hasPrefix("HTTP/1.1"))
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let port = try #require(server.url.port)
        let hanging = (0..<2).map { _ in transport.get(url.appending(path: "to/\(port)")) }
        _ = try await server.received(2).soon
        let other = transport.get(url)
        scheduler.advance(by: .seconds(1))
        #expect(try await other.soon.text.hasPrefix("HTTP/1.1"))
        go.resolve()
        for call in hanging { #expect(try await call.soon.text == "ok") }
        try await transport.close().soon
    }
    #endif
}

/// The part of an answer that had arrived before a failure.
@Suite(.oneAtATime)
struct CurlTransportPartTests {
    private let scheduler = ManualScheduler()
    private let never = Promise<Void>()

    @Test func anErrorHasThePartThatHadArrived() async throws {
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(5) }
        let server = try LoopbackServer { [never] request in
            request.target == "/cut"
                ? .truncated("half", of: 8) : .stopping(after: "half", of: 8, until: never)
        }
        let lost = try await transport.get(server, "cut").httpError
        #expect(lost.code == .connectionLost)
        #expect(lost.response?.text == "half" && lost.response?.request?.url.path == "/cut")
        let stopped = transport.get(server, "stopped")
        _ = try await server.received(2).soon
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(5))
                return stopped.isSettled
            })
        let late = try await stopped.httpError
        #expect(late.code == .timedOut && late.reason == "the idle limit of 5.0 seconds")
        #expect(late.response.map { "half".hasPrefix($0.text) } ?? true)
        let streamed = try await transport.stream(HTTPRequest(server.url.appending(path: "cut")))
            .soon
        let error = try await streamed.body.collected(upTo: 10).httpError
        #expect(error.status == 200 && error.body.isEmpty)
    }

    /// A large body whose first bytes are there, and whose others come when a future resolves.
    private func body(after goes: Promise<Void>) -> HTTPRequest.Body {
        let asked = Locked(0)
        return .stream(
            HTTPRequest.BodySource(length: 64 << 20, isReplayable: true) {
                HTTPBodyStream(
                    length: 64 << 20,
                    next: {
                        let isFirst = asked.withLock { asked in
                            asked += 1
                            return asked == 1
                        }
                        return isFirst
                            ? Future(value: Data(count: 100)) : goes.map { Data(count: 65_536) }
                    })
            })
    }

    @Test(arguments: [200, 401])
    func aWholeAnswerStandsIfTheServerTakesNoMoreOfTheRequest(status: Int) async throws {
        let transport = CurlTransport.patient
        let answered = Promise<Void>()
        let goes = Promise<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.answer("early", status: status)
            answered.resolve()
            // Until the client has read the answer.
            while !goes.isSettled {}
            connection.resetAtEnd()
        }
        let call = transport.send(HTTPRequest(.post, server.url(), body: body(after: goes)))
        try await answered.soon
        // Turns in which the client reads the answer.
        let other = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<50 { _ = try await transport.get(other).soon }
        goes.resolve()
        let response = try await call.soon
        #expect(response.status == status && response.text == "early")
        try await transport.close().soon
        server.stop()
    }

    @Test("A server that stops sending, and then closes, ends a request whose body is not sent yet")
    func aServerThatClosesDuringTheBody() async throws {
        let transport = CurlTransport.patient
        let ended = Promise<Void>()
        let goes = Promise<Void>()
        let server = try SocketServer { connection in
            guard connection.head() != nil else { return }
            connection.finishSending()
            ended.resolve()
            // Until the client has read the end.
            while !goes.isSettled {}
            connection.resetAtEnd()
        }
        let call = transport.send(HTTPRequest(.post, server.url(), body: body(after: goes)))
        try await ended.soon
        // Turns in which the client reads the end.
        let other = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<50 { _ = try await transport.get(other).soon }
        goes.resolve()
        #expect(try await call.httpError.code == .connectionLost)
        try await transport.close().soon
        server.stop()
    }
}

import Foundation
import HTTPTestSupport
import Pledge
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeHTTPClients

/// A server of event streams: each call gets the next answer, and after the last one a 410.
private final class EventServer: HTTPTransport {
    typealias Answer = @Sendable (HTTPRequest) throws -> HTTPStreamedResponse

    let scheduler = ManualScheduler()
    private let state: Locked<(answers: [Answer], requests: [HTTPRequest], times: [Duration])>
    private let always: Answer?

    init(_ answers: Answer..., always: Answer? = nil) {
        state = Locked((answers, [], []))
        self.always = always
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// When each connection was made, in seconds.
    var seconds: [Double] { state.withLock { $0.times.map { $0 / .seconds(1) } } }

    var ids: [String?] { requests.map { $0.headers["Last-Event-ID"] } }

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        stream(request).flatMap { $0.collected(upTo: .max) }
    }

    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        CallContext.current.exchange(request) {
            let answer = state.withLock { state in
                state.requests.append(request)
                state.times.append(scheduler.now.offset)
                return state.answers.isEmpty ? always : state.answers.removeFirst()
            }
            do {
                return Future(value: try (answer ?? status(410))(request).withRequest(request))
            } catch {
                return Future(error: error)
            }
        }
    }

    /// A client whose waits are as short as they may be.
    var client: HTTPClient {
        var client = HTTPClient(base: URL(string: "https://a.example")!, over: self)
        client.scheduler = scheduler
        client.random = .constant(0)
        // The test's time runs on while a call waits for a processor.
        (client.attemptTimeout, client.deadline) = (nil, nil)
        return client
    }

    /// The result of work, while all waits pass.
    func result<T: Sendable>(
        of work: @escaping @Sendable () async throws -> T
    ) async -> Result<T, any Error> {
        let future = Future { try await work() }
        #expect(
            await comesTrue {
                scheduler.run()
                return future.isSettled
            })
        return await future.resultSoon
    }

    /// The events of a sequence, at most as many as given, and how it ended.
    func read(
        _ events: HTTPClient.EventStream, upTo count: Int = 100
    ) async -> (events: [String], error: (any Error)?, lastEventID: String) {
        let all = Locked<[String]>([])
        let id = Locked("")
        let result = await result {
            var iterator = events.makeAsyncIterator()
            defer { id.withLock { $0 = iterator.lastEventID } }
            while all.withLock({ $0.count }) < count, let event = try await iterator.next() {
                all.withLock { $0.append(event.data) }
            }
        }
        var error: (any Error)?
        if case .failure(let failure) = result { error = failure }
        return (all.withLock { $0 }, error, id.withLock { $0 })
    }
}

private let type: HTTPHeaders = ["Content-Type": "text/event-stream"]

/// An event stream of a text, which ends, or fails with an error.
private func events(
    _ text: String, chunksOf size: Int = 1 << 16, then error: (any Error)? = nil
) -> EventServer.Answer {
    { _ in
        let bytes = HTTPBodyStream(Data(text.utf8), chunksOf: size)
        let body = HTTPBodyStream(next: {
            bytes.next().map { chunk in
                if chunk == nil, let error { throw error }
                return chunk
            }
        })
        return HTTPStreamedResponse(status: 200, headers: type, body: body)
    }
}

private func stream(_ body: HTTPBodyStream) -> EventServer.Answer {
    { _ in HTTPStreamedResponse(status: 200, headers: type, body: body) }
}

private func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> EventServer.Answer {
    { _ in
        HTTPStreamedResponse(
            status: status, headers: headers, body: HTTPBodyStream(Data("no".utf8)))
    }
}

private func failure(_ error: any Error) -> EventServer.Answer { { _ in throw error } }

private let lost = HTTPError(code: .connectionLost)

@Suite struct EventStreamConnectionTests {
    @Test func aRequestAsksForEventsAndStoresNothing() async throws {
        let server = EventServer(always: events("data: 1\n\n"))
        _ = await server.read(server.client.events("/news", query: ["of": "Kyiv"]), upTo: 1)
        let first = try #require(server.requests.first)
        #expect(first.url.absoluteString == "https://a.example/news?of=Kyiv")
        #expect(first.method == .get && first.headers["Accept"] == "text/event-stream")
        #expect(first.headers["Cache-Control"] == "no-store")
        #expect(first.headers["Last-Event-ID"] == nil)
        let own: HTTPHeaders = ["Accept": "text/*", "Cache-Control": "no-cache", "X": "1"]
        _ = await server.read(server.client.events("/news", headers: own), upTo: 1)
        let second = try #require(server.requests.last)
        #expect(second.headers["Accept"] == "text/*" && second.headers["X"] == "1")
        #expect(second.headers.values(for: "Cache-Control") == ["no-cache"])
    }

    @Test func aSequenceAndItsIteratorShowNoLastEventID() async throws {
        let server = EventServer(always: events("id: s3cret-2\ndata: 1\n\n"))
        let sequence = server.client.events("/news", query: ["key": "s3cret-0"], after: "s3cret-1")
        #expect("\(sequence)" == "EventStream(HTTPClient(https://a.example:443))")
        let read = try await server.result {
            var iterator = sequence.makeAsyncIterator()
            let fresh = texts(of: iterator)
            _ = try await iterator.next()
            return (texts: fresh + texts(of: iterator), id: iterator.lastEventID)
        }.get()
        #expect(read.id == "s3cret-2")
        for text in texts(of: sequence) + read.texts {
            #expect(text.contains("https://a.example") && !text.contains("s3cret"))
        }
    }

    @Test("a stream that ends or fails is connected to again, with the last event ID")
    func aStreamThatEndsOrFailsIsConnectedToAgain() async {
        let server = EventServer(
            events("id: 1\ndata: one\n\n"), events("data: two\n\n", then: lost),
            events("id\ndata: three\n\n", then: HTTPError(code: .bodyLengthMismatch)),
            events("data: four\n\n", then: HTTPError(code: .badResponse)),
            events("data: five\n\n"))
        let found = await server.read(server.client.events("/news"), upTo: 5)
        #expect(found.events == ["one", "two", "three", "four", "five"] && found.error == nil)
        #expect(server.ids == [nil, "1", "1", nil, nil])
        #expect(server.seconds == [0, 3, 6, 9, 12])
    }

    @Test("an ID that is not ASCII is kept over connections, even if the server gives none")
    func anIDThatIsNotASCIIIsKeptOverConnections() async {
        let again: EventServer.Answer = { request in
            try events("data: \(request.headers["Last-Event-ID"] ?? "")\n\n")(request)
        }
        let server = EventServer(events("id: …\nretry: 2000\ndata: hello\n\n"), again, again)
        let found = await server.read(server.client.events("/news"), upTo: 3)
        #expect(found.events == ["hello", "…", "…"] && found.lastEventID == "…")
        #expect(server.ids == [nil, "…", "…"] && server.seconds == [0, 2, 4])
    }

    @Test("a block with only an ID or a retry counts; an unfinished block does not")
    func aBlockWithoutAnEventCounts() async {
        let server = EventServer(
            events("data: one\n\nid: 7\n\n"), events("retry: 1500\n\nid: 8\ndata: cut", then: lost),
            events("id: 9\n\nretry: 1"), events("data: two\n\n"))
        let found = await server.read(server.client.events("/news"), upTo: 2)
        #expect(found.events == ["one", "two"] && found.lastEventID == "9")
        #expect(server.ids == [nil, "7", "7", "9"])
        #expect(server.seconds == [0, 3, 4.5, 7.5])
    }

    @Test func aStoredIDIsSentAndTheLastOneCanBeRead() async {
        let server = EventServer(always: events("data: one\n\nid: 42\n\n"))
        let stream = server.client.events("/news", after: "41", reconnecting: .never)
        let found = await server.read(stream)
        #expect(server.ids == ["41"] && found.lastEventID == "42" && found.events == ["one"])
        var iterator = stream.makeAsyncIterator()
        #expect(iterator.lastEventID == "41")
        #expect(try! await iterator.next()?.id == "41")
    }

    @Test func aStoredIDThatNoHeaderMayHoldIsAnError() async {
        let server = EventServer(always: events("data: one\n\n"))
        let memory = MemoryTransport(routes: [])
        let client = HTTPClient(base: URL(string: "https://a.example")!, over: memory)
        let found = await server.read(client.events("/news", after: "4\n1"))
        #expect(found.error is Endpoint.Error)
    }

    @Test(arguments: [204, 205, 210, 299, 301, 404, 410, 429, 503])
    func onTheFirstConnectionAnyOtherStatusFailsAtOnce(_ code: Int) async throws {
        for accepted in [200...299, 100...599, nil] as [ClosedRange<Int>?] {
            let server = EventServer(
                status(code, ["Retry-After": "1"]), always: events("data: 1\n\n"))
            var client = server.client
            client.acceptedStatuses = accepted
            let found = await server.read(client.events("/news"), upTo: 1)
            let error = try #require(found.error as? HTTPError)
            #expect(error.code == .unacceptableStatus && error.status == code)
            #expect(error.response?.text == "no" && "\(error)".contains("answered \(code)"))
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        "another Content-Type fails at once, and the error says which",
        arguments: ["text/x-bogus", "text/html; charset=utf-8", "text/event-streams", ""])
    func anotherContentTypeFailsAtOnce(_ type: String) async throws {
        let page: EventServer.Answer = { _ in
            HTTPStreamedResponse(
                status: 200, headers: type.isEmpty ? [:] : ["Content-Type": type],
                body: HTTPBodyStream(Data("data: 1\n\n".utf8)))
        }
        for isFirst in [true, false] {
            let server = EventServer(isFirst ? page : events(""), always: page)
            let found = await server.read(server.client.events("/news"))
            let error = try #require(found.error as? HTTPError)
            #expect(error.code == .unacceptableContentType && found.events.isEmpty)
            let shown = type.isEmpty ? "none" : String(type.prefix { $0 != ";" })
            #expect("\(error)".contains(shown) && error.body == Data("data: 1\n\n".utf8))
            #expect(server.requests.count == (isFirst ? 1 : 2))
            #expect(error.advisedOutcome == .failure)
        }
    }

    @Test(arguments: [
        "text/event-stream;charset=windows-1252", "TEXT/Event-Stream",
        "text/event-stream ; a=b",
    ])
    func theTypeMayHaveParametersWhichChangeNothing(_ type: String) async {
        let server = EventServer { _ in
            HTTPStreamedResponse(
                status: 200, headers: ["Content-Type": type],
                body: HTTPBodyStream(Data("data: ok…\n\n".utf8)))
        }
        #expect(await server.read(server.client.events("/news"), upTo: 1).events == ["ok…"])
    }

    @Test func theFirstConnectionIsTriedAgainIfTheNetworkFails() async throws {
        let server = EventServer(
            failure(HTTPError(code: .cannotFindHost)), failure(HTTPError(code: .cannotConnect)),
            failure(HTTPError(code: .timedOut)), failure(HTTPError(code: .notConnected)),
            events("data: 1\n\n"))
        let found = await server.read(server.client.events("/news"), upTo: 1)
        #expect(found.events == ["1"] && server.seconds == [0, 3, 6, 12, 24])
        // It's still the first connection, and what would fail again does.
        let refusing = EventServer(failure(lost), status(503))
        let end = await refusing.read(refusing.client.events("/news"))
        #expect((end.error as? HTTPError)?.status == 503 && refusing.requests.count == 2)
        let insecure = EventServer(failure(HTTPError(code: .insecureConnection)))
        let other = await insecure.read(insecure.client.events("/news"))
        #expect((other.error as? HTTPError)?.code == .insecureConnection)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 522])
    func onAReconnectionATemporaryStatusIsTriedAgain(_ code: Int) async {
        for accepted in [200...299, 100...599] {
            let server = EventServer(events(""), status(code), status(code), events("data: 1\n\n"))
            var client = server.client
            client.acceptedStatuses = accepted
            let found = await server.read(client.events("/news"), upTo: 1)
            #expect(found.events == ["1"] && server.requests.count == 4)
        }
    }

    @Test(arguments: [200...299, 200...200])
    func onAReconnection204EndsTheSequence(_ accepted: ClosedRange<Int>) async {
        let server = EventServer(
            events("id: 1\ndata: opened\n\n"), events("data: reconnected\n\n"), status(204),
            always: events("data: closed\n\n"))
        var client = server.client
        client.acceptedStatuses = accepted
        let found = await server.read(client.events("/news"))
        #expect(found.events == ["opened", "reconnected"] && found.error == nil)
        #expect(server.requests.count == 3 && found.lastEventID == "1")
    }

    @Test(arguments: [205, 299, 304, 403, 404, 501])
    func onAReconnectionAnyOtherStatusFails(_ code: Int) async {
        let server = EventServer(events("data: 1\n\n"), status(code), always: events("data: 2\n\n"))
        let found = await server.read(server.client.events("/news"))
        #expect(found.events == ["1"] && (found.error as? HTTPError)?.status == code)
        #expect(server.requests.count == 2)
    }

    @Test func theClientsClassifierSaysWhatIsTemporary() async {
        let server = EventServer(events(""), status(404), status(503))
        var client = server.client
        client.classifier = { end in
            guard case .success(let response) = end else { return nil }
            return response.status == 404 ? .retryable(after: .seconds(20)) : .rejection
        }
        let found = await server.read(client.events("/news"))
        #expect((found.error as? HTTPError)?.status == 503 && server.seconds == [0, 3, 23])
    }

    @Test
    func aRetryAfterIsRespected() async {
        let server = EventServer(
            events("data: 1\n\n"), status(503, ["Retry-After": "120"]),
            status(429, ["Retry-After": "1"]), events("data: 2\n\n"))
        let found = await server.read(server.client.events("/news"), upTo: 2)
        #expect(found.events == ["1", "2"] && server.seconds == [0, 3, 123, 129])
    }

    @Test(arguments: [
        ("data: 12345678\n\n", 14), ("data: 12\ndata: 34\ndata: 56\ndata: 78\n\n", 11),
    ])
    func anEventThatIsTooLargeFailsTheSequence(_ text: String, _ size: Int) async {
        let server = EventServer(always: events(text))
        let fitting = await server.read(server.client.events("/news", limit: size), upTo: 2)
        #expect(fitting.events.count == 2 && fitting.error == nil)
        let found = await server.read(server.client.events("/news", limit: size - 1), upTo: 2)
        #expect((found.error as? HTTPError)?.code == .bodyTooLarge && found.events.isEmpty)
        #expect(server.requests.count == 3)
    }

    @Test("the attempts in a row are bounded, and an event begins the count anew")
    func theAttemptsInARowAreBounded() async {
        let server = EventServer(
            events(""), failure(lost), events("data: 1\n\n"), events(""), status(503),
            always: events("data: 2\n\n"))
        let rules = HTTPClient.Reconnection(attempts: 2)
        let found = await server.read(server.client.events("/news", reconnecting: rules))
        #expect(found.events == ["1"] && (found.error as? HTTPError)?.status == 503)
        #expect(server.requests.count == 5)
        let ending = EventServer(always: events("id: 1\n\n"))
        let end = await ending.read(ending.client.events("/news", reconnecting: rules))
        #expect(end.events.isEmpty && end.error == nil && ending.ids == [nil, "1", "1"])
    }

    @Test
    func reconnectingCanBeTurnedOff() async {
        let server = EventServer(events("data: 1\n\n"), always: events("data: 2\n\n"))
        let found = await server.read(server.client.events("/news", reconnecting: .never))
        #expect(found.events == ["1"] && found.error == nil && server.requests.count == 1)
        let failing = EventServer(events("data: 1\n\n", then: lost), always: events("data: 2\n\n"))
        let end = await failing.read(failing.client.events("/news", reconnecting: .never))
        #expect(end.events == ["1"] && (end.error as? HTTPError)?.code == .connectionLost)
        #expect(failing.requests.count == 1)
    }

    @Test("a request with an unsafe method is sent once, unless the caller says so")
    func aRequestWithAnUnsafeMethodIsSentOnce() async {
        func read(
            _ method: HTTPMethod, key: String? = nil, _ rules: HTTPClient.Reconnection? = nil
        ) async -> Int {
            let server = EventServer(events("data: 1\n\n"), always: events("data: 2\n\n"))
            var request = HTTPRequest(
                method, URL(string: "https://a.example/chat")!,
                body: method == .get ? .none : .data(Data("{}".utf8)))
            request.context.idempotencyKey = key
            let found = await server.read(
                server.client.events(request, reconnecting: rules), upTo: 2)
            #expect(found.error == nil && server.requests.count == found.events.count)
            #expect(server.requests.allSatisfy { $0.method == method })
            return found.events.count
        }
        for method in [HTTPMethod.post, .put, .patch, .delete] { #expect(await read(method) == 1) }
        #expect(await read(.post, key: "k") == 1)
        #expect(await read(.post, .always) == 2)
        for method in [HTTPMethod.get, .query] { #expect(await read(method) == 2) }
        var endpoint = Endpoint(path: "/chat", method: .post, body: .data(Data("{}".utf8)))
        endpoint.headers["Accept"] = "text/event-stream"
        let server = EventServer(always: events("data: 1\n\n"))
        #expect(await server.read(server.client.events(endpoint)).events == ["1"])
    }

    @Test func anEventWithTheEndsDataEndsTheSequence() async {
        for after in ["", "data: 3\n\n", "data: [DO"] {
            let server = EventServer(
                events("data: 1\n\ndata: [DONE] \n\n", chunksOf: 3),
                events("data: 2\n\nid: 5\ndata: [DONE]\n\n" + after),
                always: events("data: 4\n\n"))
            let found = await server.read(server.client.events("/chat", until: "[DONE]"))
            #expect(found.events == ["1", "[DONE] ", "2"] && found.error == nil)
            #expect(server.requests.count == 2 && found.lastEventID == "5")
        }
    }

    @Test func afterTheEndsDataTheBodyIsReadToItsEndSoThatItsConnectionIsReused() async throws {
        for ends in [true, false] {
            let source = ScriptedSource()
            let server = EventServer(stream(source.stream()))
            let chat = server.client.events("/chat", until: "[DONE]", idleTimeout: nil)
            let all = Future { try await chat.reduce(into: [String]()) { $0.append($1.data) } }
            #expect(await comesTrue { source.asked == 1 })
            source.give("data: [DONE]\n\n")
            #expect(try await all.soon == [])
            #expect(source.asked == 2 && source.cancelled == 0)
            if ends { source.give(nil) }
            server.scheduler.advance(by: .seconds(1))
            #expect(source.cancelled == (ends ? 0 : 1))
        }
    }
}

@Suite struct EventStreamWaitTests {
    @Test func waitsGrowWhileNoEventComesUpToABound() async {
        let server = EventServer(
            events("data: 1\n\n"), failure(lost), events(": hello\n\n"), status(503), failure(lost),
            failure(lost), events("data: 2\n\n"), failure(lost), events("data: 3\n\n"))
        let found = await server.read(server.client.events("/news"), upTo: 3)
        #expect(found.events == ["1", "2", "3"])
        // From half of 6, 12, 24 and 30 seconds on.
        #expect(server.seconds == [0, 3, 6, 12, 24, 39, 54, 57, 60])
    }

    @Test func theCountOfAttemptsBeginsAnewAfterAConnectionThatLasts() async {
        let server = EventServer(
            events(""), failure(lost), failure(lost),
            { [source = ScriptedSource()] request in try stream(source.stream())(request) },
            events("data: 1\n\n"))
        let found = await server.read(
            server.client.events("/news", idleTimeout: .seconds(30)), upTo: 1)
        #expect(found.events == ["1"] && server.seconds == [0, 3, 6, 12, 45])
    }

    @Test("a wait has a random part, so that clients don't come back at once")
    func aWaitHasARandomPart() {
        func waits(
            _ bits: UInt64, retry: Duration? = nil, asked: Duration? = nil,
            after elapsed: Duration = .seconds(1)
        ) -> [Double] {
            var machine = ReconnectionMachine(rules: .always)
            machine.retry = retry
            return (0..<6).map { _ in
                (machine.wait(asked: asked, after: elapsed, bits: bits) ?? .zero) / .seconds(1)
            }
        }
        #expect(waits(0) == [3, 3, 6, 12, 15, 15])
        #expect(waits(.max) == [3.3, 6, 12, 24, 30, 30])
        #expect(waits(.max, retry: .seconds(60)) == [66, 66, 66, 66, 66, 66])
        #expect(waits(0, asked: .seconds(20)) == [20, 20, 20, 20, 20, 20])
        #expect(waits(.max, asked: .seconds(20)) == [22, 22, 22, 24, 30, 30])
        // A server that asks for no wait is not called without one as long as it fails.
        #expect(waits(0, retry: .zero) == [0, 0.1, 0.2, 0.4, 0.8, 1.6])
        // Nor is it asked again within a second, which has a random part too.
        #expect(
            waits(0, retry: .zero, after: .milliseconds(250)) == [0.75, 0.75, 0.75, 0.75, 0.8, 1.6])
        #expect(waits(.max, retry: .zero, after: .zero)[0] == 1.1)
        let day: Duration = .milliseconds(Int64(1) << 31)
        #expect(waits(.max, retry: day).allSatisfy { $0 == day / .seconds(1) * 1.1 })
    }

    @Test(
        "connections begin a second apart, whatever the server and the app ask for",
        arguments: ["retry: 0\n", "retry: 1\n", ""])
    func connectionsBeginASecondApart(_ retry: String) async {
        let server = EventServer(always: events(retry + "data: 1\n\n"))
        let rules = HTTPClient.Reconnection(delay: .zero)
        let found = await server.read(server.client.events("/news", reconnecting: rules), upTo: 4)
        #expect(found.events.count == 4 && server.seconds == [0, 1, 2, 3])
    }

    @Test func afterAConnectionThatLastedForASecondTheServersRetryCountsAsItIs() async throws {
        let source = ScriptedSource()
        let server = EventServer(stream(source.stream()), events("data: 2\n\n"))
        let read = Future { [client = server.client] in
            try await client.events("/news").prefix(2).reduce(into: []) { $0.append($1.data) }
        }
        #expect(await comesTrue { source.asked == 1 })
        source.give("retry: 0\ndata: 1\n\n")
        #expect(await comesTrue { source.asked == 2 })
        server.scheduler.advance(by: .seconds(1))
        source.give(nil)
        #expect(try await read.soon == ["1", "2"])
        #expect(server.seconds == [0, 1])
    }

    @Test
    func noNumberOfWaitsOverflows() {
        for delay in [Duration.zero, .nanoseconds(1), .seconds(3), .seconds(Int64.max / 1_000)] {
            var machine = ReconnectionMachine(
                rules: .init(delay: delay, maxDelay: .seconds(Int64.max / 1_000)))
            for _ in 0..<200 {
                let wait = machine.wait(
                    asked: .seconds(Int64(1) << 31), after: .zero, bits: .max)
                #expect(wait != nil)
            }
        }
    }

    #if os(macOS) || os(Linux)
    @Test func rulesOfReconnectingBelowZeroTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = HTTPClient.Reconnection(delay: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) {
            _ = HTTPClient.Reconnection(maxDelay: .seconds(-1))
        }
        await #expect(processExitsWith: .failure) { _ = HTTPClient.Reconnection(attempts: -1) }
    }
    #endif
}

@Suite struct EventStreamClientTests {
    @Test("reconnecting draws no retry budget, and the client's retry does not multiply it")
    func reconnectingDrawsNoRetryBudget() async {
        let server = EventServer(
            events(""), status(503), failure(lost), events("data: 1\n\n"))
        var client = server.client
        let budget = RetryBudget()
        client.retry = .init(attempts: 5)
        client.retryBudget = budget
        client.hedge = .perOrigin(Hedge(after: .milliseconds(1), maxExtraLoad: 1))
        let before = budget.balance
        let found = await server.read(client.events("/news"), upTo: 1)
        #expect(found.events == ["1"] && server.seconds == [0, 3, 6, 12])
        #expect(budget.balance >= before)
    }

    @Test func aRequestThatIsSentOnlyOnceIsRetriedLikeAnyOtherCall() async {
        let server = EventServer(
            failure(HTTPError(code: .cannotConnect)), events("data: 1\n\n", then: lost))
        let chat = Endpoint(path: "/chat", method: .post, body: .data(Data("{}".utf8)))
        let found = await server.read(server.client.events(chat))
        #expect(found.events == ["1"] && (found.error as? HTTPError)?.code == .connectionLost)
        #expect(server.requests.count == 2)
    }

    @Test func a401RenewsTheTokenOnEachConnection() async {
        let valid = Locked("new")
        let asking: EventServer.Answer = { request in
            let isValid = request.headers["Authorization"] == "Bearer \(valid.withLock { $0 })"
            return try (isValid ? events("data: 1\n\n") : status(401))(request)
        }
        let server = EventServer(always: asking)
        var client = server.client
        client.authorization = .bearer(
            from: TokenRefresher(AccessToken("old"), on: server.scheduler) { _ in
                Future(value: AccessToken(valid.withLock { $0 }))
            })
        let refresh = client.events("/news")
        let found = await server.read(refresh, upTo: 2)
        #expect(found.events == ["1", "1"])
        #expect(
            server.requests.map { $0.headers["Authorization"] }
                == ["Bearer old", "Bearer new", "Bearer new"])
    }

    @Test("cookies and redirects work on each connection, and the ID stays with its origin")
    func cookiesAndRedirectsWorkOnEachConnection() async {
        let away: HTTPHeaders = [
            "Location": "https://stream.example/live", "Set-Cookie": "session=1",
        ]
        for code in [301, 302, 303, 307] {
            let server = EventServer(
                status(code, away), events("id: 7\ndata: 1\n\n"), status(code, away),
                events("data: 2\n\n"))
            var client = server.client
            client.cookies = CookieJar()
            client.authorization = .bearer("secret")
            let found = await server.read(client.events("/news"), upTo: 2)
            #expect(found.events == ["1", "2"])
            #expect(
                server.requests.map { $0.url.host() }
                    == ["a.example", "stream.example", "a.example", "stream.example"])
            #expect(server.ids == [nil, nil, nil, nil] && found.lastEventID == "")
            #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil, "session=1", nil])
            #expect(server.requests[3].headers["Authorization"] == nil)
        }
    }

    @Test("the ID follows a redirect within the origin, and to another one if the app says so")
    func theIDFollowsARedirectWithinTheOrigin() async {
        for (place, kept) in [("/live", []), ("https://b.example/live", ["Last-Event-ID"])] {
            let server = EventServer(
                events("id: 7\ndata: 1\n\n"), status(307, ["Location": place]),
                events("data: 2\n\n"))
            var client = server.client
            client.redirects = .init(keeping: kept)
            #expect(await server.read(client.events("/news"), upTo: 2).events == ["1", "2"])
            #expect(server.ids == [nil, "7", "7"])
        }
    }

    @Test func anIDBelongsToTheOriginThatGaveIt() async throws {
        let away = status(307, ["Location": "https://b.example/live"])
        let server = EventServer(
            events("id: a1\ndata: 1\n\n"), away, events("id: b1\ndata: 2\n\n"), away,
            events("data: 3\n\n"), events("data: 4\n\n"), events("id: a2\ndata: 5\n\n"))
        let ids = Locked<[[String]]>([])
        let stream = server.client.events("/news")
        _ = await server.result {
            var iterator = stream.makeAsyncIterator()
            while let event = try await iterator.next() {
                ids.withLock { $0.append([event.data, event.id, iterator.lastEventID]) }
            }
        }
        #expect(
            ids.withLock { $0 } == [
                ["1", "a1", "a1"], ["2", "b1", "a1"], ["3", "b1", "a1"], ["4", "a1", "a1"],
                ["5", "a2", "a2"],
            ])
        #expect(server.ids == [nil, "a1", nil, "a1", nil, "a1", "a1", "a2"])
        // The ID of an app whose redirects keep it is for all origins.
        let sharing = EventServer(
            away, events("id: 7\ndata: 1\n\n"), events("data: 2\n\n"))
        var client = sharing.client
        client.redirects = .init(keeping: ["last-event-id"])
        #expect(await sharing.read(client.events("/news"), upTo: 2).lastEventID == "7")
        #expect(sharing.ids == [nil, nil, "7"])
    }

    @Test func aRedirectAwayAndBackAgainLeadsToTheSameID() async {
        let server = EventServer(
            status(307, ["Location": "https://b.example/check"]),
            status(307, ["Location": "https://a.example/live"]),
            events("id: 7\ndata: 1\n\n"), events("data: 2\n\n"))
        #expect(await server.read(server.client.events("/news"), upTo: 2).lastEventID == "7")
        #expect(server.ids == [nil, nil, nil, "7"])
    }

    @Test("an open breaker makes the stream wait, and does not end it")
    func anOpenBreakerMakesTheStreamWait() async {
        let server = EventServer(events("data: 1\n\n"), status(503), events("data: 2\n\n"))
        var client = server.client
        client.circuitBreaker = .perOrigin(
            CircuitBreaker(failuresInARow: 1, lasting: .zero, backoff: .constant(.seconds(100))))
        let found = await server.read(client.events("/news"), upTo: 2)
        #expect(found.events == ["1", "2"] && found.error == nil)
        // The breaker opens after three seconds, and says when it lets a call pass.
        #expect(server.seconds == [0, 3, 103])
    }

    @Test("the client's time limits hold until the headers, and then no more")
    func theClientsTimeLimitsHoldUntilTheHeaders() async throws {
        let source = ScriptedSource()
        let (never, read) = (Promise<HTTPStreamedResponse>(), Locked<[String]>([]))
        let asked = Locked(0)
        struct Slow: HTTPTransport {
            let answer: @Sendable () -> Future<HTTPStreamedResponse>
            func send(_ request: HTTPRequest) -> Future<HTTPResponse> { Promise() }
            func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> { answer() }
        }
        let scheduler = ManualScheduler()
        let transport = Slow {
            asked.withLock { $0 += 1 }
            if asked.withLock({ $0 }) == 1 { return never }
            let body = source.stream()
            return Future(value: HTTPStreamedResponse(status: 200, headers: type, body: body))
        }
        var client = HTTPClient(base: URL(string: "https://a.example")!, over: transport)
        client.scheduler = scheduler
        client.random = .constant(0)
        client.deadline = .seconds(20)
        let stream = client.events("/news", idleTimeout: nil)
        let all = Future {
            for try await event in stream { read.withLock { $0.append(event.data) } }
        }
        #expect(await comesTrue { asked.withLock { $0 } == 1 })
        scheduler.advance(by: .seconds(20))
        #expect(
            await comesTrue {
                scheduler.advance(by: .milliseconds(100))
                return asked.withLock { $0 } == 2
            })
        #expect(await comesTrue { source.asked == 1 })
        scheduler.advance(by: .seconds(1_000))
        source.give("data: 1\n\n")
        #expect(await comesTrue { read.withLock { $0 } == ["1"] })
        all.cancel()
        #expect(await comesTrue { source.cancelled == 1 })
    }

    @Test
    func theCallersDeadlineEndsTheSequence() async {
        let server = EventServer(always: events("data: 1\n\n"))
        let stream = server.client.events("/news", reconnecting: .init(attempts: 20))
        let context = CallContext(
            deadline: CallDeadline(after: .seconds(7), on: server.scheduler))
        let count = Locked(0)
        let result = await server.result {
            try await context.run {
                Future { for try await _ in stream { count.withLock { $0 += 1 } } }
            }.value
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(server.seconds == [0, 3, 6] && count.withLock { $0 } == 3)
    }

    @Test
    func eventsAreDecodedWithTheClientsSettings() async throws {
        struct Visit: Decodable, Sendable, Equatable {
            var firstSeen: Date
        }
        let text = "data: {\"first_seen\":\"1970-01-01T00:00:00Z\"}\n\nid: 2\ndata: {}\n\n"
        let server = EventServer(always: events(text))
        var client = server.client
        client.json = .iso8601.snakeCase
        var visits = client.events("/visits").decoded(as: Visit.self).makeAsyncIterator()
        #expect(try await visits.next() == Visit(firstSeen: Date(timeIntervalSince1970: 0)))
        let failure = await #expect(throws: DecodingFailure.self) { try await visits.next() }
        #expect(failure?.event?.id == "2")
    }

    @MainActor
    @Test func eventsCanBeReadOnAnActor() async throws {
        let server = EventServer(always: events("data: 1\n\ndata: 2\n\n"))
        var seen: [String] = []
        for try await event in server.client.events("/news", reconnecting: .never) {
            seen.append(event.data)
        }
        #expect(seen == ["1", "2"])
    }
}

@Suite struct EventStreamReadingTests {
    @Test("a connection without a byte for the idle time is made again; a comment is enough")
    func aSilentConnectionIsMadeAgain() async throws {
        let (first, second) = (ScriptedSource(), ScriptedSource())
        let server = EventServer(stream(first.stream()), stream(second.stream()))
        let events = server.client.events("/news", idleTimeout: .seconds(40))
        let read = Future { try await events.first { _ in true }?.data }
        for count in 1...5 {
            #expect(await comesTrue { first.asked == count })
            server.scheduler.advance(by: .seconds(39))
            #expect(first.cancelled == 0)
            first.give(count % 2 == 0 ? ":\n" : ":")
        }
        #expect(await comesTrue { first.asked == 6 })
        server.scheduler.advance(by: .seconds(40))
        #expect(await comesTrue { first.cancelled == 1 })
        #expect(
            await comesTrue {
                server.scheduler.advance(by: .milliseconds(100))
                return second.asked == 1
            })
        second.give("data: back\n\n")
        #expect(try await read.soon == "back")
    }

    @Test func withoutAnIdleLimitAServerMayBeSilentForHours() async throws {
        let source = ScriptedSource()
        let server = EventServer(stream(source.stream()))
        let read = Future { [client = server.client] in
            try await client.events("/news", idleTimeout: nil).first { _ in true }?.data
        }
        #expect(await comesTrue { source.asked == 1 })
        server.scheduler.advance(by: .seconds(36_000))
        source.give("data: 1\n\n")
        #expect(try await read.soon == "1")
        #expect(server.requests.first?.context.readerLimitsIdleTime == true)
    }

    @Test("cancelling the task closes the connection at once, whatever the classifier says")
    func cancellingTheTaskClosesTheConnectionAtOnce() async {
        let source = ScriptedSource()
        let server = EventServer(stream(source.stream()))
        var client = server.client
        client.classifier = { _ in .retryable }
        let news = client.events("/news", reconnecting: .init(delay: .zero), idleTimeout: nil)
        let task = Task { for try await _ in news {} }
        #expect(await comesTrue { source.asked == 1 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(source.cancelled == 1 && server.requests.count == 1)
    }

    @Test func cancellingTheTaskEndsAWaitForTheNextConnection() async {
        let server = EventServer(always: events("data: 1\n\n"))
        let count = Locked(0)
        let task = Task { [client = server.client] in
            for try await _ in client.events("/news") { count.withLock { $0 += 1 } }
        }
        #expect(await comesTrue { count.withLock { $0 } == 1 && !server.scheduler.isIdle })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.count == 1 && server.scheduler.isIdle)
    }

    @Test func droppingTheIteratorClosesTheConnectionAtOnce() async throws {
        let source = ScriptedSource()
        let server = EventServer(stream(source.stream()))
        let read = Future { [client = server.client] in
            for try await event in client.events("/news", idleTimeout: nil) { return event.data }
            return ""
        }
        #expect(await comesTrue { source.asked == 1 })
        source.give("data: 1\n\ndata: 2\n\n")
        #expect(try await read.soon == "1")
        #expect(source.cancelled == 1 && source.asked == 1)
    }

    @Test func twoIteratorsOfOneSequenceAreTwoConnections() async throws {
        let server = EventServer(
            events("id: 1\ndata: a\n\n"), events("id: 2\ndata: b\n\n"), events("data: c\n\n"),
            events("data: d\n\n"))
        let stream = server.client.events("/news")
        let found = await server.result {
            var (first, second) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
            #expect(server.requests.isEmpty)
            var found = [try await first.next()?.data, try await second.next()?.data]
            found.append(try await first.next()?.data)
            return found + [try await second.next()?.data]
        }
        #expect(try found.get() == ["a", "b", "c", "d"])
        #expect(server.ids == [nil, nil, "1", "2"])
    }

    @Test func theServerIsReadOnlyAsFastAsEventsAreTaken() async throws {
        let asked = Locked(0)
        let body = HTTPBodyStream(next: {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            return Future(value: Data("data: \(number)\n\n".utf8))
        })
        let server = EventServer(stream(body))
        var iterator = server.client.events("/news").makeAsyncIterator()
        #expect(asked.withLock { $0 } == 0)
        for number in 1...5 {
            #expect(try await iterator.next()?.data == "\(number)")
            #expect(asked.withLock { $0 } == number)
        }
    }
}

@Suite(.oneAtATime) struct EventStreamRandomTests {
    /// What a server with numbered events sends, from one on, with ends of lines, comments and blocks as they come.
    private func text(after last: Int, of total: Int, _ random: inout SeededGenerator) -> String {
        guard last < total else { return "" }
        return (last + 1...total).map { number in
            let end = ["\n", "\r", "\r\n"].randomElement(using: &random)!
            var lines = ["id: \(number)", "data: \(number)", "data: x"]
            if Bool.random(using: &random) { lines.swapAt(0, 1) }
            if Bool.random(using: &random) { lines.insert(": ping", at: 1) }
            if Bool.random(using: &random) { lines.append("retry: \(number)") }
            if Bool.random(using: &random) { lines += ["", ":", "", ""] }
            return (lines + ["", ""]).joined(separator: end)
        }.joined()
    }

    @Test func noEventIsLostOrRepeatedBetweenConnections() async throws {
        let total = 20
        var connections = 0
        for seed in 1...UInt64(max(1, scriptCount() / 100)) {
            let random = Locked(SeededGenerator(seed: seed))
            let isFirst = Locked(true)
            let server = EventServer(always: { request in
                try random.withLock { random in
                    let last = request.headers["Last-Event-ID"].flatMap { Int($0) } ?? 0
                    let wasFirst = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    if !wasFirst, Int.random(in: 0..<4, using: &random) == 0 {
                        return try (Bool.random(using: &random) ? status(503) : failure(lost))(
                            request)
                    }
                    let whole = text(after: last, of: total, &random)
                    let count = Int.random(in: 0...min(whole.utf8.count, 150), using: &random)
                    let sent = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
                    let size = Int.random(in: 1...20, using: &random)
                    let error = Bool.random(using: &random) ? lost : nil
                    return try events(sent, chunksOf: size, then: error)(request)
                }
            })
            let found = await server.read(server.client.events("/news"), upTo: total)
            #expect(found.events == (1...total).map { "\($0)\nx" }, "seed \(seed)")
            #expect(found.error == nil && found.lastEventID == "\(total)")
            connections += server.requests.count
        }
        #expect(connections > scriptCount() / 100 * 3)
    }
}

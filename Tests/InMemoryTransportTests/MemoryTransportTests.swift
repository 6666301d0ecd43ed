import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import PledgeServices
import Testing

@Suite struct MemoryTransportTests {
    @Test func itIsANetworking() throws {
        let transport = MemoryTransport(routes: [.get("/hello", answer: .text("Hello"))])
        let networking: Networking = transport.request
        #expect(try networking(Endpoint(path: "/hello")).result?.get() == Data("Hello".utf8))
        let based = Endpoint(path: "hello", base: URL(string: "https://api.example.com/v1"))
        #expect(try networking(based).result?.get() == Data("Hello".utf8))
    }

    @Test func whatAWireRefusesIsRefused() {
        let transport = MemoryTransport(routes: [.any("/x", answer: .text("x"))])
        let refused: [(Endpoint, Endpoint.Error)] = [
            (Endpoint(path: "/x", headers: ["A": "b\r\n"]), .invalidHeader(name: "A")),
            (Endpoint(path: "/x", method: "G T"), .invalidMethod("G T")),
            (Endpoint(path: "/x/../x"), .dotSegment),
            (Endpoint(path: "/x", base: URL(string: "ftp://h")), .invalidURL),
            (Endpoint(path: "https://h/x", base: URL(string: "https://h")), .invalidURL),
            (Endpoint(path: "/x", body: .data(Data([1]))), .bodyNotAllowed(method: .get)),
        ]
        for (endpoint, error) in refused {
            #expect(throws: error) { try transport.request(endpoint).result?.get() }
        }
        #expect(transport.calls.map(\.endpoint) == refused.map(\.0))
        #expect(transport.calls.allSatisfy { $0.route == nil })
    }

    @Test func everyCallIsRecordedInOrder() {
        let transport = MemoryTransport(routes: [.get("/products/:id", answer: .text("x"))])
        for path in ["/products/1", "/nowhere", "/products/a%b"] {
            _ = transport.request(Endpoint(path: path))
        }
        #expect(
            transport.calls.map(\.endpoint.path) == ["/products/1", "/nowhere", "/products/a%b"]
        )
        #expect(transport.calls.map(\.route) == ["GET /products/:id", nil, "GET /products/:id"])
        #expect(transport.calls.map(\.parameters) == [["id": "1"], [:], ["id": "a%b"]])
    }

    @Test func answersTakeTheirTime() throws {
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .text("x"))],
            latency: .milliseconds(20),
            on: scheduler
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(future.result == nil && transport.calls.count == 1)
        scheduler.advance(by: .milliseconds(19))
        #expect(future.result == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(try future.result?.get() == Data("x".utf8))
    }

    @Test func refusalsTakeNoTime() {
        let transport = MemoryTransport(routes: [], latency: .seconds(1), on: ManualScheduler())
        #expect(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.request(Endpoint(path: "/x")).result?.get()
        }
    }

    @Test func cancellingFreesTheTimerAndAsksNoAnswer() {
        let scheduler = CountingScheduler()
        let asked = Locked(0)
        let transport = MemoryTransport(
            routes: [
                .get(
                    "/x",
                    answer: .reply { _ in
                        asked.withLock { $0 += 1 }; return Data()
                    }
                )
            ],
            latency: .seconds(1),
            on: scheduler
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(scheduler.pending == 1)
        future.cancel()
        #expect(throws: CancellationError.self) { try future.result?.get() }
        #expect(scheduler.pending == 0)
        scheduler.manual.advance(by: .seconds(2))
        #expect(asked.withLock { $0 } == 0 && transport.calls.count == 1)
    }

    @Test func aSchedulerThatGoesAwayLeavesNoCallPending() {
        final class Forgetful: FutureScheduler {
            final class Nothing: ScheduledAction { func cancel() {} }
            var now: SchedulerInstant { .init(offset: .zero) }
            func schedule(
                after delay: Duration,
                _ action: @escaping @Sendable () -> Void
            ) -> any ScheduledAction { Nothing() }
        }
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .text("x"))],
            latency: .seconds(1),
            on: Forgetful()
        )
        let future = transport.request(Endpoint(path: "/x"))
        #expect(throws: (any Error).self) { try future.result?.get() }
        #expect(future.result != nil)
    }

    @Test func callsFromManyThreadsAreAllRecorded() async throws {
        let answers = (0..<200).map { MemoryTransport.Answer.text("\($0)") }
        let transport = MemoryTransport(routes: [.get("/:n", answer: .sequence(answers))])
        let seen = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<200 {
                group.addTask {
                    let data = try await transport.request(Endpoint(path: "/\(number)")).value
                    return ("\(number)", String(decoding: data, as: UTF8.self))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        // The recorded order is the order in which the sequence was taken.
        #expect(transport.calls.count == 200)
        for (index, call) in transport.calls.enumerated() {
            #expect(seen[call.parameters["n"] ?? ""] == "\(index)")
        }
    }
}

/// Counts the actions that wait on a manual scheduler and were not cancelled.
private final class CountingScheduler: FutureScheduler {
    let manual = ManualScheduler()
    private let waiting = Locked(0)

    var pending: Int { waiting.withLock { $0 } }
    var now: SchedulerInstant { manual.now }

    func schedule(
        after delay: Duration,
        _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledAction {
        waiting.withLock { $0 += 1 }
        let token = manual.schedule(after: delay) { [waiting] in
            waiting.withLock { $0 -= 1 }
            action()
        }
        return Token(token, waiting)
    }

    private final class Token: ScheduledAction {
        let below: any ScheduledAction
        let waiting: Locked<Int>

        init(_ below: any ScheduledAction, _ waiting: Locked<Int>) {
            self.below = below
            self.waiting = waiting
        }

        func cancel() {
            below.cancel()
            waiting.withLock { $0 -= 1 }
        }
    }
}

@Suite struct MemoryTransportSendTests {
    private let url = URL(string: "https://api.example.com/v1/products/7?expand=price")!

    @Test func theWholeResponseComesWhateverItsStatus() throws {
        let transport = MemoryTransport(routes: [
            .get(
                "/v1/products/:id",
                answer: .status(404, headers: ["X-A": "1"], body: Data("gone".utf8)))
        ])
        let response = try #require(try transport.send(HTTPRequest(.get, url)).result?.get())
        #expect(response.status == 404 && response.headers["x-a"] == "1" && response.text == "gone")
        #expect(response.url == url)
        #expect(throws: HTTPError.self) { try transport.request(Endpoint(url: url)).result?.get() }
    }

    @Test func whatIsTheTransportsToSetIsRefusedOnBothLevels() {
        let transport = MemoryTransport(routes: [.get("/v1/products/:id", answer: .status(200))])
        let headers: HTTPHeaders = ["Connection": "close"]
        var endpoint = Endpoint(url: url)
        endpoint.headers = headers
        #expect(throws: Endpoint.Error.reservedHeader(name: "Connection")) {
            try transport.send(HTTPRequest(url, headers: headers)).result?.get()
        }
        #expect(throws: Endpoint.Error.reservedHeader(name: "Connection")) {
            try transport.request(endpoint).result?.get()
        }
    }

    @Test func responsesAndErrorsKnowTheRequest() throws {
        let transport = MemoryTransport(routes: [
            .get("/v1/products/:id", answer: .status(404)),
            .post("/v1/products/:id", answer: .failure(HTTPError(code: .connectionLost))),
        ])
        let request = HTTPRequest(url, headers: ["X-A": "1"])
        #expect(try transport.send(request).result?.get().request == request)
        #expect(try transport.stream(request).result?.get().request == request)
        let lost = HTTPRequest(.post, url)
        #expect {
            try transport.send(lost).result?.get()
        } throws: {
            ($0 as? HTTPError)?.request == lost
        }
        #expect {
            try transport.request(Endpoint(url: url)).result?.get()
        } throws: {
            ($0 as? HTTPError)?.response?.request?.url == url
        }
    }

    @Test func aCallHasTheRequestWithItsAttempt() throws {
        let time = ManualScheduler()
        let transport = MemoryTransport(
            routes: [
                .post(
                    "/v1/products/:id",
                    answer: .sequence([.failure(URLError(.timedOut)), .data(Data())]))
            ])
        let send = stack(
            .deadline(.seconds(5), on: time), .retry(Retry(backoff: .constant(.zero)), on: time),
            over: transport.send)
        var request = HTTPRequest(
            .post, url, body: .data(Data("x".utf8), contentType: "text/plain"))
        request.context.idempotencyKey = "k"
        #expect(send(request).hasSucceeded)
        #expect(transport.calls.map(\.attempt) == [1, 2])
        let call = try #require(transport.calls.last)
        #expect(call.request == request)
        #expect(call.parameters == ["id": "7"])
        #expect(call.endpoint.body.data == Data("x".utf8))
        #expect(
            call.endpoint.effectiveHeaders == [
                "Content-Type": "text/plain", "Idempotency-Key": "k",
            ])
        #expect(transport.request(Endpoint(path: "/none")).result != nil)
        #expect(transport.calls.last?.request == nil)
    }

    @Test func thePathOfTheBaseIsNoPartOfARoute() {
        let transport = MemoryTransport(
            routes: [.get("/products/:id", answer: .data(Data()))],
            under: URL(string: "https://api.example.com/v1/"))
        #expect(transport.send(HTTPRequest(.get, url)).hasSucceeded)
        #expect(transport.send(HTTPRequest(.get, URL(string: "http://h/products/7")!)).hasSucceeded)
        #expect(
            !transport.send(HTTPRequest(.get, URL(string: "http://h/v2/products/7")!)).hasSucceeded)
    }

    @Test func whatNoRouteTakesOrCannotBeSentIsRefusedAndRecorded() {
        let transport = MemoryTransport(routes: [])
        #expect(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.send(HTTPRequest(.get, url)).result?.get()
        }
        #expect(throws: Endpoint.Error.bodyNotAllowed(method: .get)) {
            try transport.send(HTTPRequest(.get, url, body: .data(Data("x".utf8)))).result?.get()
        }
        #expect(transport.calls.count == 2)
    }

    @Test func bodiesOfFilesAndStreamsArrive() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-\(UUID().uuidString)")
        try Data("file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = MemoryTransport(routes: [
            .put("/a", answer: .reply { call in call.endpoint.body.data ?? Data() })
        ])
        let send = { (body: HTTPRequest.Body) in
            transport.send(HTTPRequest(.put, URL(string: "http://h/a")!, body: body)).result
        }
        #expect(try send(.file(file))?.get().text == "file")
        let source = HTTPRequest.BodySource(isReplayable: false) {
            HTTPBodyStream(Data("streamed".utf8), chunksOf: 3)
        }
        #expect(try send(.stream(source))?.get().text == "streamed")
        #expect { try send(.stream(source))?.get() } throws: {
            ($0 as? HTTPError)?.code == .bodyNotReplayable
        }
        let missing = file.appendingPathExtension("none")
        #expect { try send(.file(missing))?.get() } throws: {
            ($0 as? HTTPError)?.code == .bodyUnreadable
                && "\($0)".contains("(cause: open \(missing.path) failed: ")
        }
    }

    @Test(arguments: [3, 5]) func aStreamOfAnotherLengthThanAnnouncedIsRefused(length: Int64) {
        let transport = MemoryTransport(routes: [.put("/a", answer: .data(Data()))])
        let source = HTTPRequest.BodySource(length: length, isReplayable: true) {
            let bytes = HTTPBodyStream(Data("four".utf8))
            return HTTPBodyStream(next: { bytes.next() })
        }
        let request = HTTPRequest(.put, URL(string: "http://h/a")!, body: .stream(source))
        #expect { try transport.send(request).result?.get() } throws: {
            ($0 as? HTTPError)?.code == .bodyLengthMismatch
        }
        #expect(transport.calls.isEmpty)
    }

    @Test func whatASourceThrowsIsTheCauseAsOverAWire() {
        struct Broken: Error {}
        let transport = MemoryTransport(routes: [.put("/a", answer: .data(Data()))])
        let sources = [
            HTTPRequest.BodySource(isReplayable: true) { throw Broken() },
            HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream { throw Broken() } },
        ]
        for source in sources {
            let request = HTTPRequest(.put, URL(string: "http://h/a")!, body: .stream(source))
            #expect { try transport.send(request).result?.get() } throws: { error in
                guard let error = error as? HTTPError else { return false }
                return error.code == .bodyUnreadable && error.cause is Broken
                    && error.request == request
            }
        }
    }

    @Test func theLatencyIsTheTiming() throws {
        let time = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/a", answer: .data(Data()))], latency: .milliseconds(30), on: time)
        let future = transport.send(HTTPRequest(.get, URL(string: "http://h/a")!))
        #expect(future.result == nil)
        time.advance(by: .milliseconds(30))
        #expect(try future.result?.get().timing.total == .milliseconds(30))
    }

    @Test func aBodyOfAnotherLengthThanAnnouncedIsNotSent() throws {
        let transport = MemoryTransport(routes: [.put("/a", answer: .data(Data()))])
        let source = HTTPRequest.BodySource(length: 3, isReplayable: false) {
            HTTPBodyStream(Data("four".utf8), chunksOf: 2)
        }
        let url = try #require(URL(string: "http://h/a"))
        // A request that is refused does not use up its body.
        let refused = HTTPRequest(.put, url, headers: ["TE": "x"], body: .stream(source))
        #expect(throws: Endpoint.Error.reservedHeader(name: "TE")) {
            try transport.send(refused).result?.get()
        }
        #expect {
            try transport.send(HTTPRequest(.put, url, body: .stream(source))).result?.get()
        } throws: {
            ($0 as? HTTPError)?.code == .bodyLengthMismatch
        }
    }

    @Test func theBodyCanBeStreamed() throws {
        let transport = MemoryTransport(routes: [.get("/a", answer: .text("hello"))])
        let future = transport.stream(HTTPRequest(.get, URL(string: "http://h/a")!))
        let response = try #require(try future.result?.get())
        #expect(response.status == 200 && response.url?.path == "/a")
        #expect(try response.body.collected(upTo: 5).result?.get() == Data("hello".utf8))
    }

    @Test func aFutureOfAResponseIsCancelledWithItsCall() {
        let cancelled = Locked(false)
        let promise = Promise<HTTPResponse>()
        promise.onCancel { cancelled.withLock { $0 = true } }
        let transport = MemoryTransport(routes: [
            .get("/a", answer: .future { _ in promise })
        ])
        transport.send(HTTPRequest(.get, URL(string: "http://h/a")!)).cancel()
        #expect(cancelled.withLock { $0 })
    }
}

import Foundation
import Pledge
import PledgeTesting
import Testing

/// What a request chooses for itself, and what a client's classifier says.
@Suite struct RequestChoicesTests {
    private let scheduler = ManualScheduler()
    private let server = URL(string: "https://a.example")!
    private let sent = Locked<[HTTPRequest]>([])

    private func client(
        _ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 503)
        }
    ) -> HTTPClient {
        var client = HTTPClient(base: server) { [sent] request in
            sent.withLock { $0.append(request) }
            return Future(value: answer(request))
        }
        client.scheduler = scheduler
        client.random = .constant(0)
        return client
    }

    private func never() -> HTTPClient {
        let pending = Promise<HTTPResponse>()
        var client = HTTPClient(base: server) { [sent] request in
            sent.withLock { $0.append(request) }
            return pending
        }
        client.scheduler = scheduler
        client.retry = nil
        return client
    }

    private var count: Int { sent.withLock { $0.count } }

    private func get(_ change: (inout HTTPRequest.Context) -> Void = { _ in }) -> HTTPRequest {
        var request = HTTPRequest(server)
        change(&request.context)
        return request
    }

    private func error<Value>(of future: Future<Value>) -> (any Error)? {
        if case .failure(let error) = future.result { error } else { nil }
    }

    @Test func aRequestIsNotRepeatedIfItSaysSo() {
        let client = client()
        _ = client.futures.send(get { $0.skipsRetry = true })
        scheduler.run()
        #expect(count == 1)
        _ = client.futures.stream(get { $0.skipsRetry = true })
        scheduler.run()
        #expect(count == 2)
        _ = client.futures.send(get())
        scheduler.run()
        #expect(count == 5)
    }

    @Test func anEndpointSaysItAsWell() {
        var endpoint = Endpoint(path: "/a")
        endpoint.context.skipsRetry = true
        let client = client()
        _ = client.networking(endpoint)
        scheduler.run()
        #expect(count == 1)
    }

    @Test func aRequestIsNotHedgedIfItSaysSo() {
        var client = never()
        client.hedge = .perOrigin(Hedge(after: .milliseconds(5), maxExtraLoad: 1))
        _ = client.futures.send(get { $0.skipsHedge = true })
        scheduler.advance(by: .seconds(1))
        #expect(count == 1)
        _ = client.futures.send(get())
        scheduler.advance(by: .seconds(1))
        #expect(count == 3)
    }

    @Test func aRequestPassesAnOpenBreakerIfItSaysSo() {
        var client = client()
        client.retry = nil
        client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 2, lasting: .zero))
        for _ in 1...5 { _ = client.futures.send(get { $0.skipsCircuitBreaker = true }) }
        #expect(count == 5)
        for _ in 1...3 { _ = client.futures.send(get()) }
        #expect(count == 7)
        #expect((error(of: client.futures.send(get())) as? ServiceError)?.code == .circuitOpen)
        _ = client.futures.send(get { $0.skipsCircuitBreaker = true })
        #expect(count == 8)
    }

    @Test func aRequestHasItsOwnTimes() {
        let client = never()
        let times: [(HTTPRequest, seconds: Int)] = [
            (get(), 45), (get { $0.attemptTimeout = .seconds(2) }, 2),
            (get { $0.attemptTimeout = .seconds(60) }, 60),
            (get { $0.attemptTimeout = .seconds(120) }, 100),
            (get { $0.deadline = .seconds(3) }, 3),
            (
                get {
                    $0.attemptTimeout = .seconds(300)
                    $0.deadline = .seconds(120)
                }, 120
            ),
        ]
        for isStreamed in [false, true] {
            for (request, seconds) in times {
                let start = scheduler.now
                let ends = Locked<SchedulerInstant?>(nil)
                let note: @Sendable () -> Void = { [scheduler] in
                    ends.withLock { $0 = scheduler.now }
                }
                if isStreamed {
                    client.futures.stream(request).onFailure { _ in note() }
                } else {
                    client.futures.send(request).onFailure { _ in note() }
                }
                scheduler.advance(by: .seconds(400))
                #expect(ends.withLock { $0 } == start.advanced(by: .seconds(seconds)))
            }
        }
    }

    @Test func theTextOfAContextSaysWhatItChooses() {
        let request = get {
            $0.skipsRetry = true
            $0.skipsHedge = true
            $0.skipsCircuitBreaker = true
            $0.attemptTimeout = .seconds(1)
            $0.deadline = .seconds(2)
        }
        #expect(
            "\(request.context)"
                == "no retry, no hedge, no circuit breaker, an attempt timeout, a deadline")
        #expect("\(get().context)" == "")
    }

    #if os(macOS) || os(Linux)
    @Test func aSlotBelowZeroTraps() async {
        await #expect(processExitsWith: .failure) {
            var client = HTTPClient(base: nil) { _ in Future(value: HTTPResponse(status: 200)) }
            client.attemptTimeout = .seconds(-1)
            _ = client.futures.send
        }
        await #expect(processExitsWith: .failure) {
            var client = HTTPClient(base: nil) { _ in Future(value: HTTPResponse(status: 200)) }
            client.deadline = .seconds(-1)
            _ = client.futures.send
        }
    }
    #endif

    @Test func aTimeBelowZeroIsZero() {
        let client = never()
        let call = client.futures.send(get { $0.deadline = .seconds(-1) })
        #expect((error(of: call) as? ServiceError)?.code == .deadlineExceeded)
        #expect(count == 0)
    }

    /// GitHub answers 403, and says when to come again.
    @Test func theClassifierMakesAnAnswerRepeatable() throws {
        var client = client { [scheduler] _ in
            scheduler.now.offset < .seconds(5)
                ? HTTPResponse(status: 403, headers: ["X-RateLimit-Remaining": "0"])
                : HTTPResponse(status: 200)
        }
        _ = client.futures.send(get())
        scheduler.advance(by: .seconds(1))
        #expect(count == 1)
        client.classifier = { end in
            guard case .success(let response) = end, response.status == 403,
                response.headers["X-RateLimit-Remaining"] == "0"
            else { return nil }
            return .retryable(after: .seconds(5), fault: .caller)
        }
        let calls = [client.futures.send(get())]
        let streamed = client.futures.stream(get())
        scheduler.run()
        #expect(try calls[0].settledValue().status == 200)
        #expect(try streamed.settledValue().status == 200)
        #expect(count == 1 + 2 + 2)
    }

    @Test func theClassifierKeepsTheBreakerClosed() {
        var client = client()
        client.retry = nil
        client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 2, lasting: .zero))
        client.classifier = { _ in .rejection }
        for _ in 1...9 { _ = client.futures.send(get()) }
        #expect(count == 9)
    }

    @Test func theStandardRulesHoldWhereAClassifierSaysNothing() {
        var client = client()
        client.classifier = { _ in nil }
        _ = client.futures.send(get())
        scheduler.run()
        #expect(count == 3)
    }

    @Test func aServersWaitHoldsBackTheOtherCallsByChoice() throws {
        for holds in [false, true] {
            let start = count
            var client = client { [scheduler] request in
                request.url.path == "/busy" && scheduler.now.offset < .seconds(2)
                    ? HTTPResponse(status: 429, headers: ["Retry-After": "2"])
                    : HTTPResponse(status: 200)
            }
            let clock = ManualScheduler()
            client.scheduler = clock
            client.retry = .init(attempts: 1)
            client.pushback = holds ? .perOrigin(Pushback()) : nil
            _ = client.futures.send(HTTPRequest(server.appending(path: "busy")))
            let other = client.futures.send(get())
            #expect(other.isSettled != holds)
            let elsewhere = client.futures.send(HTTPRequest(URL(string: "https://b.example")!))
            #expect(elsewhere.isSettled)
            clock.run()
            #expect(try other.settledValue().status == 200)
            #expect(count - start == 3)
        }
    }

    @Test func theNumberOfTheAttemptIsSentByChoice() {
        var client = client()
        client.attemptHeader = "X-Attempt"
        _ = client.futures.send(get())
        scheduler.run()
        #expect(sent.withLock { $0.map { $0.headers["X-Attempt"] } } == ["1", "2", "3"])
    }

    @Test func aHeaderChoosesTheFault() throws {
        let chaos = ChaosSwitch(isOn: true)
        var client = client { _ in HTTPResponse(status: 200) }
        client.aroundExchange = .chaos(byHeader: "X-Chaos", sharing: chaos, on: scheduler)
        client.retry = nil
        var endpoint = Endpoint(path: "/a", headers: ["X-Chaos": "delay=200, status=503"])
        let failed = client.networking(endpoint)
        #expect(!failed.isSettled)
        scheduler.advance(by: .milliseconds(200))
        #expect((error(of: failed) as? HTTPError)?.status == 503)
        #expect(count == 0)
        endpoint.headers["X-Chaos"] = "delay=10"
        let late = client.networking(endpoint)
        scheduler.advance(by: .milliseconds(10))
        #expect(try late.settledValue().isEmpty)
        for wrong in ["", "status=200", "delay=-1", "delay=1,delay=2", "x", "status=٥٠٣"] {
            endpoint.headers["X-Chaos"] = wrong
            let call = error(of: client.networking(endpoint)) as? HTTPError
            #expect(
                call?.code == .requestNotPrepared && call?.cause is ChaosHeaderError, "\(wrong)")
        }
        chaos.isOn = false
        endpoint.headers["X-Chaos"] = "status=503"
        #expect(try client.networking(endpoint).settledValue().isEmpty)
        #expect(sent.withLock { $0.allSatisfy { $0.headers["X-Chaos"] == nil } })
        #expect(count == 2)
    }
}

/// The slots `attemptTimeout` and `deadline`.
@Suite struct TimeoutSlotsTests {
    private let scheduler = ManualScheduler()
    private let server = URL(string: "https://api.example.com/files")!

    /// How long a request with a body may take that is never answered, in seconds; nil if it does not end in an hour.
    private func limit(
        of body: HTTPRequest.Body, _ change: (inout HTTPClient) -> Void = { _ in }
    ) -> Int? {
        let pending = Promise<HTTPResponse>()
        var client = HTTPClient(base: server) { _ in pending }
        client.scheduler = scheduler
        client.retry = nil
        client.deadline = nil
        change(&client)
        let response = client.futures.send(HTTPRequest(.put, server, body: body))
        for second in 1...3_600 {
            scheduler.advance(by: .seconds(1))
            if response.isSettled { return second }
        }
        return nil
    }

    private let data = HTTPRequest.Body.data(Data(repeating: 7, count: 100_000))
    private let file = HTTPRequest.Body.file(
        URL(fileURLWithPath: "/tmp/a"), contentType: "text/plain")
    private let stream = HTTPRequest.Body.stream(
        HTTPRequest.BodySource(length: nil, isReplayable: true) { HTTPBodyStream(Data()) })

    @Test func aBodyInMemoryHasTheTimeOfAnAttempt() {
        #expect(limit(of: data) == 45)
        #expect(limit(of: data) { $0.attemptTimeout = .seconds(5) } == 5)
        #expect(limit(of: data) { $0.attemptTimeout = nil } == nil)
    }

    @Test func anUploadThroughAFunctionIsTakenToMove() {
        for body in [file, stream] {
            #expect(limit(of: body) == nil)
            #expect(limit(of: body) { $0.attemptTimeout = .seconds(5) } == nil)
            #expect(limit(of: body) { $0.deadline = .seconds(100) } == nil)
        }
        #expect(limit(of: data) { $0.deadline = .seconds(20) } == 20)
    }

    /// With all defaults.
    private func seconds(of client: HTTPClient, _ request: HTTPRequest) -> (Int?, Bool) {
        let response = client.futures.send(request)
        for second in 1...7_200 {
            scheduler.advance(by: .seconds(1))
            if let result = response.result {
                if case .success(let answer) = result { return (second, answer.status == 200) }
                return (second, false)
            }
        }
        return (nil, false)
    }

    private func client(
        answering answer: @escaping @Sendable (HTTPRequest) -> Future<HTTPResponse>
    ) -> HTTPClient {
        var client = HTTPClient(base: server, over: answer)
        client.scheduler = scheduler
        client.random = .seeded(1)
        return client
    }

    @Test func aHangEndsAtTheDeadline() {
        let pending = Promise<HTTPResponse>()
        #expect(seconds(of: client { _ in pending }, HTTPRequest(.get, server)) == (100, false))
    }

    @Test func slowRefusalsThatAskForAWaitEndAtTheDeadline() {
        let scheduler = scheduler
        let busy = client { _ in
            Future(value: HTTPResponse(status: 503, headers: ["Retry-After": "9"]))
                .delay(.seconds(29), on: scheduler)
        }
        #expect(seconds(of: busy, HTTPRequest(.get, server)).0 ?? 0 <= 100)
        let patient = client { _ in
            Future(value: HTTPResponse(status: 503, headers: ["Retry-After": "11"]))
        }
        // It asks for more than ten seconds, and its answer is returned.
        #expect(seconds(of: patient, HTTPRequest(.get, server)).0 == 1)
    }

    /// Memory reads the stream to its end, here for ten minutes.
    @Test func anUploadOfTenMinutesSucceedsWithAllDefaults() {
        let scheduler = scheduler
        let memory = MemoryTransport(
            routes: [.any("/files", answer: .text("ok"))], on: scheduler)
        var client = HTTPClient(base: server, over: memory)
        client.scheduler = scheduler
        let source = HTTPRequest.BodySource(length: nil, isReplayable: false) {
            let left = Locked(60)
            let next: @Sendable () throws -> Future<Data?> = {
                let isLast = left.withLock { left in
                    left -= 1
                    return left < 0
                }
                return Future(value: isLast ? nil : Data(repeating: 1, count: 9))
                    .delay(.seconds(10), on: scheduler)
            }
            return HTTPBodyStream(next: next)
        }
        let (time, isSuccess) = seconds(
            of: client, HTTPRequest(.put, server, body: .stream(source)))
        #expect(isSuccess)
        #expect(time ?? 0 > 600)
    }

    /// The time after the body counts.
    @Test func aServerThatDoesNotAnswerAnUploadEndsIt() {
        let record = CallRecord()
        let clock = scheduler
        let pending = Promise<Int>()
        let load = stack(
            .timeout(.seconds(30), on: clock),
            over: { (_: Int) -> Future<Int> in
                let record = CallContext.current.record
                record?.beginPause(.upload, isOngoing: false, on: clock)
                for second in 1...40 {
                    clock.schedule(after: .seconds(second)) { record?.noteProgress(of: .upload) }
                }
                return pending
            })
        let call = CallContext.current.with(record: record).run { load(1) }
        scheduler.advance(by: .seconds(69))
        #expect(!call.isSettled)
        scheduler.advance(by: .seconds(1))
        #expect(call.isSettled)
    }
}

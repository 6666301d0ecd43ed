import Foundation
import Pledge
import PledgeTesting
import Testing

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
        let response = client.send(HTTPRequest(.put, server, body: body))
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
        #expect(limit(of: data) == 30)
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
        let response = client.send(request)
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

    @Test func aHangEndsAfterAMinute() {
        let pending = Promise<HTTPResponse>()
        #expect(seconds(of: client { _ in pending }, HTTPRequest(.get, server)) == (60, false))
    }

    @Test func slowRefusalsThatAskForAWaitEndAfterAMinute() {
        let scheduler = scheduler
        let busy = client { _ in
            Future(value: HTTPResponse(status: 503, headers: ["Retry-After": "9"]))
                .delay(.seconds(29), on: scheduler)
        }
        #expect(seconds(of: busy, HTTPRequest(.get, server)).0 ?? 0 <= 60)
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
                record?.begin(.upload, isOngoing: false, on: clock)
                for second in 1...40 {
                    clock.schedule(after: .seconds(second)) { record?.touch(.upload) }
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

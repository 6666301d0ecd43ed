import Foundation
import Pledge
import PledgeTesting
import Testing

/// The slots `attemptTimeout` and `uploadTimeout`.
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
        #expect(limit(of: data) { $0.uploadTimeout = .seconds(5) } == 30)
    }

    @Test func anUploadHasALimitOfItsOwnAndNoneAtFirst() {
        for body in [file, stream] {
            #expect(limit(of: body) == nil)
            #expect(limit(of: body) { $0.attemptTimeout = .seconds(5) } == nil)
            #expect(limit(of: body) { $0.uploadTimeout = .seconds(600) } == 600)
        }
    }

    @Test func aDeadlineLimitsUploadsToo() {
        #expect(limit(of: file) { $0.deadline = .seconds(100) } == 100)
    }

    @Test func bothCanBeTurnedOff() {
        #expect(limit(of: data) { $0.attemptTimeout = nil } == nil)
        #expect(
            limit(of: file) {
                $0.attemptTimeout = nil
                $0.uploadTimeout = .seconds(7)
            } == 7)
    }
}

import Foundation
import PledgeFutures
import PledgeServices
import Testing

@testable import struct PledgeServices.TracePageData

@Suite struct TracePageDataTests {
    /// A call in the form that the page's script reads.
    struct Call: Decodable {
        let number: UInt64
        let name: String
        let start: Double
        let end: Double
        let dropped: Int
        let rows: [Row]
    }

    struct Row: Decodable, Equatable {
        var depth: Int
        var name: String?
        var event: String?
        var attempt: Int?
        var start: Double
        var end: Double?
        var outcome: String?
        var policy: String
        var facts: [[String]] = []
    }

    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    func calls() throws -> [Call] {
        try JSONDecoder().decode(
            [Call].self, from: Data(TracePageData(of: recorder.calls).json.utf8))
    }

    @Test func aRetryIsSpansAndAMark() throws {
        scheduler.advance(by: .seconds(1_000_000))
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .nanoseconds(30_001))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(backoff: .constant(.milliseconds(10)), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        let call = try #require(try calls().first)
        #expect(call.number == recorder.lastCall?.number)
        #expect(call.name == "load")
        #expect(call.dropped == 0)
        #expect((call.start, call.end) == (0, 20.030001))
        let error = [["error", "Telling"], ["code", "denied"]]
        #expect(
            call.rows == [
                Row(
                    depth: 0, name: "load", attempt: 1, start: 0, end: 20.030001,
                    outcome: "success", policy: "observed"),
                Row(
                    depth: 1, name: "attempt 1", attempt: 1, start: 0, end: 10,
                    outcome: "retryable", policy: "retry", facts: error),
                Row(
                    depth: 1, event: "retrying", start: 10, policy: "retry",
                    facts: [["after_ms", "10"]] + error),
                Row(
                    depth: 1, name: "attempt 2", attempt: 2, start: 20, end: 20.030001,
                    outcome: "success", policy: "retry"),
            ])
    }

    @Test func whatGoesOnHasNeitherEndNorOutcome() throws {
        recorder.observer.receive(.made(.began(name: "load")))
        let row = try #require(try calls().first?.rows.first)
        #expect(row.end == nil)
        #expect(row.outcome == nil)
    }

    @Test func callsAreOnOneClock() throws {
        for call in 1...2 {
            recorder.observer.receive(
                .made(.began(name: "load"), at: call * 50, call: UInt64(call)))
        }
        #expect(try calls().map(\.start) == [0, 50])
    }

    @Test func whatWasNotKeptIsCounted() throws {
        let recorder = CallRecorder(eventsPerCall: 1)
        for event: PolicyEvent in [.made(.began(name: "load")), .made(.hit), .made(.hit)] {
            recorder.observer.receive(event)
        }
        #expect(TracePageData(of: recorder.calls).json.contains(#""dropped":2,"#))
    }

    @Test func everyEventIsSomeHundredBytes() {
        let recorder = CallRecorder(calls: 1, eventsPerCall: 10_000)
        recorder.observer.receive(.made(.began(name: "load")))
        for span in 2...10_000 {
            let name = "attempt \(span)"
            recorder.observer.receive(.made(.began(name: name), by: "retry", span: span, in: 1))
            recorder.observer.receive(.made(.ended(), by: "retry", at: span, span: span, in: 1))
        }
        let count = TracePageData(of: recorder.calls).json.utf8.count
        #expect(count < 150 * 10_000, "\(count) bytes")
    }
}

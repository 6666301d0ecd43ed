import Foundation
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeObservation
@testable import PledgeServices

@Suite struct ChromeTraceTests {
    struct File: Decodable {
        let traceEvents: [ChromeTraceEvent]
        let displayTimeUnit: String
    }

    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    func events(_ json: String) throws -> [ChromeTraceEvent] {
        let file = try JSONDecoder().decode(File.self, from: Data(json.utf8))
        #expect(file.displayTimeUnit == "ms")
        for event in file.traceEvents {
            #expect(["X", "i", "M"].contains(event.ph))
            #expect((event.dur != nil) == (event.ph == "X"))
            #expect(event.ts >= 0)
        }
        return file.traceEvents
    }

    @Test func aRetryIsSpansAndAMarkInATrace() throws {
        scheduler.advance(by: .seconds(1_000_000))
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .nanoseconds(30_001))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(Retry(backoff: .constant(.milliseconds(10))), on: scheduler), over: upstream.send
        )(1)
        scheduler.run()
        let call = try #require(recorder.lastCall)
        let all = try events(call.chromeTrace)
        let spans = all.filter { $0.ph == "X" }
        #expect(spans.map(\.name) == ["load", "attempt 1", "attempt 2"])
        #expect(spans.map(\.cat) == ["observed", "retry", "retry"])
        #expect(spans.map(\.ts) == [0, 0, 20_000])
        #expect(spans.map(\.dur) == [20_030.001, 10_000, 30.001])
        #expect(Set(all.map(\.pid)) == [1])
        #expect(Set(spans.map(\.tid)) == [1])
        #expect(
            spans[1].arguments == [
                "span": "2", "parent": "1", "attempt": "1", "outcome": "retryable",
                "error": "Telling", "code": "denied",
            ])
        let mark = try #require(all.first { $0.ph == "i" })
        #expect(mark.name == "retrying")
        #expect(mark.ts == 10_000)
        #expect(mark.arguments["after_ms"] == "10")
        let process = try #require(all.first { $0.name == "process_name" })
        #expect(process.arguments["name"] == "call \(call.number): load")
    }

    @Test func overlappingSpansAreOnSeveralThreadsOfATrace() throws {
        for event: PolicyEvent in [
            .made(.began(name: "load")), .made(.began(name: "call 1"), by: "hedge", span: 2, in: 1),
            .made(.began(name: "call 2"), by: "hedge", at: 20, span: 3, in: 1),
            .made(.hit, by: "hedge", at: 25, span: 3, in: 1),
            .made(.ended(), by: "hedge", at: 40, span: 3, in: 1),
        ] { recorder.observer.receive(event) }
        let all = try events(try #require(recorder.lastCall).chromeTrace)
        #expect(all.filter { $0.ph == "X" }.map(\.tid) == [1, 1, 2])
        #expect(all.filter { $0.ph == "i" }.map(\.tid) == [2])
        #expect(
            all.filter { $0.name == "thread_name" }.map { $0.arguments["name"] }
                == ["lane 1", "lane 2"])
        #expect(
            all.filter { $0.ph == "X" }.map { $0.arguments["unfinished"] } == ["true", "true", nil])
    }

    @Test func callsAreProcessesOnOneClockInATrace() throws {
        let service = stack(
            .observed(by: recorder.observer, on: scheduler, named: { "\($0.number)" }),
            over: Upstream(on: scheduler, [.value(1), .value(2)]).send)
        for number in [1, 2] {
            _ = service(Ask(number))
            scheduler.advance(by: .milliseconds(50))
        }
        let spans = try events(recorder.chromeTrace).filter { $0.ph == "X" }
        #expect(spans.map(\.pid) == [1, 2])
        #expect(spans.map(\.ts) == [0, 50_000])
    }

    @Test func aTraceOfNothingIsAnEmptyList() throws {
        #expect(try events(recorder.chromeTrace).isEmpty)
    }

    @Test func aTraceEscapesNames() throws {
        let nasty = PolicyEvent.Kind.nasty
        recorder.observer.receive(.made(.began(name: nasty)))
        for (index, kind) in PolicyEvent.Kind.every.enumerated() {
            recorder.observer.receive(.made(kind, by: nasty, at: index))
        }
        let json = try #require(recorder.lastCall).chromeTrace
        let all = try events(json)
        #expect(all.contains { $0.ph == "X" && $0.name == nasty })
        #expect(all.contains { $0.cat == nasty && $0.arguments["text"] == nasty })
        #expect(!json.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
        #expect(!json.contains("s3cret"))
    }
}

@Suite struct TraceLanesTests {
    func call(_ spans: [(number: Int, parent: Int?, start: Int, end: Int?)]) -> RecordedCall {
        var call = RecordedCall(number: 1)
        for span in spans {
            call.add(
                RecordedEvent(
                    .made(.began(name: ""), at: span.start, span: span.number, in: span.parent)),
                limit: .max)
            guard let end = span.end else { continue }
            call.add(RecordedEvent(.made(.ended(), at: end, span: span.number)), limit: .max)
        }
        return call
    }

    func lanes(_ spans: [(number: Int, parent: Int?, start: Int, end: Int?)]) -> [Int?] {
        let lanes = TraceLanes(of: call(spans))
        return spans.map { lanes.lane[$0.number] }
    }

    @Test func spansOneAfterTheOtherShareALane() {
        #expect(
            lanes([(1, nil, 0, 50), (2, 1, 0, 10), (3, 1, 20, 50), (4, 3, 25, 50)])
                == [1, 1, 1, 1])
    }

    @Test func spansThatOverlapShareNoLane() {
        #expect(
            lanes([(1, nil, 0, 50), (2, 1, 0, 40), (3, 1, 20, 50), (4, 3, 25, 45), (5, 1, 45, 50)])
                == [1, 1, 2, 2, 1])
    }

    /// A hedge within the time of the first call is not nested in that call.
    @Test func aSpanWithinASiblingIsInAnotherLane() {
        #expect(lanes([(1, nil, 0, 50), (2, 1, 0, 50), (3, 1, 20, 30)]) == [1, 1, 2])
    }

    @Test func aSpanThatOutlivesItsParentIsInAnotherLane() {
        #expect(lanes([(1, nil, 0, 50), (2, 1, 10, 60), (3, 1, 55, 58)]) == [1, 2, 3])
    }

    @Test func momentsAndUnfinishedSpansHaveALaneInATrace() {
        #expect(lanes([(1, nil, 5, 5), (2, 1, 5, 5), (3, 2, 5, 5)]) == [1, 1, 1])
        #expect(lanes([(1, nil, 0, nil), (2, 1, 1, nil), (3, 1, 2, 4)]) == [1, 1, 2])
    }

    /// However spans overlap, two spans in one lane are nested or disjoint.
    @Test func noTwoSpansOfATracesLaneCross() throws {
        for seed in 0..<300 as Range<UInt64> {
            var chance = SeededGenerator(seed: seed)
            var spans: [(number: Int, parent: Int?, start: Int, end: Int?)] = [(1, nil, 0, 100)]
            for number in 2...Int.random(in: 2...20, using: &chance) {
                let parent = spans.randomElement(using: &chance)!
                let start = Int.random(in: parent.start...100, using: &chance)
                let end = Int.random(in: start...100, using: &chance)
                spans.append(
                    (number, parent.number, start, Bool.random(using: &chance) ? end : nil))
            }
            let lanes = try lanes(spans).map { try #require($0) }
            for first in spans.indices {
                for second in spans.indices where first < second && lanes[first] == lanes[second] {
                    let (a, b) = (spans[first], spans[second])
                    let (aEnd, bEnd) = (a.end ?? 100, b.end ?? 100)
                    let areApart = aEnd <= b.start || bEnd <= a.start
                    let areNested =
                        (a.start <= b.start && bEnd <= aEnd) || (b.start <= a.start && aEnd <= bEnd)
                    #expect(areApart || areNested, "seed \(seed): \(a) and \(b)")
                }
            }
        }
    }
}

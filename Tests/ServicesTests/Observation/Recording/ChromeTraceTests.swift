import Foundation
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

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

    @Test func aRetryIsSpansAndAMark() throws {
        scheduler.advance(by: .seconds(1_000_000))
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .nanoseconds(30_001))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(backoff: .constant(.milliseconds(10)), on: scheduler), over: upstream.send)(1)
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

    @Test func overlappingSpansAreOnSeveralThreads() throws {
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

    @Test func callsAreProcessesOnOneClock() throws {
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

    @Test func ofNothingItIsAnEmptyList() throws {
        #expect(try events(recorder.chromeTrace).isEmpty)
    }

    @Test func namesAreEscaped() throws {
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

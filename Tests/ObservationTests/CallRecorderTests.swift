import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeObservation
@testable import PledgeServices

@Suite(.oneAtATime) struct CallRecorderTests {
    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    /// An error whose lifetime shows whether it is kept.
    struct Heavy: Error {
        let luggage: Luggage
    }

    @Test func aRecorderKeepsACallThatIsOver() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { "ask \($0.number)" }),
            over: upstream.send)(3)
        #expect(recorder.calls.map(\.isOver) == [false])
        scheduler.run()
        let call = try #require(recorder.lastCall)
        #expect(call.isOver)
        #expect(call.name == "ask 3")
        #expect(call.eventsDropped == 0)
    }

    @Test func aRecorderKeepsNeitherInputsNorErrors() {
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let service = stack(
                .observed(by: recorder.observer, on: scheduler),
                .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler),
                over: { (ask: Ask) in Future<Int>(error: Heavy(luggage: held)) })
            _ = service(Ask(1, luggage: held))
        }
        #expect(recorder.lastCall?.isOver == true)
        #expect(luggage == nil)
    }

    @Test func aRecorderKeepsTheLastCalls() {
        let recorder = CallRecorder(calls: 2)
        let service = stack(
            .observed(by: recorder.observer, named: { "\($0.number)" }),
            over: { (ask: Ask) in Future(value: 1) })
        for number in 1...5 { _ = service(Ask(number)) }
        #expect(recorder.calls.map(\.name) == ["4", "5"])
        recorder.removeAll()
        #expect(recorder.calls.isEmpty)
        #expect(recorder.lastCall == nil)
    }

    @Test func theTraceIsToldToObserversAndShownByARecorder() throws {
        let seen = TestLog<TraceContext?>()
        let service = stack(
            .observed(by: recorder.observer, on: scheduler), .newTrace(),
            over: { (_: Int) in
                seen.append(CallContext.current.traceContext)
                return Future(value: 1)
            })
        _ = service(1)
        let trace = try #require(seen.elements.first ?? nil)
        let drawn = try #require(recorder.lastCall).waterfall(width: 10)
        #expect(drawn.contains("trace_id=\(trace.traceID) span_id=\(trace.spanID)\n"))
        let json = recorder.chromeTrace
        #expect(json.contains(#""trace_id":"\#(trace.traceID)""#))
    }

    @Test func metricsRecorderAndLogOfOneObserverSeeTheSameCall() throws {
        let upstream = Upstream(on: scheduler, [.broken, .value(7)])
        let (metrics, recorder, log) = (ServiceMetrics(), CallRecorder(), Locked<[String]>([]))
        let observer = ServiceObserver(combining: [
            metrics.observer, recorder.observer,
            .logging { line in log.withLock { $0.append(line) } },
        ])
        _ = stack(
            .observed(by: observer, on: scheduler),
            .retry(Retry(backoff: .constant(.zero)), on: scheduler), over: upstream.send)(1)
        scheduler.run()
        #expect(metrics.prometheusText.contains("pledge_call_duration_seconds_count"))
        let call = try #require(recorder.lastCall)
        #expect(call.isOver)
        #expect(log.withLock { $0.count } == 7)
        #expect(log.withLock { $0 }.allSatisfy { $0.hasPrefix("call=\(call.number) ") })
    }

    @Test func aRecorderHearsACallThatIsObservedFurtherOut() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        let outer = TestLog<PolicyEvent>()
        _ = stack(
            .observed(by: outer.observer, on: scheduler),
            .observed(by: recorder.observer, named: { _ in "inner" }), over: upstream.send)(3)
        scheduler.run()
        let call = try #require(recorder.lastCall)
        #expect(call.name == "inner")
        #expect(call.isOver)
    }

    @Test func aRecorderThatIsNamedTwiceShowsEachSpanOnce() throws {
        let upstream = Upstream(on: scheduler, [.value(7)])
        _ = stack(
            .observed(by: recorder.observer, recorder.observer, on: scheduler),
            over: upstream.send)(3)
        scheduler.run()
        #expect(try #require(recorder.lastCall).waterfall().split(separator: "\n").count == 2)
    }

    @Test func aRecorderCutsLongNames() throws {
        let name = String(repeating: "x", count: 10_000)
        recorder.observer.receive(.made(.began(name: name)))
        #expect(try #require(recorder.lastCall).name.count == 201)
    }

    @Test func threadsMayShareARecorder() async {
        let recorder = CallRecorder(calls: 50, eventsPerCall: 5)
        let service = stack(
            .observed(by: recorder.observer),
            .retry(Retry(backoff: .constant(.zero)), budget: .unlimited),
            over: { (ask: Ask) in Future<Int>(error: Broken()) })
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        _ = service(Ask(number))
                        if number % 50 == 0 { _ = recorder.chromeTrace }
                    }
                }
            }
        }
        #expect(recorder.calls.count == 50)
        // The events are a call, three attempts, two retries and one withheld retry.
        #expect(recorder.calls.allSatisfy { $0.eventsDropped == 2 })
    }

    #if os(macOS) || os(Linux)
    @Test func aRecorderOfNoCallTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CallRecorder(calls: 0) }
        expectTrap("a recorder keeps 1 call or more, not 0", in: result)
    }

    @Test func aRecorderOfNoEventTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = CallRecorder(eventsPerCall: 0) }
        expectTrap("a recorder keeps 1 event of a call or more, not 0", in: result)
    }
    #endif
}

@Suite struct RecordedCallTests {
    func call(_ events: [PolicyEvent], limit: Int = 100) -> RecordedCall {
        var call = RecordedCall(number: 1)
        for event in events { call.add(RecordedEvent(event), limit: limit) }
        return call
    }

    @Test func aRecordedSpanHasABeginningAndAnEnd() {
        let call = call([
            .made(.began(name: "load"), at: 5), .made(.began(name: "attempt 1"), span: 2, in: 1),
            .made(.ended(.failure), at: 9, span: 2, in: 1),
        ])
        #expect(call.name == "load")
        #expect(!call.isOver)
        #expect(call.spans.map(\.end?.offset) == [nil, .milliseconds(9)])
        #expect(call.spans.map(\.parent) == [nil, 1])
        #expect(call.span(2)?.outcome == "failure")
    }

    @Test func aRecordedCallIgnoresEventsHeardTwiceAndEndsThatNeverBegan() {
        let call = call([
            .made(.ended(.failure)), .made(.began(name: "load"), at: 1),
            .made(.began(name: "again"), at: 2), .made(.ended(.success), at: 3),
            .made(.ended(.failure), at: 4), .made(.ended(.failure), at: 4, span: 9),
        ])
        #expect(call.spans.count == 1)
        #expect(call.name == "load")
        #expect(call.spans[0].start.offset == .milliseconds(1))
        #expect(call.spans[0].end?.offset == .milliseconds(3))
        #expect(call.spans[0].outcome == "success")
    }

    @Test func aRecordedCallBeyondItsLimitCountsEventsAndStillTakesEnds() {
        let call = call(
            [.made(.began(name: "load")), .made(.hit)]
                + (2...9).map { .made(.began(name: "attempt \($0)"), span: $0, in: 1) }
                + [.made(.miss), .made(.ended(.success), at: 7)],
            limit: 3)
        #expect(call.spans.map(\.number) == [1, 2])
        #expect(call.marks.map(\.word) == ["hit"])
        #expect(call.eventsDropped == 8)
        #expect(call.spans[0].end?.offset == .milliseconds(7))
    }

    @Test func aRecordedSpanThatEndsBeforeItBeginsEndsAtItsBeginning() {
        let call = call([.made(.began(name: "load"), at: 5), .made(.ended(), at: 3)])
        #expect(call.spans[0].end == call.spans[0].start)
    }

    @Test func theRowsOfARecordedCallAreItsTreeInOrderOfTime() {
        let call = call([
            .made(.began(name: "a"), at: 0), .made(.began(name: "c"), at: 20, span: 3, in: 1),
            .made(.began(name: "b"), at: 10, span: 2, in: 1),
            .made(.hit, at: 15, span: 1), .made(.began(name: "d"), at: 30, span: 4, in: 2),
            .made(.miss, at: 25, span: 77), .made(.began(name: "e"), at: 1, span: 5, in: 88),
        ])
        let rows = call.rows.map { row in
            switch row.content {
            case .span(let span): "\(row.depth) \(span.name)"
            case .mark(let mark): "\(row.depth) \(mark.word)"
            }
        }
        #expect(rows == ["0 a", "1 b", "2 d", "1 hit", "1 c", "0 e", "0 miss"])
    }

    @Test func aRecordedCallShowsSpansThatAreTheirOwnAncestors() {
        let call = call([
            .made(.began(name: "a"), span: 1, in: 1), .made(.began(name: "b"), span: 2, in: 3),
            .made(.began(name: "c"), span: 3, in: 2),
        ])
        #expect(call.rows.count == 3)
    }

    @Test func deeplyNestedSpansOfARecordedCallNeedNoDeepStack() {
        let call = call(
            (1...20_000).map { .made(.began(name: "\($0)"), span: $0, in: $0 - 1) },
            limit: 20_000)
        #expect(call.rows.map(\.depth) == Array(0..<20_000))
    }
}

@Suite struct RecordedCallsTests {
    func began(_ call: UInt64) -> RecordedEvent {
        RecordedEvent(.made(.began(name: "\(call)"), call: call))
    }

    @Test func theOldestRecordedCallMakesRoom() {
        var calls = RecordedCalls(callLimit: 3, eventLimit: 10)
        #expect(calls.last == nil)
        for call in 1...7 as ClosedRange<UInt64> {
            calls.add(began(call))
            #expect(calls.last?.number == call)
            #expect(calls.count == min(Int(call), 3))
            #expect(
                calls.all.map(\.number)
                    == Array(max(1, Int64(call) - 2)...Int64(call)).map(UInt64.init))
        }
    }

    @Test func aRecordedCallThatMadeRoomDoesNotComeBack() {
        var calls = RecordedCalls(callLimit: 1, eventLimit: 10)
        calls.add(began(1))
        calls.add(began(2))
        calls.add(RecordedEvent(.made(.ended(), call: 1)))
        calls.add(RecordedEvent(.made(.hit, call: 1)))
        calls.add(RecordedEvent(.made(.began(name: "attempt 2"), by: "retry", call: 1, span: 3)))
        #expect(calls.all.map(\.number) == [2])
    }

    @Test func nothingIsLeftOfRecordedCallsThatAreForgotten() {
        var calls = RecordedCalls(callLimit: 2, eventLimit: 10)
        for call in 1...3 as ClosedRange<UInt64> { calls.add(began(call)) }
        calls.removeAll()
        #expect(calls.all.isEmpty)
        #expect(calls.last == nil)
        calls.add(began(9))
        #expect(calls.all.map(\.number) == [9])
    }

    @Test func aLongTextIsCutAtACharacterWithAnEllipsis() {
        #expect("abc".cut(to: 3) == "abc")
        #expect("abcd".cut(to: 3) == "abc…")
        #expect("日本".cut(to: 2) == "日本")
        #expect("日本語".cut(to: 2) == "日本…")
        #expect("".cut(to: 0) == "")
        let stacked = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(stacked.count == 1)
        #expect(stacked.cut(to: 10).unicodeScalars.count == 11)
    }

    /// Compared with a list of calls, event by event.
    @Test func recordedCallsAgreeWithAnOracle() {
        var chance = SeededGenerator(seed: 11)
        for limit in 1...5 {
            var calls = RecordedCalls(callLimit: limit, eventLimit: 4)
            var expected: [(call: UInt64, marks: Int)] = []
            for next in 1...200 as ClosedRange<UInt64> {
                if Bool.random(using: &chance) || expected.isEmpty {
                    calls.add(began(next))
                    expected.append((next, 0))
                    if expected.count > limit { expected.removeFirst() }
                } else {
                    let call = UInt64.random(in: 1...next, using: &chance)
                    calls.add(RecordedEvent(.made(.hit, call: call)))
                    if let index = expected.firstIndex(where: { $0.call == call }) {
                        expected[index].marks += 1
                    }
                }
                #expect(calls.all.map(\.number) == expected.map(\.call))
                #expect(calls.all.map(\.marks.count) == expected.map { min($0.marks, 3) })
                #expect(calls.all.map(\.eventsDropped) == expected.map { max($0.marks - 3, 0) })
            }
        }
    }
}

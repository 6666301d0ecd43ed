import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeObservation
@testable import PledgeServices

@Suite(.oneAtATime) struct WaterfallTests {
    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    func waterfall(_ events: [PolicyEvent], width: Int = 20) -> String {
        for event in events { recorder.observer.receive(event) }
        return recorder.lastCall?.waterfall(width: width) ?? "nothing"
    }

    @Test func aWaterfallShowsARetryBesideItsWait() {
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .milliseconds(30))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(Retry(backoff: .constant(.milliseconds(10))), on: scheduler), over: upstream.send
        )(1)
        scheduler.run()
        #expect(
            recorder.lastCall?.waterfall(width: 20) == """
                              0.0 ms       50.0 ms     start     took
                load         |====================|   0.0 ms  50.0 ms  success
                  attempt 1  |xxxx                |   0.0 ms  10.0 ms  retryable error=Telling \
                code=denied
                  * retrying |    *               |  10.0 ms           after_ms=10 error=Telling \
                code=denied
                  attempt 2  |        ============|  20.0 ms  30.0 ms  success

                """)
    }

    @Test func hedgesOverlapInAWaterfall() {
        #expect(
            waterfall([
                .made(.began(name: "load")),
                .made(.began(name: "call 1"), by: "hedge", span: 2, in: 1),
                .made(.hedged(after: .milliseconds(20)), by: "hedge", at: 20),
                .made(.began(name: "call 2"), by: "hedge", at: 20, span: 3, in: 1),
                .made(.ended(.success), by: "hedge", at: 40, span: 3, in: 1),
                .made(.hedgeWon(number: 2), by: "hedge", at: 40),
                .made(
                    .ended(.ignorable, latency: .zero, error: CancellationError()), by: "hedge",
                    at: 40, span: 2, in: 1),
                .made(.ended(.success), at: 40),
            ]) == """
                               0.0 ms       40.0 ms     start     took
                load          |====================|   0.0 ms  40.0 ms  success
                  call 1      |--------------------|   0.0 ms  40.0 ms  ignorable \
                error=CancellationError
                  * hedged    |          *         |  20.0 ms           after_ms=20
                  call 2      |          ==========|  20.0 ms  20.0 ms  success
                  * hedge_won |                   *|  40.0 ms           number=2

                """)
    }

    @Test func aSpanThatGoesOnIsUnfinishedInAWaterfall() {
        #expect(
            waterfall(
                [
                    .made(.began(name: "load"), at: 100),
                    .made(.timedOut(after: .seconds(1)), at: 110),
                    .made(.began(name: "attempt"), at: 105, span: 2, in: 1),
                ], width: 10) == """
                                      10.0 ms     start  took
                    load          |>>>>>>>>>>|   0.0 ms        unfinished
                      attempt     |     >>>>>|   5.0 ms        unfinished
                      * timed_out |         *|  10.0 ms        after_ms=1000

                    """)
    }

    @Test func everyLineOfAWaterfallHasItsColumnsAtTheSamePlaces() throws {
        var events: [PolicyEvent] = [.made(.began(name: "load"))]
        let long = String(repeating: "long ", count: 20)
        events.append(.made(.began(name: long), span: 100, in: 1))
        for (index, kind) in PolicyEvent.Kind.every.enumerated() {
            events.append(
                .made(kind, by: "test", at: index * 7, span: 1 + index % 3, in: index % 3))
        }
        for line in waterfall(events).split(separator: "\n").dropFirst() {
            let bars = line.indices.filter { line[$0] == "|" }
                .map { line.distance(from: line.startIndex, to: $0) }
            // The longest name is cut to 32 columns.
            #expect(Array(bars.prefix(2)) == [33, 54])
            #expect(line.count <= 33 + 22 + 2 * 11 + 102)
            #expect(line.last != " ")
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }

    @Test func aWaterfallDoesNotIndentDeepNestingWithoutEnd() {
        let text = waterfall((1...50).map { .made(.began(name: "\($0)"), span: $0, in: $0 - 1) })
        #expect(
            text.split(separator: "\n").last?.hasPrefix(String(repeating: " ", count: 20) + "50")
                == true)
    }

    @Test func aWaterfallCountsWhatWasNotKept() throws {
        let recorder = CallRecorder(eventsPerCall: 1)
        for event: PolicyEvent in [.made(.began(name: "load")), .made(.hit), .made(.hit)] {
            recorder.observer.receive(event)
        }
        let text = try #require(recorder.lastCall).waterfall()
        #expect(text.hasSuffix("\nand 2 more events that were not kept\n"))
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(macOS) || os(Linux)) && compiler(>=6.3)
    @Test(arguments: [9, 1_001])
    func aWaterfallsWidthOutsideItsBoundsTraps(width: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [width] in
            let recorder = CallRecorder()
            recorder.observer.receive(.made(.began(name: "load")))
            _ = recorder.lastCall?.waterfall(width: width)
        }
        expectTrap("a waterfall needs a width in 10...1000, not \(width)", in: result)
    }
    #endif
}

@Suite struct WaterfallStyleTests {
    private let recorder = CallRecorder()

    private func call() throws -> RecordedCall {
        for event: PolicyEvent in [
            .made(.began(name: "load")), .made(.began(name: "call 1"), by: "hedge", span: 2, in: 1),
            .made(.ended(.retryable(after: nil)), by: "hedge", at: 20, span: 2, in: 1),
            .made(.began(name: "call 2"), by: "hedge", span: 3, in: 1),
            .made(.ended(.ignorable), by: "hedge", at: 20, span: 3, in: 1),
            .made(.began(name: "call 3"), by: "hedge", span: 4, in: 1),
            .made(.ended(.failure), by: "hedge", at: 20, span: 4, in: 1),
            .made(.began(name: "call 4"), by: "hedge", span: 5, in: 1),
            .made(.hit, at: 20), .made(.note("\u{1B}[5m"), at: 20), .made(.ended(), at: 20),
        ] { recorder.observer.receive(event) }
        return try #require(recorder.lastCall)
    }

    @Test func eachOutcomeHasItsColourInAWaterfall() throws {
        let text = try call().waterfall(width: 10, style: .ansi)
        for (code, fill, word) in [
            (32, "=", "success"), (33, "x", "retryable"), (90, "-", "ignorable"),
            (31, "x", "failure"), (36, ">", "unfinished"),
        ] {
            let bar = String(repeating: fill, count: 10)
            let line = text.split(separator: "\n").first { $0.contains(word) }
            #expect(line?.contains("|\u{1B}[\(code)m\(bar)\u{1B}[0m|") == true, "\(word)")
            #expect(line?.hasSuffix("\u{1B}[\(code)m\(word)\u{1B}[0m") == true, "\(word)")
        }
        #expect(text.contains("|\u{1B}[35m         *\u{1B}[0m|"))
    }

    @Test func aColouredWaterfallWithoutEscapesIsThePlainText() throws {
        let call = try call()
        let text = call.waterfall(width: 10, style: .ansi)
        #expect(text.replacing(/\u{1B}\[[0-9]+m/, with: "") == call.waterfall(width: 10))
    }

    @Test func aPlainWaterfallHasNoEscapes() throws {
        #expect(!(try call().waterfall().contains("\u{1B}")))
    }
}

@Suite struct TimeScaleTests {
    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    func bar(_ start: Int, _ end: Int?, of total: Int = 100, columns: Int = 10) -> String {
        TimeScale(from: at(1_000), to: at(1_000 + total), columns: columns).bar(
            from: at(1_000 + start), to: end.map { at(1_000 + $0) }, of: "=")
    }

    @Test func aWaterfallsBarCoversItsShareOfTheScale() {
        #expect(bar(0, 100) == "==========")
        #expect(bar(0, 50) == "=====     ")
        #expect(bar(0, 51) == "======    ")
        #expect(bar(49, 60) == "    ==    ")
        #expect(bar(50, nil) == "     =====")
        #expect(bar(30, 30) == "   =      ")
        #expect(bar(100, 100) == "         =")
        #expect(bar(99, 100) == "         =")
        #expect(bar(0, 1) == "=         ")
    }

    @Test func aWaterfallsBarOutsideTheScaleIsAtItsEdge() {
        #expect(bar(-50, 20) == "==        ")
        #expect(bar(90, 200) == "         =")
        #expect(bar(-5, -2) == "=         ")
        #expect(bar(200, 300) == "         =")
    }

    @Test func aWaterfallsScaleOfNoTimeDoesNotTrap() {
        #expect(bar(0, 0, of: 0) == "=         ")
        #expect(bar(0, nil, of: 0) == "=         ")
    }

    @Test func aWaterfallsScaleOfTheLongestTimeDoesNotOverflow() {
        let end = SchedulerInstant(offset: .nanoseconds(Int64.max))
        let scale = TimeScale(from: SchedulerInstant(offset: .zero), to: end, columns: 1_000)
        #expect(scale.bar(from: end, to: end, of: "=").last == "=")
        #expect(scale.bar(from: at(0), to: end, of: "=").count == 1_000)
    }

    @Test(arguments: [
        (Duration.zero, "0.0 µs"), (.microseconds(999), "999.0 µs"),
        (.milliseconds(1), "1.0 ms"), (.milliseconds(9_999), "9999.0 ms"),
        (.seconds(10), "10.0 s"), (.seconds(3_600), "3600.0 s"),
    ])
    func theUnitOfAWaterfallsScaleFitsItsWholeTime(total: Duration, text: String) {
        let end = at(0).advanced(by: total)
        #expect(TimeScale(from: at(0), to: end, columns: 10).text(of: end) == text)
    }

    @Test func theHeadingOfAWaterfallNamesTheEndsThatFit() {
        #expect(
            TimeScale(from: at(0), to: at(100), columns: 20).heading == "0.0 ms      100.0 ms")
        #expect(TimeScale(from: at(0), to: at(100), columns: 14).heading == "      100.0 ms")
    }

    @Test(
        arguments: [
            (0, "0.0"), (49_999, "0.0"), (50_000, "0.1"), (949_999, "0.9"), (950_000, "1.0"),
            (1_000_000, "1.0"), (12_340_000, "12.3"), (-5_000_000, "0.0"),
            (Int64.max, "9223372036854.8"),
        ] as [(Int64, String)])
    func aWaterfallRoundsADurationToAUnit(nanoseconds: Int64, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).rounded(to: .millisecond) == text)
    }

    /// Each column shows whether the bar covers any moment of it.
    @Test func aWaterfallsBarsAgreeWithAnOracle() {
        var chance = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let columns = Int.random(in: 10...50, using: &chance)
            let total = Int.random(in: 1...300, using: &chance)
            let start = Int.random(in: 0...total, using: &chance)
            let end = Int.random(in: start...total, using: &chance)
            guard end > start else { continue }
            let expected = (0..<columns).map { column in
                // The column's time is from total × column / columns to total × (column + 1) / columns.
                total * column < end * columns && total * (column + 1) > start * columns
                    ? "=" : " "
            }
            #expect(bar(start, end, of: total, columns: columns) == expected.joined())
        }
    }
}

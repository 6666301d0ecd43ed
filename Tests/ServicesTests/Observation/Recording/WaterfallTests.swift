import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct WaterfallTests {
    let scheduler = ManualScheduler()
    let recorder = CallRecorder()

    func waterfall(_ events: [PolicyEvent], width: Int = 20) -> String {
        for event in events { recorder.observer.receive(event) }
        return recorder.lastCall?.waterfall(width: width) ?? "nothing"
    }

    @Test func aRetryBesideItsWait() {
        let upstream = Upstream(
            on: scheduler, [.error(Telling()), .value(7, after: .milliseconds(30))])
        _ = stack(
            .observed(by: recorder.observer, on: scheduler, named: { _ in "load" }),
            .retry(backoff: .constant(.milliseconds(10)), on: scheduler), over: upstream.send)(1)
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

    @Test func hedgesOverlap() {
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

    @Test func whatGoesOnIsUnfinished() {
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

    @Test func everyLineHasItsColumnsAtTheSamePlaces() throws {
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

    @Test func deepNestingIsNotIndentedWithoutEnd() {
        let text = waterfall((1...50).map { .made(.began(name: "\($0)"), span: $0, in: $0 - 1) })
        #expect(
            text.split(separator: "\n").last?.hasPrefix(String(repeating: " ", count: 20) + "50")
                == true)
    }

    @Test func whatWasNotKeptIsCounted() throws {
        let recorder = CallRecorder(eventsPerCall: 1)
        for event: PolicyEvent in [.made(.began(name: "load")), .made(.hit), .made(.hit)] {
            recorder.observer.receive(event)
        }
        let text = try #require(recorder.lastCall).waterfall()
        #expect(text.hasSuffix("\nand 2 more events that were not kept\n"))
    }

    #if os(macOS) || os(Linux)
    @Test(arguments: [9, 1_001])
    func aWidthOutsideTraps(width: Int) async {
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

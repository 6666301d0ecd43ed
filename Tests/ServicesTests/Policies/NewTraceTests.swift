import PledgeFutures
import PledgeServices
import ServicesTestSupport
import TestSupport
import Testing

@Suite(.oneAtATime) struct NewTraceTests {
    private let scheduler = ManualScheduler()
    private let random = RandomSource(SeededGenerator(seed: 3))
    private let seen = TestLog<TraceContext?>()

    /// Records the trace context of each call, and fails.
    private var upstream: Service<Int, Int> {
        { [seen] _ in
            seen.append(CallContext.current.traceContext)
            return Future(error: Broken())
        }
    }

    private var retry: Middleware<Int, Int> {
        .retry(Retry(backoff: .constant(.milliseconds(5))), on: scheduler)
    }

    @Test func allAttemptsOfACallAreInOneTrace() throws {
        let service = stack(.newTrace(random: random), retry, over: upstream)
        for number in 1...2 {
            _ = service(number)
            scheduler.run()
        }
        let traces = seen.elements.compactMap { $0 }
        #expect(traces.count == 6)
        #expect(Set(traces[..<3]).count == 1 && Set(traces[3...]).count == 1)
        #expect(traces[0].traceID != traces[3].traceID)
        #expect(traces.allSatisfy { $0.isSampled })
    }

    @Test func aCallStaysInTheTraceThatItBelongsTo() {
        let mine = TraceContext.newTrace()
        let service = stack(.newTrace(random: random), over: upstream)
        _ = CallContext(traceContext: mine).run { service(1) }
        #expect(seen.elements == [mine])
        #expect(CallContext.current.traceContext == nil)
    }

    @Test func aStackWithoutANewTraceHasNone() {
        _ = stack(retry, over: upstream)(1)
        scheduler.run()
        #expect(seen.elements == [nil, nil, nil])
    }

    @Test(arguments: [(0.0, 0...0), (0.25, 200...300), (1.0, 1_000...1_000)])
    func aShareOfTheTracesIsSampled(share: Double, expected: ClosedRange<Int>) {
        let service = stack(.newTrace(samplingShare: share, random: random), over: upstream)
        for number in 0..<1_000 { _ = service(number) }
        #expect(expected.contains(seen.elements.count { $0?.isSampled == true }))
        #expect(seen.elements.allSatisfy { $0 != nil })
    }

    #if os(macOS) || os(Linux)
    @Test func aSamplingShareAboveOneTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.newTrace(samplingShare: 1.5) }
        expectTrap("newTrace samples a share of 0…1, not 1.5", in: result)
    }
    #endif
}

import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

@Suite(.oneAtATime) struct EffectFailureReportTests {
    struct Failed: Error { var number = 0 }

    /// The reports about a number of failures.
    ///
    /// - Parameter body: Called with the reports so far, before the last one.
    func reports(of failures: Int, beforeTheLast body: ([String]) -> Void = { _ in }) -> [String] {
        let reports = TestLog<String>()
        var report: EffectFailureReport? = EffectFailureReport(of: "a store") { reports.append($0) }
        for number in 0..<failures { report?.add(Failed(number: number + 1)) }
        body(reports.elements)
        report = nil
        return reports.elements
    }

    @Test func theFirstFailureOfAStoresEffectIsReportedWithItsError() {
        #expect(reports(of: 0) == [])
        let first = """
            an effect of a store failed, and no event says so: Failed(number: 1). Use Effect.request, \
            or recover from the error, or give the store an onFailure
            """
        #expect(reports(of: 1) == [first])
    }

    @Test func laterFailuresOfAnEffectAreCounted() {
        let all = reports(of: 9_000) { soFar in
            let tenth = """
                10 effects of a store failed so far, and no event says so; the newest error: \
                Failed(number: 10)
                """
            #expect(soFar.count == 4)
            #expect(soFar.dropFirst().first == tenth)
            #expect(soFar.last?.hasSuffix("Failed(number: 1000)") == true)
        }
        #expect(all.count == 5)
        #expect(all.last == "9000 effects of a store failed before it was released")
    }

    @Test func theTotalOfAStoresFailedEffectsIsNotReportedTwice() {
        #expect(reports(of: 10).count == 2)
        #expect(reports(of: 11).count == 3)
    }

    #if os(Linux) || os(macOS)
    @Test func aStoreReportsItsFailuresUntilItIsReleased() async {
        await #expect(processExitsWith: .success) {
            let lines = TestLog<String>()
            FutureDiagnostics.send { lines.append($0) }
            var store: Store<Int, Int>? = Store(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    .future(Future(error: Failed(number: event)))
                }))
            for event in 1...12 { store?.dispatch(event) }
            precondition(lines.elements.count == 2, "the first, and the tenth")
            store = nil
            precondition(lines.elements.count == 3, "the total")
            precondition(
                lines.elements[2] == "12 effects of a Store of Int failed before it was released",
                "it names the store")
        }
    }
    #endif
}

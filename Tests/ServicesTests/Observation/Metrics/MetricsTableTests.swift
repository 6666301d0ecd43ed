import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct MetricsTableTests {
    func table(_ events: [PolicyEvent], labelLimit: Int = 100) -> MetricsTable {
        var table = MetricsTable(labelLimit: labelLimit)
        for event in events { table.add(event) }
        return table
    }

    @Test func callsAreCountedByNameAndOutcome() {
        let table = table([
            .made(.began(name: "a"), call: 1), .made(.began(name: "b"), call: 2),
            .made(.ended(.success, after: 7), call: 2), .made(.began(name: "a"), call: 3),
            .made(.ended(.failure, after: 20), call: 1),
        ])
        #expect(
            table.calls.series.mapValues(\.count) == [["b", "success"]: 1, ["a", "failure"]: 1])
        #expect(table.calls.series[["a", "failure"]]?.sum == .milliseconds(20))
        #expect(table.inFlight.series == [["a"]: 1, ["b"]: 0])
    }

    @Test func attemptsAreCountedByCallAndPolicy() {
        let table = table([
            .made(.began(name: "a")), .made(.began(name: "attempt 1"), by: "retry", span: 2),
            .made(.ended(.retryable(after: .seconds(1)), after: 7), by: "retry", span: 2),
            .made(.ended(.success, after: 9), by: "hedge", span: 3),
        ])
        #expect(
            table.attempts.series.mapValues(\.count)
                == [["a", "retry", "", "retryable"]: 1, ["a", "hedge", "", "success"]: 1])
        #expect(table.calls.series.isEmpty)
        #expect(table.events.series.isEmpty)
    }

    @Test func everythingElseIsCountedByKindAndReason() {
        let table = table([
            .made(.began(name: "a")), .made(.retryWithheld(.budget), by: "retry"),
            .made(.retryWithheld(.budget), by: "retry"),
            .made(.retryWithheld(.deadline), by: "retry"), .made(.hit, by: "memoise"),
            .made(.stateChanged(from: "closed", to: "open"), by: "breaker"),
            .made(.dequeued(after: .milliseconds(30)), by: "bulkhead"), .made(.ended()),
            // After its call it has no call's label.
            .made(.miss, by: "memoise"),
        ])
        #expect(
            table.events.series == [
                ["a", "retry", "", "retry_withheld", "budget"]: 2,
                ["a", "retry", "", "retry_withheld", "deadline"]: 1,
                ["a", "memoise", "", "hit", ""]: 1,
                ["a", "breaker", "", "state_changed", "open"]: 1,
                ["a", "bulkhead", "", "dequeued", ""]: 1, ["", "memoise", "", "miss", ""]: 1,
            ])
        #expect(table.waits.series.mapValues(\.sum) == [["a", "bulkhead", ""]: .milliseconds(30)])
    }

    @Test func labelsAreBounded() {
        var events: [PolicyEvent] = []
        for number in 0..<1_000 as Range<UInt64> {
            events += [
                .made(.began(name: "product \(number)"), call: number),
                .made(.ended(.success), call: number),
                .made(.stateChanged(from: "", to: "state \(number)"), by: "policy \(number)"),
                .made(.ended(.success), by: "policy \(number)", span: 2),
                .made(.dequeued(after: .zero), by: "policy \(number)"),
            ]
        }
        let table = table(events, labelLimit: 5)
        #expect(table.calls.series.count == 6)
        #expect(table.calls.series[["other", "success"]]?.count == 995)
        #expect(
            table.inFlight.series
                == [
                    "product 0", "product 1", "product 2", "product 3",
                    "product 4", "other",
                ].reduce(into: [:]) { $0[[$1]] = 0 })
        #expect(table.attempts.series.count == 6)
        #expect(table.waits.series.count == 6)
        #expect(table.events.series.count <= 2 * 6 * 7)
    }

    @Test func whatNeverEndsIsBoundedToo() {
        let count = MetricsTable.openLimit + 100
        var table = MetricsTable(labelLimit: 5)
        for call in 0..<count { table.add(.made(.began(name: "a"), call: UInt64(call))) }
        #expect(table.inFlight.series == [["a"]: MetricsTable.openLimit])
        for call in 0..<count { table.add(.made(.ended(), call: UInt64(call))) }
        #expect(table.inFlight.series == [["a"]: 0])
        #expect(table.calls.series[["a", "success"]]?.count == MetricsTable.openLimit)
        #expect(table.calls.series[["other", "success"]]?.count == 100)
        // There is room again.
        table.add(.made(.began(name: "a"), call: 0))
        #expect(table.inFlight.series == [["a"]: 1])
    }

    @Test func spansOfOneCallAreToldApart() {
        let table = table([
            .made(.began(name: "outer"), span: 1), .made(.began(name: "inner"), span: 2, in: 1),
            .made(.ended(), span: 2, in: 1), .made(.ended(.failure), span: 1),
        ])
        #expect(Set(table.calls.series.keys) == [["inner", "success"], ["outer", "failure"]])
    }
}

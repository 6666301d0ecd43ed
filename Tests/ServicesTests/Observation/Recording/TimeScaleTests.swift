import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct TimeScaleTests {
    func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    func bar(_ start: Int, _ end: Int?, of total: Int = 100, columns: Int = 10) -> String {
        TimeScale(from: at(1_000), to: at(1_000 + total), columns: columns).bar(
            from: at(1_000 + start), to: end.map { at(1_000 + $0) }, of: "=")
    }

    @Test func bars() {
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

    @Test func whatLiesOutsideIsAtTheEdge() {
        #expect(bar(-50, 20) == "==        ")
        #expect(bar(90, 200) == "         =")
        #expect(bar(-5, -2) == "=         ")
        #expect(bar(200, 300) == "         =")
    }

    @Test func noTimeAtAll() {
        #expect(bar(0, 0, of: 0) == "=         ")
        #expect(bar(0, nil, of: 0) == "=         ")
    }

    @Test func veryLongTimes() {
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
    func theUnitFitsTheWhole(total: Duration, text: String) {
        let end = at(0).advanced(by: total)
        #expect(TimeScale(from: at(0), to: end, columns: 10).text(of: end) == text)
    }

    @Test func heading() {
        #expect(
            TimeScale(from: at(0), to: at(100), columns: 20).heading == "0.0 ms      100.0 ms")
        #expect(TimeScale(from: at(0), to: at(100), columns: 14).heading == "      100.0 ms")
    }

    /// Each column shows whether the bar covers any moment of it.
    @Test func oracle() {
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

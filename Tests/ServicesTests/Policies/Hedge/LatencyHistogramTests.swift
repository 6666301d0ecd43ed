import Testing

@testable import PledgeServices

@Suite struct LatencyHistogramTests {
    @Test func millisecondsUpTo1023AreExact() {
        for milliseconds in 0..<1_024 {
            #expect(LatencyHistogram.index(of: milliseconds) == milliseconds)
            #expect(LatencyHistogram.longest(at: milliseconds) == milliseconds)
        }
    }

    @Test func eachCounterEndsWhereTheNextBegins() {
        var last = -1
        for milliseconds in 0...65_535 {
            let index = LatencyHistogram.index(of: milliseconds)
            #expect(index == last || index == last + 1)
            last = index
        }
        #expect(last == LatencyHistogram.size - 2)
        for index in 0..<(LatencyHistogram.size - 1) {
            guard let longest = LatencyHistogram.longest(at: index) else {
                Issue.record("\(index) has no end")
                return
            }
            #expect(LatencyHistogram.index(of: longest) == index)
            #expect(LatencyHistogram.index(of: longest + 1) == index + 1)
        }
    }

    @Test func noLatencyIsToldMoreThanAFiveHundredthTooLong() {
        for milliseconds in 1_024...65_535 {
            let longest = LatencyHistogram.longest(at: LatencyHistogram.index(of: milliseconds))
            #expect(
                longest.map { $0 >= milliseconds && ($0 - milliseconds) * 500 < milliseconds }
                    == true)
        }
    }

    @Test func longerOnesHaveACounterWithoutEnd() {
        #expect(LatencyHistogram.index(of: 65_536) == LatencyHistogram.size - 1)
        #expect(LatencyHistogram.index(of: .max) == LatencyHistogram.size - 1)
        #expect(LatencyHistogram.longest(at: LatencyHistogram.size - 1) == nil)
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.nanoseconds(1_000_001), 2),
            (.seconds(-1), 0), (.milliseconds(999), 999),
        ] as [(Duration, Int)])
    func latenciesAreRoundedUp(latency: Duration, milliseconds: Int) {
        var histogram = LatencyHistogram()
        histogram.add(latency)
        #expect(histogram.counts.firstIndex(of: 1) == milliseconds)
        #expect(histogram.total == 1)
        histogram.clear()
        #expect(histogram.total == 0)
        #expect(histogram.counts.allSatisfy { $0 == 0 })
    }
}

import Testing

@testable import PledgeSimulation

@Suite struct ValueScaleTests {
    @Test(arguments: [
        ([0.0, 7], 3, ["0", "4", "8"]), ([], 3, ["0", "0.5", "1"]), ([0, 0], 2, ["0", "1"]),
        ([1, 230], 2, ["0", "250"]), ([1_900], 3, ["0", "1,000", "2,000"]),
        ([0.03], 3, ["0", "0.02", "0.04"]), ([-3, 7], 3, ["-4", "2", "8"]),
        ([10], 2, ["0", "10"]), ([10.5], 2, ["0", "20"]), ([9.2e18], 2, ["0", "1e+19"]),
    ])
    func linearScales(values: [Double], most: Int, labels: [String]) {
        #expect(ValueScale(.linear, for: values, marks: most).marks.map(\.label) == labels)
    }

    @Test(arguments: [
        ([0.02, 0.4], 3, ["10 ms", "100 ms", "1 s"]), ([0.1, 1], 2, ["100 ms", "1 s"]),
        ([0.001], 2, ["1 ms", "10 ms"]), ([], 2, ["1 ms", "1 s"]),
        ([0.0000005, 50], 3, ["100 ns", "10 ms", "1000 s"]),
    ])
    func logarithmicScales(values: [Double], most: Int, labels: [String]) {
        #expect(ValueScale(.logarithmic, for: values, marks: most).marks.map(\.label) == labels)
    }

    @Test func valuesStandBetweenTheMarks() {
        let linear = ValueScale(.linear, for: [0, 10], marks: 2)
        #expect([0.0, 5, 10, 20, -1].map { linear.place(of: $0) } == [0, 0.5, 1, 1, 0])
        let logarithmic = ValueScale(.logarithmic, for: [0.001, 1], marks: 4)
        #expect((logarithmic.place(of: 0.01) - 1.0 / 3).magnitude < 1e-12)
        #expect([0.001, 1, 0, 2].map { logarithmic.place(of: $0) } == [0, 1, 0, 1])
    }
}

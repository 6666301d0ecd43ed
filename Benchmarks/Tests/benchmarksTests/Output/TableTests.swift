import Testing

@testable import benchmarks

@Suite struct TableTests {
    @Test(arguments: [
        (0, "0"), (2, "2"), (6.74, "6.7"), (99.96, "100"), (999.6, "1,000"),
        (1_234_567, "1,234,567"),
        (-0.04, "0"), (-2, "-2"),
    ])
    func numbers(value: Double, text: String) {
        #expect(Table.text(value) == text)
    }

    @Test(arguments: [
        (0.0031, "0.0031"), (0.45, "0.45"), (1.5, "1.50"), (15.4, "15.4"), (140, "140"),
    ])
    func ratios(value: Double, text: String) {
        #expect(Table.ratio(value) == text)
    }
}

import Testing

@testable import PledgeSimulation

@Suite struct PlainNumbersTests {
    @Test(arguments: [
        (0, 2, "0.00"), (1.005, 1, "1.0"), (0.25, 1, "0.3"), (-0.25, 1, "-0.3"), (-0.01, 1, "0.0"),
        (12.5, 0, "13"), (0.049, 3, "0.049"), (1e20, 2, "1e+20"), (.infinity, 1, "-"),
        (.nan, 1, "-"),
    ])
    func digits(number: Double, digits: Int, text: String) {
        #expect(number.text(digits: digits) == text)
    }

    @Test(arguments: [
        (0, "0"), (100, "100"), (0.5, "0.5"), (0.1 + 0.2, "0.3"), (1e20, "1e+20"), (-2.25, "-2.25"),
    ])
    func shortTexts(number: Double, text: String) {
        #expect(number.shortText(digits: 9) == text)
    }

    @Test(arguments: [
        (0.0000123, "0.01 ms"), (0.00999, "9.99 ms"), (0.009996, "10.0 ms"), (0.0452, "45.2 ms"),
        (0.09996, "100 ms"), (0.9994, "999 ms"), (0.9996, "1.00 s"), (12.34, "12.3 s"),
        (1_234, "1234 s"),
    ])
    func seconds(number: Double, text: String) {
        #expect(number.textOfSeconds == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"), (100_000, "100,000"),
        (.min, "-9,223,372,036,854,775,808"),
    ])
    func groups(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}

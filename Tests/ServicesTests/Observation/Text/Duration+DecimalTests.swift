import Testing

@testable import PledgeServices

@Suite struct DurationDecimalTests {
    @Test(
        arguments: [
            (0, "0", "0", "0"), (1, "0.001", "0.000001", "0.000000001"),
            (-1, "-0.001", "-0.000001", "-0.000000001"),
            (1_500_000, "1500", "1.5", "0.0015"),
            (2_000_000_000, "2000000", "2000", "2"),
            (1_000_000_001, "1000000.001", "1000.000001", "1.000000001"),
            (10_100, "10.1", "0.0101", "0.0000101"),
            (Int64.max, "9223372036854775.807", "9223372036854.775807", "9223372036.854775807"),
            (Int64.min, "-9223372036854775.808", "-9223372036854.775808", "-9223372036.854775808"),
        ] as [(Int64, String, String, String)])
    func decimals(nanoseconds: Int64, micro: String, milli: String, seconds: String) {
        let duration = Duration.nanoseconds(nanoseconds)
        #expect(duration.decimal(in: .microsecond) == micro)
        #expect(duration.decimal(in: .millisecond) == milli)
        #expect(duration.decimal(in: .second) == seconds)
    }

    @Test(
        arguments: [
            (0, "0.0"), (49_999, "0.0"), (50_000, "0.1"), (949_999, "0.9"), (950_000, "1.0"),
            (1_000_000, "1.0"), (12_340_000, "12.3"), (-5_000_000, "0.0"),
            (Int64.max, "9223372036854.8"),
        ] as [(Int64, String)])
    func rounded(nanoseconds: Int64, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).rounded(to: .millisecond) == text)
    }
}

import Foundation
import ServicesTestSupport
import Testing

@testable import PledgeServices

@Suite struct PlainTextTests {
    @Test func aQuotedTextIsJSONInOneLineForEveryScalar() throws {
        // All values in the lower part of the first plane, and some of each kind beyond.
        let values =
            Array(0...0x3000) + [0xD7FF, 0xE000, 0xFEFF, 0xFFFF, 0x1F44D, 0xE0001, 0x10FFFF]
        for value in values {
            let scalar = try #require(Unicode.Scalar(UInt32(value)))
            let text = "a\(Character(scalar))b"
            let quoted = text.quoted
            let read = try JSONDecoder().decode([String].self, from: Data("[\(quoted)]".utf8))
            #expect(read.map { Array($0.unicodeScalars) } == [Array(text.unicodeScalars)])
            #expect(quoted.unicodeScalars.allSatisfy { $0.isPlain })
        }
    }

    @Test func carriageReturnsAreEscapedThoughACharacterHidesThem() {
        #expect("a\r\nb".quoted == #""a\r\nb""#)
        #expect("a\r\nb\u{2028}c\u{7F}".inOneLine == "a?b?c?")
        #expect("🇩🇰é日".inOneLine == "🇩🇰é日")
    }
}

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
    func aDurationIsADecimalInEachUnit(
        nanoseconds: Int64, micro: String, milli: String, seconds: String
    ) {
        let duration = Duration.nanoseconds(nanoseconds)
        #expect(duration.decimal(in: .microsecond) == micro)
        #expect(duration.decimal(in: .millisecond) == milli)
        #expect(duration.decimal(in: .second) == seconds)
    }
}

@Suite struct DurationInWordsTests {
    @Test(arguments: [
        (Duration.nanoseconds(1_643_842_932), "1.64 seconds"), (.seconds(5), "5.0 seconds"),
        (.milliseconds(250), "0.25 seconds"), (.milliseconds(59_960), "60.0 seconds"),
        (.seconds(3_661), "3660.0 seconds"), (.zero, "0.0 seconds"), (.seconds(-1), "0.0 seconds"),
    ])
    func aDurationsTextHasThreeSignificantDigitsAndAUnit(duration: Duration, text: String) {
        #expect(duration.inWords == text)
    }
}

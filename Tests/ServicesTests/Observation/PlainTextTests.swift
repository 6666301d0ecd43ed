import Foundation
import Testing

@testable import PledgeObservation
@testable import PledgeServices

@Suite struct PlainTextTests {
    @Test func quotedIsJSONInOneLineForEveryScalar() throws {
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

    @Test func carriageReturnsAreNotHiddenInACharacter() {
        #expect("a\r\nb".quoted == #""a\r\nb""#)
        #expect("a\r\nb\u{2028}c\u{7F}".inOneLine == "a?b?c?")
        #expect("🇩🇰é日".inOneLine == "🇩🇰é日")
    }

    @Test func whatShowsNoMarkBecomesItsEscape() {
        #expect(
            "a\r\nb\u{2028}\u{202E}c\u{E0001}".withVisibleScalars
                == #"a\u{D}\u{A}b\u{2028}\u{202E}c\u{E0001}"#)
        #expect("🇩🇰é日 \"<&>\"".withVisibleScalars == "🇩🇰é日 \"<&>\"")
    }

    @Test func aLongTextIsCutAtACharacterWithAnEllipsis() {
        #expect("abc".cut(to: 3) == "abc")
        #expect("abcd".cut(to: 3) == "abc…")
        #expect("日本".cut(to: 2) == "日本")
        #expect("日本語".cut(to: 2) == "日本…")
        #expect("".cut(to: 0) == "")
        let stacked = "e" + String(repeating: "\u{301}", count: 10_000)
        #expect(stacked.count == 1)
        #expect(stacked.cut(to: 10).unicodeScalars.count == 11)
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

    @Test(
        arguments: [
            (0, "0.0"), (49_999, "0.0"), (50_000, "0.1"), (949_999, "0.9"), (950_000, "1.0"),
            (1_000_000, "1.0"), (12_340_000, "12.3"), (-5_000_000, "0.0"),
            (Int64.max, "9223372036854.8"),
        ] as [(Int64, String)])
    func aDurationIsRoundedToAUnit(nanoseconds: Int64, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).rounded(to: .millisecond) == text)
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

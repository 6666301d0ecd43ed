import Foundation
import Testing

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

    @Test func cutting() {
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

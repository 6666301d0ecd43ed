import Foundation
import TestSupport
import Testing

@testable import PledgeHTTPNetworking

@Suite struct ShellWordTests {
    @Test(arguments: [
        "plain-1.2/x:y", "", " ", "'", "''", "a'b", "\"", "$(rm -rf /)", "`id`", "$HOME", "a\nb",
        "a\\",
        "\\'", "*?[a]", "~", "#x", "a#b", "!!", "&& ls", "| sh", "> f", "<(x)", "{a,b}", "a=b",
        "é☃",
        "\t", "\u{1B}[0m", "-n", "%s", "…",
        // With what comes after it, the quote is one character.
        "'\u{301}; rm -rf / #", "a'\u{200D}$(id)", "'\u{FE0F}'",
    ])
    func aShellReadsTheSameAgain(text: String) throws {
        #expect(
            try ShellReader("x " + ShellWord.quoted(text)).commands == [[[120], Array(text.utf8)]])
    }

    @Test func whateverIsWrittenIsReadAgain() throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes.filter { $0 > 0 }, as: UTF8.self)
            let word = ShellWord.quoted(text)
            #expect(try ShellReader(word).commands == [[Array(text.utf8)]], "\(word)")
            let printing = ShellWord.printing(Data(bytes))
            #expect(try ShellReader(printing + " | x").printed == bytes, "\(printing)")
        }
    }

    @Test func aFormatIsNoOption() throws {
        #expect(ShellWord.printing(Data("-v 1%\\'".utf8)) == #"printf '\055v 1%%\\\047'"#)
    }
}

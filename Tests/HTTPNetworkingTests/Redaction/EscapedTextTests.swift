import Testing

@testable import PledgeHTTPText

@Suite struct EscapedTextTests {
    @Test(arguments: [
        ("a%41b", "aAb"), ("%e4%B8%ad", "中"), (#"\"\\\/\n\t"#, "\"\\/\n\t"),
        (#"s\u0033cret"#, "s3cret"), (#"\uD83D\ude00"#, "😀"), (#"\ud83d"#, "\u{FFFD}"),
        ("a&amp;b&#65;&#x42;", "a&bAB"), ("&quot;&lt;", "\"<"),
        ("100%2", "100%2"), ("50%zz", "50%zz"), (#"\u12"#, #"\u12"#), ("&nothing;", "&nothing;"),
        ("tail\\", "tail\\"), ("%", "%"), ("&", "&"), ("&#xFFFFFFFF;", "&#xFFFFFFFF;"),
    ])
    func escapesOfATextAreRead(source: String, expected: String) {
        let text = EscapedText(source.utf8)
        #expect((text.read() ?? text).bytes == Array(expected.utf8))
    }

    @Test func eachByteOfAnEscapedTextKnowsWhereItStood() throws {
        let once = try #require(EscapedText("a%2541b".utf8).read())
        #expect(once.bytes == Array("a%41b".utf8))
        let twice = try #require(once.read())
        #expect(twice.bytes == Array("aAb".utf8))
        #expect(twice.places == [0..<1, 1..<6, 6..<7])
        #expect(twice.read() == nil)
    }

    @Test func onlyTheNotationOfEscapesAskedForIsRead() {
        #expect(EscapedText("%41&amp;".utf8).read(.backslash) == nil)
        #expect(EscapedText(#"%41\n"#.utf8).read(.backslash)?.bytes == Array("%41\n".utf8))
    }
}

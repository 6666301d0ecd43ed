import Testing

@testable import PledgeHTTPNetworking

struct HTTPHeadersFieldTextTests {
    @Test(arguments: [
        ([UInt8]("plain".utf8), "plain"),
        ([UInt8]("caf\u{e9} \u{20ac}".utf8), "caf\u{e9} \u{20ac}"),
        ([0x63, 0xE9], "c\u{e9}"), ([0xC3, 0xA9, 0xFF], "\u{c3}\u{a9}\u{ff}"),
        ([0x80, 0x9F], "\u{80}\u{9f}"), ([], ""),
    ])
    func aValueThatIsNotUTF8IsISO8859(bytes: [UInt8], text: String) {
        let read = HTTPHeaders.text(ofValue: bytes)
        #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
    }
}

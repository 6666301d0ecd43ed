import HTTPNetworking
import Testing

struct HTTPHeadersFieldTextTests {
    @Test(
        arguments: [
            ([], ""), ([0x61], "a"), ([0xc3, 0xa9], "é"), ([0xe9], "é"), ([0x80], "\u{80}"),
            ([0xff, 0x00], "ÿ\u{0}"), ([0xc3, 0xa9, 0xe9], "Ã©é"), ([0xf0, 0x9f, 0x8c, 0xb1], "🌱"),
            ([0xed, 0xa0, 0x80], "í\u{a0}\u{80}"), ([0xc0, 0x80], "À\u{80}"),
        ] as [([UInt8], String)])
    func readsUTF8AndWhatIsNoneAsLatin1(bytes: [UInt8], text: String) {
        #expect(HTTPHeaders.text(ofValue: bytes) == text)
    }

    @Test func losesNoByte() {
        for byte in UInt8.min...UInt8.max {
            let text = HTTPHeaders.text(ofValue: [0xff, byte])
            #expect(text.unicodeScalars.map(\.value) == [0xff, UInt32(byte)])
        }
    }
}

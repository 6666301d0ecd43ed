import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPHeadersValidityTests {
    /// The characters of RFC 9110, section 5.6.2.
    private let token = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8
    )

    @Test func exactlyTheCharactersOfATokenMakeAName() {
        for byte in UInt8(0)..<128 {
            let name = "a" + String(Character(Unicode.Scalar(byte)))
            #expect(HTTPHeaders.isValid(name: name, value: "") == token.contains(byte), "\(byte)")
        }
        #expect(!HTTPHeaders.isValid(name: "", value: ""))
        #expect(!HTTPHeaders.isValid(name: "é", value: ""))
    }

    @Test func noControlCharacterButTabMakesAValue() {
        for byte in UInt8(0)..<128 {
            let value = "a" + String(Character(Unicode.Scalar(byte))) + "b"
            let isAllowed = byte == 9 || (byte >= 32 && byte != 127)
            #expect(HTTPHeaders.isValid(name: "A", value: value) == isAllowed, "\(byte)")
        }
        #expect(HTTPHeaders.isValid(name: "A", value: "grüße 😀"))
        #expect(!HTTPHeaders.isValid(name: "A", value: "a\r\nb"), "one character, two scalars")
    }
}

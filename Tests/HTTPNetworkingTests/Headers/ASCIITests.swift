import Testing

@testable import PledgeHTTPNetworking

@Suite struct ASCIITests {
    private func all(_ isOne: (UInt8) -> Bool) -> String {
        String(decoding: (UInt8.min...UInt8.max).filter(isOne), as: UTF8.self)
    }

    @Test func theClassesHoldTheirBytesAndNoOther() {
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        #expect(all(\.isSpace) == "\t ")
        #expect(all(\.isDigit) == "0123456789")
        #expect(all(\.isLetter) == upper + upper.lowercased())
        #expect(all(\.isLetterOrDigit) == "0123456789" + upper + upper.lowercased())
        for byte in UInt8.min...UInt8.max {
            let isUpper = upper.utf8.contains(byte)
            #expect(byte.lowercased == (isUpper ? byte + 32 : byte))
        }
    }

    @Test(arguments: ["", " ", "\t \t", "a", " a", "a\t", "\t a b ", " \r\n ", "é "])
    func onlySpacesAndTabsAreTrimmed(text: String) {
        let trimmed = String(decoding: text.utf8.trimmed, as: UTF8.self)
        #expect(trimmed == HTTPHeaders.trimmed(text))
        #expect(trimmed.utf8.first?.isSpace != true && trimmed.utf8.last?.isSpace != true)
        #expect(trimmed.utf8.filter { !$0.isSpace } == text.utf8.filter { !$0.isSpace })
    }
}

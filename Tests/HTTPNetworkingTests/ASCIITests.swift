import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPText

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

@Suite struct DeltaSecondsTests {
    @Test func digitsAreReadUpToABound() {
        #expect(DeltaSeconds.parse("0") == 0)
        #expect(DeltaSeconds.parse("007") == 7)
        #expect(DeltaSeconds.parse("99999999999999999999") == DeltaSeconds.most)
    }

    /// An `Int` of 32 bits would not hold it.
    @Test func theBoundOfDeltaSecondsIsAnInt64() {
        let most: Int64 = DeltaSeconds.most
        #expect(most == 2_147_483_648)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", " 1", "1s", "١"])
    func onlyDigitsAreDeltaSeconds(text: String) {
        #expect(DeltaSeconds.parse(text) == nil)
    }
}

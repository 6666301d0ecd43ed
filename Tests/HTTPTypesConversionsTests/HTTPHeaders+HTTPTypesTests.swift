#if HTTPTypes
import PledgeHTTPNetworking
import HTTPTypes
import PledgeHTTPTypesConversions
import TestSupport
import Testing

struct HTTPHeadersConversionTests {
    private func lines(_ headers: HTTPHeaders) -> [String] {
        headers.map { "\($0.name): \($0.value)" }
    }

    private func lines(_ fields: HTTPFields) -> [String] {
        fields.map { "\($0.name.rawName): \($0.value)" }
    }

    @Test func keepsOrderCaseAndRepeatedFields() throws {
        let headers = HTTPHeaders([
            ("Set-Cookie", "a=1"), ("X-Tag", "one, two"), ("set-cookie", "b=2"), ("x-TAG", ""),
            ("Cookie", "a=1; b=2"), ("Cookie", "c=3"),
        ])
        let fields = try HTTPFields(headers)
        #expect(lines(fields) == lines(headers))
        #expect(lines(HTTPHeaders(fields)) == lines(headers))
    }

    @Test(arguments: ["é", "日本", "a\tb", "a  b", "~", "\u{A0}"])
    func sendsAValueAsUTF8(_ value: String) throws {
        let fields = try HTTPFields(["X": value])
        let bytes = fields[fields.startIndex].withUnsafeBytesOfValue { Array($0) }
        #expect(bytes == Array(value.utf8))
        #expect(HTTPHeaders(fields).values(for: "X") == [value])
    }

    @Test func readsAValueThatIsNotUTF8AsISO8859() throws {
        let fields: HTTPFields = [HTTPField.Name("X")!: "-"]
        var latin = fields
        latin[latin.startIndex] = HTTPField(
            name: HTTPField.Name("X")!, value: [0x63, 0x61, 0x66, 0xE9])
        #expect(HTTPHeaders(latin)["X"] == "café")
        // Which is the loss: the bytes are others on the way back.
        let back = try HTTPFields(HTTPHeaders(latin))
        #expect(
            back[back.startIndex].withUnsafeBytesOfValue { Array($0) } == Array("café".utf8))
    }

    @Test func losesTheIndexingStrategy() throws {
        var field = HTTPField(name: .authorization, value: "Bearer t")
        field.indexingStrategy = .disallow
        let back = try HTTPFields(HTTPHeaders(HTTPFields([field])))
        #expect(back[fields: .authorization].map(\.indexingStrategy) == [.automatic])
        #expect(back[.authorization] == "Bearer t")
    }

    @Test(arguments: [":path", ":status", "", "a b", "ä", "X\r\nY"])
    func refusesANameThatIsNoField(_ name: String) {
        #expect(throws: ConversionError.invalidFieldName(name)) {
            try HTTPFields(HTTPHeaders([(name, "v")]))
        }
    }

    @Test(arguments: ["a\r\nb", "a\u{0}b", "a\nb", "a\u{7F}b", "a\u{1}b"])
    func refusesAValueThatWouldBeChanged(_ value: String) {
        #expect(throws: ConversionError.invalidFieldValue(name: "X")) {
            try HTTPFields(HTTPHeaders([("X", value)]))
        }
    }

    @Test func refusesMoreFieldsThanTheOtherHolds() throws {
        let most = HTTPHeaders((1...65_534).map { ("x", "\($0)") })
        #expect(try HTTPFields(most).count == 65_534)
        var more = most
        more.add("1", for: "y")
        #expect(throws: ConversionError.tooManyFields(65_535)) { try HTTPFields(more) }
    }

    /// Random fields of all that may be sent, and back.
    @Test func keepsRandomFields() throws {
        var generator = SeededGenerator(seed: 19)
        let names = ["Accept", "accept", "X-A", "Set-Cookie", "Cookie", "x~'!", "Host2"]
        let pieces = ["a", "Z", " ", "\t", "=", ";", ",", "\"", "é", "日", "😀", "\u{A0}", "~"]
        for _ in 0..<2000 {
            let headers = HTTPHeaders(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in
                    let value = (0..<Int.random(in: 0...8, using: &generator))
                        .map { _ in pieces.randomElement(using: &generator)! }.joined()
                    return (names.randomElement(using: &generator)!, value)
                })
            let valid = headers.allSatisfy { HTTPField.isValidValue($0.value) }
            try #require(valid)
            #expect(lines(HTTPHeaders(try HTTPFields(headers))) == lines(headers))
        }
    }
}
#endif

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct DecodingFailureTests {
    struct Order: Decodable {
        var items: [Item]
        var note: [String: Status]?
    }
    struct Item: Decodable { var price: Double }
    enum Status: String, Decodable { case open }
    struct Verbose: Decodable {
        struct Refusal: Error { let text = String(repeating: "no ", count: 1_000) }
        init(from decoder: any Decoder) throws { throw Refusal() }
    }
    struct Picky: Decodable {
        struct Refusal: Error {}
        init(from decoder: any Decoder) throws { throw Refusal() }
    }

    private func failure<T: Decodable & Sendable>(
        _ type: T.Type,
        _ json: String
    ) throws -> DecodingFailure {
        let future = Future(value: Data(json.utf8)).decoded(as: T.self)
        return try #require(throws: DecodingFailure.self) { try future.result?.get() }
    }

    @Test func ofALongBodyTheDecodersTextIsLeftOut() throws {
        let long = String(repeating: " ", count: 1_100_000)
        let error = try failure(Order.self, #"{"items":[],"note":{"a":"s3cret"}\#(long)}"#)
        #expect(error.code == .dataCorrupted && error.codingPath == "Order.note.a")
        #expect(error.description.contains("too long"))
        for text in texts(of: error) { #expect(!text.contains("s3cret")) }
        let missing = try failure(Order.self, #"{"items":[{}]\#(long)}"#)
        #expect(missing.description.contains("no value for the key \"price\""))
    }

    @Test func aMissingKeyIsNamedWithItsPlace() throws {
        let error = try failure(Order.self, #"{"items":[{"price":1},{"prise":"s3cret"}]}"#)
        #expect(error.code == .keyNotFound && error.codingPath == "Order.items[1].price")
        #expect(
            error.description
                == "Order.items[1].price: no value for the key \"price\" (in 42 bytes)"
        )
        for text in texts(of: error) { #expect(!text.contains("s3cret")) }
    }

    @Test func aMissingKeyNamesTheKeyThatIsMeant() throws {
        struct Page: Codable { var htmlURL: String }
        struct User: Codable { var createdAt: String }
        struct List: Codable { var someUsers: [User] }
        func text<Value: Codable>(_ type: Value.Type, _ json: String, _ coding: JSONCoding)
            -> String
        {
            do {
                let response = HTTPResponse(status: 200, body: Data(json.utf8))
                _ = try response.decoded(as: type, using: coding)
                return "decoded"
            } catch {
                return "\(error)"
            }
        }
        let written = String(
            decoding: try JSONCoding.snakeCase.encoder().encode(Page(htmlURL: "x")), as: UTF8.self)
        #expect(
            text(Page.self, written, .snakeCase).contains(
                #"the data has "html_url", which .snakeCase reads as "htmlUrl": name the property so"#
            ))
        #expect(
            text(User.self, #"{"created_at": "x"}"#, .iso8601).contains(
                #"the data has "created_at": decode with JSONCoding.snakeCase"#))
        #expect(
            text(List.self, #"{"some_users": [{"Created-At": "s3cret"}]}"#, .snakeCase).contains(
                #"the data has "Created-At": give the property a CodingKey"#))
        for json in [#"{"s3cret": 1}"#, "[]", #"{"createdAt": null}"#, "[{}]"] {
            #expect(!text(User.self, json, .iso8601).contains("the data has"), "\(json)")
        }
    }

    @Test func anotherTypeIsNamedWithItsPlace() throws {
        let error = try failure(Order.self, #"{"items":[{"price":"s3cret"}]}"#)
        #expect(error.code == .typeMismatch && error.codingPath == "Order.items[0].price")
        #expect(error.description.contains("Double") && error.description.contains("string"))
        for text in texts(of: error) { #expect(!text.contains("s3cret")) }
    }

    @Test func nullIsNamedWithItsPlace() throws {
        let error = try failure([Item].self, #"[{"price":null}]"#)
        #expect(error.code == .valueNotFound && error.codingPath == "Array<Item>[0].price")
        #expect(error.description.contains("no value where a Double must be"))
    }

    @Test func keysThatAreNoWordsAreQuoted() throws {
        let error = try failure(Order.self, #"{"items":[],"note":{"a.b c":"shut"}}"#)
        #expect(error.code == .dataCorrupted && error.codingPath == #"Order.note["a.b c"]"#)
    }

    @Test(arguments: ["", "{", "s3cret", "[1] s3cret", "\u{FEFF}"])
    func aBodyThatIsNoJSONIsNamed(text: String) throws {
        let error = try failure([Item].self, text)
        #expect(error.code == .dataCorrupted && error.codingPath == "Array<Item>")
        #expect(error.data == Data(text.utf8))
        #expect(error.description.contains("(in \(text.utf8.count) bytes)"))
        #expect(!error.description.contains("s3cret"))
    }

    @Test func anErrorOfTheTypeItselfIsKept() throws {
        let error = try failure(Picky.self, "{}")
        #expect(error.code == .other && error.cause is Picky.Refusal)
        #expect(error.description.hasPrefix("Picky: Refusal()"))
    }

    @Test func whatTheReasonQuotesIsHidden() throws {
        let status = try failure([Status].self, #"["s3cret"]"#)
        #expect(status.description.hasSuffix("from invalid String value … (in 10 bytes)"))
        let number = try failure([Int8].self, "[1, 123456789]")
        #expect(!number.description.contains("123456789"))
        let long = try failure(
            [Status].self, "[\"\(String(repeating: "open", count: 40_000))\", \"s3\\u0063ret\"]")
        #expect(!long.description.contains("openopen"))
    }

    @Test func aLongReasonOfADecodingFailureIsCut() throws {
        let long = String(repeating: "x", count: 10_000)
        let error = try failure([Verbose].self, "[\"\(long)\"]")
        #expect(error.description.count < 300 && error.description.contains("…"))
    }
}

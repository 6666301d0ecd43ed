import Foundation
import PledgeHTTPMessages
import Testing

@Suite struct EndpointBodyTests {
    private struct Login: Codable, Equatable {
        var user: String
        var age: Double
    }

    @Test func aBodyOfJSONCanBeReadAgain() throws {
        let login = Login(user: "ä\"/\n", age: 7.5)
        let body = try HTTPRequest.Body.json(login)
        #expect(try JSONDecoder().decode(Login.self, from: try #require(body.data)) == login)
        #expect(body.contentType == "application/json")
    }

    @Test func equalValuesGiveEqualBodies() throws {
        let keys = (0..<100).map { "key\($0)" }
        var one: [String: Int] = [:]
        var other: [String: Int] = Dictionary(minimumCapacity: 1000)
        for key in keys { one[key] = 1 }
        for key in keys.reversed() { other[key] = 1 }
        #expect(try HTTPRequest.Body.json(one) == .json(other))
    }

    @Test func theSettingsOfTheBodyAreUsed() throws {
        let json = JSONCoding(encoding: {
            $0.keyEncodingStrategy = .convertToSnakeCase
            $0.outputFormatting = .prettyPrinted
        })
        let data = try HTTPRequest.Body.json(["userName": 1], using: json).data
        #expect(data.map { String(decoding: $0, as: UTF8.self).contains("\"userName\"") } == true)
        #expect(try HTTPRequest.Body.json([1], using: json).data?.contains(0x0A) == true)
    }

    @Test func aValueThatCannotBeEncodedThrows() {
        #expect(throws: EncodingError.self) {
            try HTTPRequest.Body.json(Login(user: "", age: .nan))
        }
    }

    @Test func formsAreEncodedAsFormsAre() throws {
        let body = HTTPRequest.Body.form(
            Endpoint.Query([
                .init(name: "a b", value: "1+1=2&c"), .init(name: "ü", value: "~*-._😀"),
                .init(name: "none", value: nil), .init(name: "a b", value: "\r\n"),
                .init(name: "", value: ""),
            ]))
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(
            String(decoding: try #require(body.data), as: UTF8.self)
                == "a+b=1%2B1%3D2%26c&%C3%BC=%7E*-._%F0%9F%98%80&none=&a+b=%0D%0A&="
        )
        #expect(HTTPRequest.Body.form([:]).data == Data())
    }

    @Test func bytesAreSentAsTheyAre() {
        let body = HTTPRequest.Body.data(Data([0, 255]), contentType: "image/png")
        #expect(body.data == Data([0, 255]) && body.contentType == "image/png")
        #expect(body.description == "2 bytes of image/png")
        #expect(HTTPRequest.Body.none.data == Data() && HTTPRequest.Body.none.description == "none")
    }
}

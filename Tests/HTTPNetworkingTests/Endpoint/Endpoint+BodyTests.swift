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
        let body = try Endpoint.Body.json(login)
        #expect(try JSONDecoder().decode(Login.self, from: try #require(body.data)) == login)
        #expect(body.contentType == "application/json")
    }

    @Test func equalValuesGiveEqualBodies() throws {
        let keys = (0..<100).map { "key\($0)" }
        var one: [String: Int] = [:]
        var other: [String: Int] = Dictionary(minimumCapacity: 1000)
        for key in keys { one[key] = 1 }
        for key in keys.reversed() { other[key] = 1 }
        #expect(try Endpoint.Body.json(one) == .json(other))
    }

    @Test func anEncoderOfOnesOwnIsUsed() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let data = try Endpoint.Body.json(["userName": 1], encoder: encoder).data
        #expect(data.map { String(decoding: $0, as: UTF8.self) } == #"{"userName":1}"#)
        encoder.outputFormatting = .prettyPrinted
        #expect(try Endpoint.Body.json([1], encoder: encoder).data?.contains(0x0A) == true)
    }

    @Test func aValueThatCannotBeEncodedThrows() {
        #expect(throws: EncodingError.self) { try Endpoint.Body.json(Login(user: "", age: .nan)) }
    }

    @Test func formsAreEncodedAsFormsAre() throws {
        let body = Endpoint.Body.form([
            .init(name: "a b", value: "1+1=2&c"), .init(name: "ü", value: "~*-._😀"),
            .init(name: "none", value: nil), .init(name: "a b", value: "\r\n"),
            .init(name: "", value: ""),
        ])
        #expect(body.contentType == "application/x-www-form-urlencoded")
        #expect(
            String(decoding: try #require(body.data), as: UTF8.self)
                == "a+b=1%2B1%3D2%26c&%C3%BC=%7E*-._%F0%9F%98%80&none=&a+b=%0D%0A&="
        )
        #expect(Endpoint.Body.form([]).data == Data())
    }

    @Test func bytesAreSentAsTheyAre() {
        let body = Endpoint.Body.data(Data([0, 255]), contentType: "image/png")
        #expect(body.data == Data([0, 255]) && body.contentType == "image/png")
        #expect(body.description == "2 bytes of image/png")
        #expect(Endpoint.Body.none.data == nil && Endpoint.Body.none.description == "none")
    }
}

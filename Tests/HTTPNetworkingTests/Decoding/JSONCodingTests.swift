import Foundation
import PledgeHTTPMessages
import Testing

@Suite struct JSONCodingTests {
    private struct Order: Codable, Equatable {
        var unitPrice = 7
        var boughtOn = Date(timeIntervalSince1970: 0)
    }

    private let json = JSONCoding(
        encoding: {
            $0.keyEncodingStrategy = .convertToSnakeCase
            $0.dateEncodingStrategy = .iso8601
        },
        decoding: {
            $0.keyDecodingStrategy = .convertFromSnakeCase
            $0.dateDecodingStrategy = .iso8601
        })

    @Test func bodiesAreEncodedWithTheSettings() throws {
        let text = #"{"bought_on":"1970-01-01T00:00:00Z","unit_price":7}"#
        let body = try HTTPRequest.Body.json(Order(), using: json)
        #expect(body.data == Data(text.utf8) && body.contentType == "application/json")
        #expect(try json.decoder().decode(Order.self, from: Data(text.utf8)) == Order())
    }

    @Test func withoutSettingsKeysAreSorted() throws {
        let text = try JSONCoding().encoder().encode(["b": 1, "a": 2, "c": 3])
        #expect(text == Data(#"{"a":2,"b":1,"c":3}"#.utf8))
        #expect(
            try HTTPRequest.Body.json(["b": 1, "a": 2], using: JSONCoding())
                == .json(["a": 2, "b": 1]))
    }
}

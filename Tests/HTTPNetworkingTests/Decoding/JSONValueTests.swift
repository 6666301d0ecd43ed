import Foundation
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct JSONValueTests {
    @Test func eachKindOfJSONIsRead() throws {
        let text = #"{"a":[null,true,0,1,-7,1.5,1e300,"x","",{}],"b":{"c":[]}}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(
            value
                == .object([
                    "a": .array([
                        .null, .bool(true), .integer(0), .integer(1), .integer(-7), .number(1.5),
                        .number(1e300), .string("x"), .string(""), .object([:]),
                    ]),
                    "b": .object(["c": .array([])]),
                ]))
    }

    @Test func aLiteralIsWrittenAndReadAgain() throws {
        let name = "x"
        let value: JSONValue = [
            "a": [nil, true, 1, -1.5, "é"], "b": ["c": [:], "d": []], "e": .string(name),
        ]
        let data = try JSONCoding().encoder().encode(value)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"a":[null,true,1,-1.5,"é"],"b":{"c":{},"d":[]},"e":"x"}"#)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(value["a"]?[4] == "é" && value["b"]?["c"] == [:])
        #expect(value["a"]?[5] == nil && value["a"]?[-1] == nil && value[0] == nil)
        #expect(value["z"] == nil && value["a"]?["a"] == nil)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(.nan)) }
    }

    @Test func anObjectKeepsItsNamesAndEncodesItsValuesByTheSettings() throws {
        let object: JSONObject = [
            "firstName": "Ann", "at": Date(timeIntervalSince1970: 0), "none": nil,
            "inner": JSONObject(dictionaryLiteral: ("isOld", true)),
        ]
        let data = try JSONCoding.iso8601.snakeCase.encoder().encode(object)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"at":"1970-01-01T00:00:00Z","firstName":"Ann","inner":{"isOld":true},"none":null}"#
        )
        #expect("\(object)" == "JSONObject(at, firstName, inner, none)")
    }

    private static func nested(_ depth: Int, _ open: String, _ close: String) -> Data {
        Data(
            (String(repeating: open, count: depth) + "0" + String(repeating: close, count: depth))
                .utf8)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":["#, "]}]")])
    func aHundredObjectsAndArraysDeepIsTheMost(open: String, close: String) throws {
        let level = open.filter { $0 == "[" || $0 == "{" }.count
        let most = Self.nested(100 / level, open, close)
        #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, from: most) }
        let response = HTTPResponse(status: 200, body: Self.nested(100 / level + 1, open, close))
        let failure = try #require(throws: DecodingFailure.self) {
            try response.decoded(as: JSONValue.self)
        }
        #expect(failure.code == .dataCorrupted, "\(failure)")
    }

    @Test(arguments: [99, 380, 500, 10_000]) func noDepthOfJSONOverflowsTheStack(depth: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let body = Data(#"{"a":"#.utf8) + Self.nested(depth, open, close) + Data("}".utf8)
            let hasProblem = onSmallThread {
                let headers: HTTPHeaders = ["Content-Type": "application/problem+json"]
                return HTTPResponse(status: 400, headers: headers, body: body).problem != nil
            }
            #expect(hasProblem == (depth == 99), "\(depth)")
        }
    }
}

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

import Foundation
import HTTPNetworking
import Testing

@Suite struct JSONValueTests {
    @Test func eachKindIsRead() throws {
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
}

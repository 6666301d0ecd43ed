import Foundation
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeHTTPNetworking

@Suite struct JSONScannerTests {
    private func tokens(_ text: String) -> [String] {
        var scanner = JSONScanner(Array(text.utf8))
        var all: [String] = []
        let part = { (range: Range<Int>) in
            String(decoding: Array(text.utf8)[range], as: UTF8.self)
        }
        while true {
            switch scanner.next() {
            case .open(let isObject): all.append(isObject ? "{" : "[")
            case .close(let isObject): all.append(isObject ? "}" : "]")
            case .name(let range): all.append("\(part(range)):")
            case .string(let range): all.append("'\(part(range))'")
            case .scalar(let range): all.append(part(range))
            case .end: return all
            case .broken: return all + ["broken"]
            }
        }
    }

    @Test func aDocumentIsReadInOrder() {
        #expect(
            tokens(#" {"a" : [1, -2.5e3, true,null, "x\"y"], "b":{}, "c":[] } "#)
                == [
                    "{", "a:", "[", "1", "-2.5e3", "true", "null", #"'x\"y'"#, "]", "b:", "{", "}",
                    "c:", "[", "]", "}",
                ])
        #expect(tokens("{\"a\":1}\n{\"b\":2}\n") == ["{", "a:", "1", "}", "{", "b:", "2", "}"])
        #expect(tokens("7") == ["7"])
    }

    @Test(arguments: [
        ("", []), ("Not Found", []), ("<html>", []), ("{", ["{"]), ("{\"a\"", ["{"]),
        ("{\"a\":", ["{", "a:"]), ("[1", ["[", "1"]), ("[1,]", ["[", "1"]), ("[1}", ["[", "1"]),
        ("{\"a\":\"s3", ["{", "a:"]), ("]", []), ("{1:2}", ["{"]), ("[truth]", ["["]),
        ("{\"a\":1 \"b\"}", ["{", "a:", "1"]), ("\"a\\", []),
    ])
    func whatIsNoneIsBroken(text: String, before: [String]) {
        #expect(tokens(text) == before + ["broken"])
    }

    @Test func whateverFoundationReadsIsRead() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let value = RandomJSON.object(depth: 3, using: &random) {
                "v\($0.next() % 1000) \"\\\n/é"
            }
            let data = try JSONSerialization.data(withJSONObject: value)
            let text = String(decoding: data, as: UTF8.self)
            #expect(tokens(text).last != "broken", "\(text)")
            #expect(tokens(String(text.dropLast())).last == "broken", "\(text)")
        }
    }

    @Test func depthCostsNoStack() {
        let text = String(repeating: "[", count: 60_000)
        #expect(tokens(text).count == 60_001)
    }
}

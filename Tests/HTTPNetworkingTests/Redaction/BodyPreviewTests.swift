import Foundation
import HTTPTestSupport
import TestSupport
import Testing

@testable import PledgeHTTPText

@Suite struct BodyTextTests {
    private func kind(_ body: String, _ type: String?) -> String {
        switch BodyText(Data(body.utf8), contentType: type) {
        case .json: "json"
        case .form: "form"
        case .plain: "plain"
        case .opaque: "opaque"
        }
    }

    @Test(arguments: [
        (#"{"a":1}"#, "application/json; charset=utf-8", "json"),
        (#"{"a":1}"#, "application/problem+JSON", "json"), (#"{"a":1}"#, nil, "json"),
        (#"{"a":1}"#, "text/plain", "json"), (#"{"a":1}"#, "image/png", "json"),
        (#"{"a":"cut"#, "text/plain", "json"), (#"["cut", "#, "text/html", "json"),
        ("\u{FEFF}{\"a\":1}", nil, "json"), ("7", "application/json", "json"),
        ("7", "text/plain", "plain"), ("[12:00] failed", "text/plain", "plain"),
        ("Not Found", "application/json", "plain"), ("<html></html>", "text/html", "plain"),
        ("a=1&b=2", "application/x-www-form-urlencoded", "form"), ("a=1&b=2", nil, "form"),
        ("access_token=x", "text/plain", "form"), ("a=b=c", nil, "plain"),
        ("a = b", "text/plain", "plain"),
        ("YWJj=", "text/plain", "plain"), ("", nil, "plain"), ("<a>x</a>", "text/xml", "opaque"),
        ("x", "application/octet-stream", "opaque"), ("a\0b", "text/plain", "opaque"),
    ])
    func aBodysTextIsTakenForWhatItIs(body: String, type: String?, expected: String) {
        #expect(kind(body, type) == expected)
    }

    @Test func bytesThatAreNoTextAreOpaque() {
        guard case .opaque = BodyText(Data([0xFF, 0xFE, 0x41]), contentType: "text/plain") else {
            Issue.record("it was taken for a text")
            return
        }
    }

    @Test func aLargeTextIsCutBetweenCharacters() {
        let body = Data(("a" + String(repeating: "é", count: KnownSecrets.limit)).utf8)
        guard case .plain(let text) = BodyText(body, contentType: "text/plain") else {
            Issue.record("it was not taken for a text")
            return
        }
        #expect(text.count == KnownSecrets.limit - 1)
    }

    @Test func aLargeDocumentIsNotWhole() {
        let body = Data(("{\"a\":1}" + String(repeating: " ", count: KnownSecrets.limit)).utf8)
        guard case .json(let outline) = BodyText(body, contentType: nil) else {
            Issue.record("it was not taken for JSON")
            return
        }
        #expect(!outline.isWhole)
    }
}

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
    func aTextThatIsNoJSONIsBroken(text: String, before: [String]) {
        #expect(tokens(text) == before + ["broken"])
    }

    @Test func aScannerReadsAllJSONThatFoundationReads() throws {
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

    @Test func scanningDeepJSONNeedsNoStack() {
        let text = String(repeating: "[", count: 60_000)
        #expect(tokens(text).count == 60_001)
    }
}

/// Random JSON objects, with texts that the caller makes.
enum RandomJSON {
    static func object<Generator: RandomNumberGenerator>(
        depth: Int, using random: inout Generator, text: (inout Generator) -> String
    ) -> [String: Any] {
        var object: [String: Any] = [:]
        for number in 0...Int.random(in: 0...3, using: &random) {
            object["k\(number)\(random.next() % 10)"] = value(
                depth: depth, using: &random, text: text)
        }
        return object
    }

    private static func value<Generator: RandomNumberGenerator>(
        depth: Int, using random: inout Generator, text: (inout Generator) -> String
    ) -> Any {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random) {
        case 0: return true
        case 1: return Int.random(in: 0..<100, using: &random)
        case 2, 3: return text(&random)
        case 4: return object(depth: depth - 1, using: &random, text: text)
        default:
            return (0..<2).map { _ in value(depth: depth - 1, using: &random, text: text) }
        }
    }
}

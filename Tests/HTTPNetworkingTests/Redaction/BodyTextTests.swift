import Foundation
import Testing

@testable import PledgeHTTPNetworking

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
    func itIsTakenForWhatItIs(body: String, type: String?, expected: String) {
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

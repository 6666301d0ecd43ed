import Foundation
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct URLFuzzTests {
    @Test func whatHasAnOriginCanBeSentAndShowsNoUserinfo() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "urls"),
            words: [
                "http://", "https://", "user:p4ss@", "example.com", ":80", "/a", "?b=c", "#d",
                "[::1]",
            ],
            delimiters: "/:@?#&=.%[]", seed: 2)
        var sent = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            guard let url = URL(string: text) else { continue }
            let request = HTTPRequest(.get, url)
            let isValid = (try? request.validate()) != nil
            #expect(isValid == (HTTPOrigin(url) != nil), "\(text.debugDescription)")
            let authority = request.description.split(separator: "/").dropFirst().first ?? ""
            #expect(!authority.contains("p4ss"), "\(text.debugDescription)")
            if isValid { sent += 1 }
            // The origin of an origin's own text is itself.
            if let origin = HTTPOrigin(url), let again = URL(string: origin.description) {
                #expect(HTTPOrigin(again) == origin, "\(text.debugDescription)")
            }
        }
        #expect(sent > fuzzInputCount() / 50)
    }

    @Test func anEndpointsPathIsReadBackAsItWas() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "urls"), words: ["a b", "%2F", "..", ".", "+", "é"],
            delimiters: "/:@?#&=.%", seed: 3)
        let base = try #require(URL(string: "https://example.com/base"))
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let endpoint = Endpoint(
                path: text, query: .init([.init(name: text, value: text)]), base: base)
            guard let url = endpoint.url else { continue }
            let parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
            let path = text.hasPrefix("/") || text.isEmpty ? text : "/" + text
            #expect(decoded(parts.percentEncodedPath) == Array(("/base" + path).utf8))
            let item = try #require(parts.percentEncodedQueryItems?.first)
            #expect(decoded(item.name) == Array(text.utf8))
            #expect(decoded(item.value ?? "") == Array(text.utf8))
            #expect(parts.host == "example.com")
        }
    }

    /// The bytes that a percent-encoded text stands for: Foundation's own decoder drops U+FEFF.
    private func decoded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

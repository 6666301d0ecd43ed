import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct HeadersFuzzTests {
    @Test func whatIsValidIsOneLineAndIsKept() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "headers"),
            words: ["Content-Type", "Set-Cookie", "cookie", "X-A", "a=b", "q=0.5", "\r\nX: y"],
            delimiters: ":;,= \r\n\"", seed: 4)
        var valid = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let value = parts.count > 1 ? String(parts[1]) : ""
            var headers = HTTPHeaders([(name, value), ("X-Other", "1"), (name, "second")])
            #expect(headers.values(for: name).count == 2, "\(text.debugDescription)")
            #expect(headers[name] != nil)
            if HTTPHeaders.isValid(name: name, value: value) {
                valid += 1
                #expect(!"\(name): \(value)".utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 })
            }
            #expect(!headers.description.utf8.contains { $0 < 32 }, "\(text.debugDescription)")
            headers.set("only", for: name)
            #expect(headers.values(for: name) == ["only"])
            headers.remove(name)
            #expect(headers.count == 1 || name.lowercased() == "x-other")
        }
        #expect(valid > fuzzInputCount() / 50)
    }
}

import PledgeHTTPAuthentication
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct DateFuzzTests {
    @Test func whateverIsADateIsWrittenAndReadAgain() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "dates"),
            words: ["Sun,", "Sunday,", "Nov", "29", "Feb", "GMT", "1994", "08:49:37", "24:60:61"],
            delimiters: " ,-:", seed: 1)
        var read = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            guard let date = Date(httpText: text) else { continue }
            read += 1
            #expect(Date(httpText: date.httpText) == date, "\(text.debugDescription)")
            #expect(date.httpText.utf8.count == 29, "\(text.debugDescription)")
        }
        // Were everything refused, nothing would have been tried.
        #expect(read > fuzzInputCount() / 100)
    }
}

import Foundation
import TestSupport
import Testing

@testable import PledgeHTTPMessages

@Suite(.oneAtATime) struct LocationFuzzTests {
    @Test func aLocationLeadsToWhereItSaysOrNowhere() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "locations"),
            words: [
                "http://", "https:", "//", "..", "/./", "@", "evil.com", "\\", "%2e%2e", "?", "#",
            ],
            delimiters: "/:@?#.\\%", seed: 10)
        let base = try #require(URL(string: "https://user@example.com/a/b?c=d#e"))
        var led = 0
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            guard let url = URLReference(text).resolved(against: base) else { continue }
            led += 1
            #expect(HTTPOrigin(url) != nil, "\(text.debugDescription)")
            #expect(
                url.absoluteString.utf8.allSatisfy { 33...126 ~= $0 }, "\(text.debugDescription)")
            // Its own text leads to the same place, so nothing is left to be read in two ways.
            let again = URLReference(url.absoluteString).resolved(against: base)
            let isElsewhere = HTTPOrigin(url) != HTTPOrigin(base)
            if isElsewhere { #expect(again?.absoluteString == url.absoluteString) }
            #expect(
                again?.path == url.path && again?.query == url.query, "\(text.debugDescription)")
        }
        #expect(led > fuzzInputCount() / 10)
    }

    @Test func aDelayIsNeverNegativeNorBeyondItsBound() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "dates") + [Array("120".utf8)], words: ["0", "60", "GMT"],
            delimiters: " ,-:", seed: 11)
        let now = Date(secondsSince1970: 784_111_000)
        for _ in 0..<fuzzInputCount() {
            let text = String(decoding: inputs.next(), as: UTF8.self)
            guard let delay = RetryAfter.delay(in: ["Retry-After": text], now: now) else {
                continue
            }
            #expect(delay >= .zero && delay <= .seconds(DeltaSeconds.most))
        }
    }
}

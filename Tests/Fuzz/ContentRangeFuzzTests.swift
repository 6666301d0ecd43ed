import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

/// Content-Range values, and the records of downloads, from random bytes.
@Suite(.oneAtATime) struct ContentRangeFuzzTests {
    @Test func aContentRangeIsReadAsItsGrammarSaysOrNotAtAll() {
        var random = SeededGenerator(seed: 1)
        let pieces = [
            "bytes", "BYTES", " ", "  ", "-", "/", "*", "0", "1", "99", "100", "00", "+1", "1e3",
            "9223372036854775807", "9223372036854775808", "18446744073709551616", ",", "items",
        ]
        var read = 0
        for _ in 0..<fuzzInputCount() * 10 {
            var text = (0..<Int.random(in: 0...7, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            if Bool.random(using: &random) {
                let first = Int64.random(in: 0...100, using: &random)
                text =
                    "bytes \(first)-\(first + .random(in: -2...50, using: &random))/"
                    + (Bool.random(using: &random)
                        ? "*" : "\(Int.random(in: 0...160, using: &random))")
            }
            guard let range = ContentRange(text) else { continue }
            read += 1
            // What was read, written again, is the same text but for case and leading zeros.
            let bytes = range.bytes.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
            let again = "bytes \(bytes)/\(range.total.map { "\($0)" } ?? "*")"
            #expect(ContentRange(again) == range)
            #expect(!text.contains(",") && !text.contains("+"))
            if let bytes = range.bytes {
                #expect(!bytes.isEmpty && bytes.upperBound <= range.total ?? .max)
            } else {
                #expect(range.total != nil)
            }
        }
        #expect(read > 0)
        for text in [
            "", "bytes", "bytes 0-0", "bytes */*", "bytes 5-4/9", "bytes 0-9/9", "bytes 0-1/ 9",
            "bytes=0-1/9", "items 0-1/9", "bytes 0-1/9 ", "bytes -1/9", "bytes 1-/9",
            "bytes 0--1/9",
            "bytes 0-9223372036854775807/*",
        ] {
            #expect(ContentRange(text) == nil, "\(text)")
        }
    }

    @Test("a changed record of a download is refused, and one with a right hash is sane")
    func aChangedRecordOfADownloadIsRefused() {
        var random = SeededGenerator(seed: 2)
        let lines = [
            "pledge-download 2", "s", "u", "users", "\"1\"", "gzip", "100", "0 50", "60 100",
        ]
        var read = 0
        for _ in 0..<fuzzInputCount() {
            var lines = lines
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let index = Int.random(in: 0..<lines.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: lines.remove(at: index)
                case 1: lines.insert("\(Int.random(in: -9...200, using: &random)) 70", at: index)
                case 2: lines[index] = "\(Int64.random(in: -9...200, using: &random))"
                default:
                    lines[index] += ["", " ", "\u{0}", "9"].randomElement(using: &random) ?? ""
                }
                if lines.isEmpty { break }
            }
            var bytes = SealedLines.encoded(lines)
            if let state = DownloadState(encoded: bytes) {
                read += 1
                #expect(state.validator?.isEmpty == false && state.received >= 0)
                var divided = state
                divided.divide(into: .random(in: 1...32, using: &random))
                for index in divided.missing { #expect(divided.parts[index].next >= 0) }
                #expect(divided.received == state.received)
            }
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(DownloadState(encoded: bytes) == nil)
        }
        #expect(read > 0)
    }
}

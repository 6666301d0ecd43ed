import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite struct BytePatternTests {
    /// Compared with the plainest search, on an alphabet of two letters, in which many parts nearly match.
    @Test func aBytePatternFindsWhatAPlainSearchFinds() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<3_000 {
            let length = Int.random(in: 1...6, using: &random)
            let pattern = (0..<length).map { _ in UInt8.random(in: 0...1, using: &random) }
            let count = Int.random(in: 0...40, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...1, using: &random) }
            let start = Int.random(in: 0...count, using: &random)
            let plain = (start..<max(start, count - length + 1)).first {
                Array(bytes[$0..<$0 + length]) == pattern
            }
            // A slice, so that an index that is used as an offset fails the test.
            let data = Data([9, 9, 9] + bytes)[3...]
            #expect(BytePattern(pattern).firstOffset(in: data, from: start) == plain)
            let partial = (1..<length).reversed().first {
                $0 <= count && Array(bytes.suffix($0)) == Array(pattern.prefix($0))
            }
            #expect(BytePattern(pattern).lengthOfPartialMatch(atEndOf: data) == partial ?? 0)
        }
    }
}

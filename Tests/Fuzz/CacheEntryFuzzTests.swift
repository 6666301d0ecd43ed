import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// Stored responses whose bytes were changed.
@Suite(.oneAtATime) struct CacheEntryFuzzTests {
    private let response = CachedResponse(
        status: 200, headers: ["ETag": "\"1\"", "Vary": "Accept", "Cache-Control": "max-age=9"],
        body: Data("body".utf8), url: URL(string: "https://example.com/"), lifetime: 9)

    @Test func noChangeOfAnEntrysBytesIsTakenForAResponse() throws {
        var random = SeededGenerator(seed: 1)
        let bytes = Array(response.encoded)
        for _ in 0..<fuzzInputCount() {
            var changed = bytes
            change(&changed, &random)
            if changed != bytes { #expect(CachedResponse(encoded: Data(changed)) == nil) }
        }
    }

    @Test("bytes with a right checksum are read without a trap, or refused")
    func bytesWithARightChecksumAreReadWithoutATrap() throws {
        var random = SeededGenerator(seed: 2)
        let format = CachedResponse.format
        let content = Array(
            try #require(CachedResponse.opened(Array(response.encoded), as: format)))
        var read = 0
        for _ in 0..<fuzzInputCount() {
            var changed = content
            change(&changed, &random)
            let sealed = CachedResponse.sealed(changed, as: format)
            guard let found = CachedResponse(encoded: Data(sealed)) else { continue }
            read += 1
            let again = try #require(CachedResponse(encoded: found.encoded))
            #expect(again.status == found.status && again.body == found.body)
            #expect(again.headers.map { "\($0)" } == found.headers.map { "\($0)" })
            let now = ClockReading(date: .now, instant: SchedulerInstant(offset: .seconds(1)))
            #expect(found.age(at: now) >= 0 && found.byteCount > 0 && !"\(found)".isEmpty)
        }
        #expect(read > 0)
    }

    private func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<max(1, bytes.count), using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: if index < bytes.count { bytes[index] = .random(in: 0...255, using: &random) }
            case 1: bytes.insert(.random(in: 0...255, using: &random), at: min(index, bytes.count))
            case 2: if index < bytes.count { bytes.remove(at: index) }
            case 3: bytes.removeLast(min(bytes.count, Int.random(in: 0...20, using: &random)))
            default:
                for offset in index..<min(bytes.count, index + 8) { bytes[offset] = 255 }
            }
        }
    }
}

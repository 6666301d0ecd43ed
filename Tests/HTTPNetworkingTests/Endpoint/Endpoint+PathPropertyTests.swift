import Foundation
import PledgeHTTPNetworking
import TestSupport
import Testing

/// Random literals with random values, read by an independent parser.
@Suite(.oneAtATime) struct EndpointPathPropertyTests {
    @Test(arguments: 0..<40) func everyValueComesBackWholeAndInItsPlace(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let base = URL(string: "https://api.example.com/v1")
        for _ in 0..<100 {
            let wanted = RandomPath(using: &random)
            let endpoint = Endpoint(path: wanted.path, base: base)
            guard wanted.isValid else {
                #expect(endpoint.url == nil, "\(wanted)")
                continue
            }
            let url = try #require(endpoint.url, "\(wanted)").absoluteString
            let read = try #require(RFC3986URL(url), "\(url)")
            #expect(read.scheme == "https" && read.authority == "api.example.com", "\(url)")
            #expect(read.segments == [[], Array("v1".utf8)] + wanted.segments, "\(url)")
            #expect(read.query ?? [] == wanted.query, "\(url)")
            #expect(read.fragment == nil, "\(url)")
        }
    }

    @Test(arguments: 0..<40) func aTextIsOnePathWhateverItHolds(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let wanted = RandomPath(using: &random)
            let segments = wanted.segments.map { String(decoding: $0, as: UTF8.self) }
            let text = "/" + segments.joined(separator: "/")
            let endpoint = Endpoint(path: text, base: URL(string: "https://h"))
            let parts = Array(text.utf8).split(separator: 47, omittingEmptySubsequences: false)
            if RandomPath.hasDotSegment(text.utf8) {
                #expect(endpoint.url == nil, "\(text)")
                continue
            }
            let url = try #require(endpoint.url, "\(text)").absoluteString
            let read = try #require(RFC3986URL(url), "\(url)")
            #expect(read.segments == parts.map(Array.init) && read.query == nil, "\(url)")
            #expect(endpoint.path.utf8.elementsEqual(text.utf8), "\(url)")
        }
    }
}

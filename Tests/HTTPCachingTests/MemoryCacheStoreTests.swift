import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPCaching

@Suite(.oneAtATime) struct MemoryCacheTableTests {
    private func key(_ number: Int) -> CacheKey {
        CacheKey(URL(string: "https://example.com/\(number)")!)!
    }

    /// A response with a body of so many bytes.
    private func entry(_ bytes: Int, number: Int = 1) -> CachedResponse {
        let (date, url) = (Date(secondsSince1970: 0), URL(string: "https://a")!)
        return CachedResponse(
            status: 200, headers: [:], body: Data(count: bytes), url: nil,
            variant: CacheVariant(
                of: PresentedRequest(HTTPRequest(.get, url), CacheKey(url)!), response: [:],
                mode: .shared)!, requestTime: date,
            responseTime: date, initialAge: 0, lifetime: 1, received: nil, number: number,
            control: CacheControl([:]))
    }

    private func put(_ number: Int, _ bytes: Int, in table: inout MemoryCacheTable) {
        _ = table.update(key(number)) { $0 = [entry(bytes)] }
    }

    /// The size of a response with an empty body.
    private var overhead: Int { entry(0).byteCount + key(1).url.utf8.count }

    @Test func theURLUnusedForLongestMakesRoom() {
        var table = MemoryCacheTable(limit: 3 * (overhead + 100), largest: 1_000)
        for number in 1...3 { put(number, 100, in: &table) }
        #expect(table.usage == CacheUsage(count: 3, bytes: table.limit))
        #expect(table.find(key(1)).count == 1)
        put(4, 100, in: &table)
        #expect((1...4).map { table.find(key($0)).count } == [1, 0, 1, 1])
    }

    @Test func largeOnesTakeTheRoomOfSeveral() {
        var table = MemoryCacheTable(limit: 4 * (overhead + 100), largest: 10_000)
        for number in 1...4 { put(number, 100, in: &table) }
        put(5, 100 + overhead + 100, in: &table)
        #expect((1...5).map { table.find(key($0)).count } == [0, 0, 1, 1, 1])
    }

    @Test func whatIsLargerThanItsShareIsNotKept() {
        var table = MemoryCacheTable(limit: 10_000, largest: entry(100).byteCount)
        put(1, 100, in: &table)
        put(2, 101, in: &table)
        #expect(table.find(key(1)).count == 1 && table.find(key(2)).isEmpty)
        put(1, 101, in: &table)
        #expect(table.find(key(1)).isEmpty && table.usage == CacheUsage(count: 0, bytes: 0))
    }

    @Test func theOldestVariantsOfOneURLMakeRoom() {
        var table = MemoryCacheTable(limit: 2 * (overhead + 100), largest: 1_000)
        _ = table.update(key(1)) { $0 = (1...3).map { entry(100, number: $0) } }
        #expect(table.find(key(1)).map(\.number) == [2, 3])
    }

    @Test func whatWasTakenOutIsGivenBack() {
        var table = MemoryCacheTable(limit: 10_000, largest: 1_000)
        put(1, 1, in: &table)
        #expect(table.update(key(1)) { $0 = [] }.count == 1)
        put(2, 1, in: &table)
        #expect(table.removeAll().count == 1 && table.usage == CacheUsage(count: 0, bytes: 0))
        #expect(table.find(key(2)).isEmpty)
    }

    /// A plain list with the same rules, which is compared with the table over random uses.
    @Test(arguments: 1...3) func randomUsesStayWithinTheBound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = 5_000
        var table = MemoryCacheTable(limit: limit, largest: 2_000)
        var model: [(key: Int, bytes: Int)] = []
        for _ in 0..<2_000 {
            let number = Int.random(in: 1...12, using: &random)
            if Bool.random(using: &random) {
                let isThere = model.firstIndex { $0.key == number }
                if let isThere { model.append(model.remove(at: isThere)) }
                #expect(table.find(key(number)).isEmpty == (isThere == nil))
            } else {
                let size = Int.random(in: 0...2_500, using: &random)
                put(number, size, in: &table)
                model.removeAll { $0.key == number }
                let bytes = entry(size).byteCount + key(number).url.utf8.count
                if entry(size).byteCount <= 2_000 {
                    while model.reduce(bytes, { $0 + $1.bytes }) > limit { model.removeFirst() }
                    model.append((number, bytes))
                }
            }
            let total = model.reduce(0) { $0 + $1.bytes }
            #expect(table.usage == CacheUsage(count: model.count, bytes: total))
            #expect(table.usage.bytes <= limit)
        }
    }
}

import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// RFC 9111, section 3.3: stored parts answer requests for the same part.
@Suite struct CachePartTests {
    private static let whole = "0123456789"

    private func part(
        _ place: String = "bytes 2-4/10", _ body: String = "234", tag: String? = "\"a\"",
        _ more: HTTPHeaders = [:]
    ) -> CacheBench.Reply {
        var headers = more
        headers.set("max-age=100", for: "Cache-Control")
        headers.set(place, for: "Content-Range")
        headers["ETag"] = tag
        return .init(status: 206, headers: headers, body: body)
    }

    private let range: HTTPHeaders = ["Range": "bytes=2-4"]

    @Test(arguments: [false, true]) func theSameRangeIsAnsweredFromThePart(inFolder: Bool) throws {
        let bench = CacheBench(folder: CacheBench.folder(inFolder))
        bench.answers(part())
        try bench.ask(.get, "/", range)
        bench.advance(9)
        let again = try bench.ask(.get, "/", range)
        #expect(again.status == 206 && again.text == "234" && bench.requests.count == 1)
        #expect(again.headers["Content-Range"] == "bytes 2-4/10" && again.headers["Age"] == "9")
    }

    @Test(
        arguments: [
            [:], ["Range": "bytes=2-3"], ["Range": "bytes=2-"], ["Range": "bytes=3-4"],
            ["Range": "bytes=-3"], ["Range": "bytes=2-4,6-7"], ["Range": "lines=2-4"],
        ] as [HTTPHeaders], [false, true])
    func noOtherRequestIsAnsweredFromAPart(asking: HTTPHeaders, inFolder: Bool) throws {
        let bench = CacheBench(folder: CacheBench.folder(inFolder))
        bench.answers(part(), .init(headers: ["Cache-Control": "no-store"]))
        try bench.ask(.get, "/", range)
        #expect(try bench.get(asking) == "2")
        #expect(bench.last?.headers["If-None-Match"] == nil)
    }

    @Test func aPartObeysIfRange() throws {
        let bench = CacheBench()
        bench.answers(part(), .init(body: Self.whole))
        try bench.ask(.get, "/", range)
        let asking = { (condition: String) in
            try bench.ask(.get, "/", ["Range": "bytes=2-4", "If-Range": condition])
        }
        #expect(try asking("\"a\"").text == "234" && bench.requests.count == 1)
        for other in ["\"b\"", "W/\"a\"", CacheBench.date(0)] {
            #expect(try asking(other).text == Self.whole)
        }
        #expect(bench.requests.count == 4)
    }

    @Test func theTagOfAPartIsCompared() throws {
        let bench = CacheBench()
        bench.answers(part())
        try bench.ask(.get, "/", range)
        let same = try bench.ask(
            .get, "/", ["Range": "bytes=2-4", "If-None-Match": "\"a\""])
        #expect(same.status == 304 && same.body.isEmpty && bench.requests.count == 1)
    }

    /// Whether a 206 is stored as the answer to a range.
    private func stores(_ reply: CacheBench.Reply, for range: String) throws -> Bool {
        let bench = CacheBench()
        bench.answers(reply)
        for _ in 1...2 { try bench.ask(.get, "/", ["Range": range]) }
        return bench.requests.count == 1
    }

    @Test(arguments: [
        ("bytes=2-4", "bytes 2-4/10", "234"), ("bytes=8-", "bytes 8-9/10", "89"),
        ("bytes=-3", "bytes 7-9/10", "789"), ("bytes=8-20", "bytes 8-9/10", "89"),
        ("bytes=-20", "bytes 0-9/10", whole),
    ])
    func aWholePartIsStored(range: String, place: String, body: String) throws {
        #expect(try stores(part(place, body), for: range))
    }

    @Test(arguments: [
        ("bytes=2-4", "bytes 2-3/10", "23"), ("bytes=2-4", "bytes 2-4/10", "23"),
        ("bytes=2-4", "bytes 3-5/10", "345"), ("bytes=2-4", "bytes 2-4/*", "234"),
        ("bytes=2-4", "bytes 2-4", "234"), ("bytes=2-4", "lines 2-4/10", "234"),
        ("bytes=2-", "bytes 2-4/10", "234"), ("bytes=2-4,6-6", "bytes 2-4/10", "234"),
        ("bytes=2-4", "bytes 2-4/3", "234"), ("bytes=-3", "bytes 7-9/99999999999999999999", "789"),
    ])
    func anyOtherPartIsNotStored(range: String, place: String, body: String) throws {
        #expect(try !stores(part(place, body), for: range))
    }

    @Test func aPartNeedsAStrongTagAndNoEncoding() throws {
        #expect(try !stores(part(tag: nil), for: "bytes=2-4"))
        #expect(try !stores(part(tag: "W/\"a\""), for: "bytes=2-4"))
        let changed: HTTPHeaders = ["Last-Modified": CacheBench.date(-900)]
        #expect(try !stores(part(tag: nil, changed), for: "bytes=2-4"))
        #expect(try !stores(part(["Content-Encoding": "gzip"]), for: "bytes=2-4"))
        #expect(try !stores(part(["Content-Length": "4"]), for: "bytes=2-4"))
    }

    private func part(_ more: HTTPHeaders) -> CacheBench.Reply {
        part("bytes 2-4/10", "234", tag: "\"a\"", more)
    }

    @Test(arguments: [false, true]) func partsOfOneVersionStayBesideTheWhole(inFolder: Bool) throws
    {
        let bench = CacheBench(folder: CacheBench.folder(inFolder))
        bench.answers(
            part(), part("bytes 5-6/10", "56"),
            .init(headers: ["Cache-Control": "max-age=1", "ETag": "\"a\""], body: Self.whole))
        try bench.ask(.get, "/", range)
        try bench.ask(.get, "/", ["Range": "bytes=5-6"])
        try bench.ask()
        #expect(try bench.get(range) == "234" && bench.get(["Range": "bytes=5-6"]) == "56")
        #expect(try bench.get() == Self.whole && bench.requests.count == 3)
        let url = URL(string: "https://example.com/")!
        let key = try #require(CacheKey(url))
        #expect(bench.cache.store.responses(for: key).valueNow?.count == 3)
    }

    @Test(arguments: [false, true]) func anotherVersionTakesThePartsAway(isPart: Bool) throws {
        let bench = CacheBench()
        let new =
            isPart
            ? part("bytes 5-6/10", "fg", tag: "\"b\"")
            : .init(headers: ["Cache-Control": "max-age=1, no-cache", "ETag": "\"b\""], body: "x")
        bench.answers(part(), new, part("bytes 2-4/10", "cde", tag: "\"b\""))
        try bench.ask(.get, "/", range)
        try bench.ask(.get, "/", isPart ? ["Range": "bytes=5-6"] : [:])
        #expect(try bench.get(range) == "cde" && bench.requests.count == 3)
    }

    @Test func aPartOfAnotherVersionTakesTheWholeAway() throws {
        let bench = CacheBench()
        bench.answers(
            .init(headers: ["Cache-Control": "max-age=100", "ETag": "\"a\""], body: Self.whole),
            part("bytes 2-4/10", "cde", tag: "\"b\""), .init(body: "abcdefghij"))
        try bench.ask()
        #expect(try bench.get(["Range": "bytes=2-4", "Cache-Control": "no-cache"]) == "cde")
        #expect(try bench.get() == "abcdefghij")
    }

    @Test func aNewAnswerThatIsNotStoredTakesThePartsAway() throws {
        let bench = CacheBench()
        bench.answers(part(), .init(headers: ["Cache-Control": "no-store"]), .init(body: "x"))
        try bench.ask(.get, "/", range)
        try bench.ask()
        #expect(try bench.get(range) == "x")
    }

    @Test func a304RenewsThePartsWithItsStrongTag() throws {
        let bench = CacheBench()
        bench.answers(
            part(),
            .init(headers: ["Cache-Control": "max-age=100", "ETag": "\"a\""], body: "whole"),
            .init(status: 304, headers: ["ETag": "\"a\"", "X": "new"]))
        try bench.ask(.get, "/", range)
        try bench.ask()
        bench.advance(100)
        #expect(try bench.get() == "whole" && bench.requests.count == 3)
        let renewed = try bench.ask(.get, "/", range)
        #expect(renewed.status == 206 && renewed.text == "234" && renewed.headers["X"] == "new")
        #expect(renewed.headers["Content-Range"] == "bytes 2-4/10" && bench.requests.count == 3)
    }

    @Test func aStalePartIsNotUsed() throws {
        let bench = CacheBench()
        bench.answers(part(), part())
        try bench.ask(.get, "/", range)
        bench.advance(100)
        #expect(try bench.get(range) == "234" && bench.requests.count == 2)
        #expect(bench.last?.headers["Range"] == "bytes=2-4")
    }

    @Test func anotherUserGetsNoPart() throws {
        let bench = CacheBench()
        bench.answers(part())
        for user in ["a", "b", "a", "b"] {
            let asking: HTTPHeaders = ["Range": "bytes=2-4", "Authorization": "Bearer \(user)"]
            #expect(try bench.get(asking) == "234")
        }
        #expect(bench.requests.count == 2)
    }

    @Test func partsMakeRoomBeforeTheWhole() throws {
        let bench = CacheBench()
        let whole: HTTPHeaders = ["Cache-Control": "max-age=1", "ETag": "\"a\""]
        let parts = (0..<40).map { number in
            part("bytes \(number)-\(number)/100", "x")
        }
        bench.answers([.init(headers: whole, body: "whole")] + parts)
        try bench.ask()
        bench.advance(1)
        for number in 0..<40 {
            try bench.ask(.get, "/", ["Range": "bytes=\(number)-\(number)"])
        }
        #expect(bench.store.currentUsage.count == 16)
        #expect(try bench.get(["Cache-Control": "max-stale=50"]) == "whole")
    }

    // MARK: Random histories

    /// Versions of a resource, requested whole and in parts: each answer is of the version that its tag names.
    @Test(arguments: seeds(3)) func eachAnswerIsWhatWasAskedFor(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (version, now) = (Locked(0), ManualScheduler())
        let sent = Locked(0)
        let text = { @Sendable (version: Int) in
            (0..<12).map { "\(UnicodeScalar(UInt8(97 + (version + $0) % 26)))" }.joined()
        }
        let cache = HTTPCache(
            in: FolderCacheStore(on: CrashingDisk(), memory: seed % 2 == 0 ? 1 : 1 << 16),
            now: {
                Date(secondsSince1970: CacheBench.start + now.now.offset.components.seconds)
            }, on: now)
        let service = cache.around { request in
            sent.withLock { $0 += 1 }
            let version = version.withLock { $0 }
            let headers: HTTPHeaders = [
                "ETag": "\"\(version)\"", "Cache-Control": "max-age=5",
                "Date": CacheBench.date(now.now.offset.components.seconds),
            ]
            if request.headers["If-None-Match"] == "\"\(version)\"" {
                return Future(value: HTTPResponse(status: 304, headers: headers))
            }
            let whole = HTTPResponse(status: 200, headers: headers, body: Data(text(version).utf8))
            // This origin ignores a range that it doesn't like.
            let part = ByteRange.part(of: whole, for: request.headers)
            return Future(value: part ?? whole)
        }
        var hits = 0
        for _ in 0..<400 {
            if Int.random(in: 0..<12, using: &random) == 0 { version.withLock { $0 += 1 } }
            now.advance(by: .seconds(Int.random(in: 0...2, using: &random)))
            var headers: HTTPHeaders = [:]
            let start = Int.random(in: 0..<3, using: &random)
            let end = start + Int.random(in: 0..<2, using: &random)
            let ranges = ["\(start)-\(end)", "\(start)-", "-\(start + 1)", nil]
            let range = ranges.randomElement(using: &random).flatMap { $0 }.map { "bytes=\($0)" }
            headers["Range"] = range
            if range != nil, Bool.random(using: &random) {
                headers["If-Range"] = "\"\(version.withLock { $0 })\""
            }
            let before = sent.withLock { $0 }
            let request = HTTPRequest(at: "https://example.com/", headers: headers)
            let response = try #require(service(request).result).get()
            if sent.withLock({ $0 }) == before { hits += 1 }
            let tag = try #require(Int((response.headers["ETag"] ?? "").dropFirst().dropLast()))
            let whole = HTTPResponse(status: 200, body: Data(text(tag).utf8))
            if response.status == 200 {
                #expect(response.body == whole.body)
                // The whole only if nobody asked for a part, or the part is of another version.
                #expect(range == nil || headers["If-Range"] != nil)
            } else {
                let asked: HTTPHeaders = ["Range": range ?? ""]
                let wanted = try #require(ByteRange.part(of: whole, for: asked))
                #expect(response.status == 206 && response.body == wanted.body)
                #expect(response.headers["Content-Range"] == wanted.headers["Content-Range"])
                if let condition = headers["If-Range"] { #expect(condition == "\"\(tag)\"") }
            }
        }
        #expect(hits > 50)
    }
}

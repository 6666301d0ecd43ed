import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching

/// RFC 9111, sections 4.1 and 4.3: the origin chooses one of the stored variants by its tag.
@Suite struct CacheChoiceTests {
    private func variant(_ tag: String?, _ more: HTTPHeaders = [:]) -> CacheBench.Reply {
        var headers = more
        headers.set("max-age=100", for: "Cache-Control")
        headers.set("Foo", for: "Vary")
        headers["ETag"] = tag
        return .init(headers: headers)
    }

    /// A bench with two variants, for Foo: 1 and Foo: 2, and what the origin answers to a third request.
    private func bench(
        _ replies: CacheBench.Reply..., tags: [String?] = ["\"a\"", "\"b\""],
        coalescesMisses: Bool = true, inFolder: Bool = false, name: String? = nil
    ) throws -> CacheBench {
        let bench = CacheBench(
            name: name, coalescesMisses: coalescesMisses, folder: CacheBench.folder(inFolder))
        bench.answers(tags.map { variant($0) } + replies)
        for number in tags.indices {
            try bench.ask(.get, "/", ["Foo": "\(number + 1)"])
            bench.advance(1)
        }
        return bench
    }

    @Test(arguments: [false, true], [false, true])
    func aTagChoosesItsVariant(inFolder: Bool, coalesces: Bool) throws {
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "\"a\"", "X": "new"]), .init(),
            coalescesMisses: coalesces, inFolder: inFolder)
        let chosen = try bench.ask(.get, "/", ["Foo": "3"])
        #expect(bench.last?.headers["If-None-Match"] == "\"b\", \"a\"")
        #expect(bench.last?.headers["If-Modified-Since"] == nil)
        #expect(chosen.status == 200 && chosen.text == "1" && chosen.headers["X"] == "new")
        // From now on, it answers both requests.
        #expect(try bench.get(["Foo": "3"]) == "1")
        #expect(try bench.ask(.get, "/", ["Foo": "1"]).headers["X"] == "new")
        #expect(try bench.get(["Foo": "2"]) == "2" && bench.requests.count == 3)
        #expect(bench.cache.statistics.confirmations == 1)
    }

    @Test func anotherAnswerIsAVariantMore() throws {
        let bench = try bench(variant("\"c\""))
        #expect(try bench.get(["Foo": "3"]) == "3" && bench.get(["Foo": "3"]) == "3")
        #expect(try bench.get(["Foo": "1"]) == "1" && bench.requests.count == 3)
    }

    @Test(
        arguments: [["ETag": "\"x\""], [:], ["Last-Modified": CacheBench.date(-5)]] as [HTTPHeaders]
    )
    func a304ThatChoosesNoneIsAskedAnew(fresh: HTTPHeaders) throws {
        let bench = try bench(.init(status: 304, headers: fresh), variant("\"c\""))
        #expect(try bench.get(["Foo": "3"]) == "4")
        #expect(bench.last?.headers["If-None-Match"] == nil)
    }

    @Test func a304WithoutATagMeansTheOnlyOne() throws {
        let bench = try bench(.init(status: 304), .init(), tags: ["\"a\""])
        #expect(try bench.get(["Foo": "3"]) == "1" && bench.get(["Foo": "3"]) == "1")
    }

    @Test func aWeakTagChoosesToo() throws {
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "W/\"b\""]), .init(), tags: ["\"a\"", "W/\"b\""])
        #expect(try bench.get(["Foo": "3"]) == "2")
        #expect(bench.last?.headers["If-None-Match"] == "W/\"b\", \"a\"")
    }

    @Test func ofEqualTagsTheLatestIsChosenAndTheTagIsSentOnce() throws {
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "\"a\""]), tags: ["\"a\"", "\"a\""])
        #expect(try bench.get(["Foo": "3"]) == "2")
        #expect(bench.last?.headers["If-None-Match"] == "\"a\"")
    }

    @Test func onlyTagsThatFitAListAreSent() throws {
        let tags = ["\"a\"", "bare", "\"\(String(repeating: "x", count: 300))\"", nil, "\"b,c\""]
        let bench = try bench(.init(), tags: tags)
        try bench.ask(.get, "/", ["Foo": "9"])
        #expect(bench.last?.headers["If-None-Match"] == "\"b,c\", \"a\"")
    }

    @Test func theNumberOfTagsIsBounded() throws {
        let bench = try bench(.init(), tags: (0..<40).map { "\"\($0)\"" })
        try bench.ask(.get, "/", ["Foo": "99"])
        let tags = EntityTag.list(bench.last?.headers["If-None-Match"] ?? "")
        #expect(tags.map(\.opaque) == (24..<40).reversed().map { "\"\($0)\"" })
    }

    @Test(
        arguments: [
            ["Cache-Control": "no-cache"], ["Cache-Control": "no-store"],
            ["If-Modified-Since": CacheBench.date(0)], ["Range": "bytes=0-0"],
        ] as [HTTPHeaders])
    func theseRequestsOfferNoTags(more: HTTPHeaders) throws {
        let bench = try bench(.init())
        var headers = more
        headers.set("3", for: "Foo")
        try bench.ask(.get, "/", headers)
        #expect(bench.requests.count == 3 && bench.last?.headers["If-None-Match"] == nil)
        headers.set("\"mine\"", for: "If-None-Match")
        try bench.ask(.get, "/", headers)
        #expect(bench.last?.headers["If-None-Match"] == "\"mine\"")
        headers = ["Foo": "3", "Cache-Control": "only-if-cached"]
        #expect(try bench.ask(.get, "/", headers).status == 504 && bench.requests.count == 4)
    }

    @Test(arguments: [false, true]) func noTagOfAnotherUserIsOffered(inFolder: Bool) throws {
        let bench = CacheBench(folder: CacheBench.folder(inFolder))
        bench.answers(
            variant("\"anna\""), variant("\"bert\""),
            .init(status: 304, headers: ["ETag": "\"anna\""]), variant("\"new\""))
        let asking = { (user: String, foo: String) -> HTTPHeaders in
            ["Authorization": "Bearer \(user)", "Foo": foo]
        }
        _ = try bench.get(asking("anna", "1"))
        _ = try bench.get(asking("bert", "1"))
        // Even if the origin names Anna's response, Bert doesn't get it.
        #expect(try bench.get(asking("bert", "2")) == "4")
        #expect(bench.requests[2].headers["If-None-Match"] == "\"bert\"")
        #expect(try bench.get(asking("anna", "1")) == "1" && bench.requests.count == 4)
    }

    @Test func thoseWhoAskAtOnceShareTheChoice() throws {
        let gate = Promise<Void>()
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "\"a\"", "Set-Cookie": "s=1"], gate: gate),
            name: "app")
        let calls = (1...3).map { _ in bench.send(.get, "/", ["Foo": "3"]) }
        calls[1].cancel()
        gate.resolve()
        #expect(bench.requests.count == 3)
        #expect(calls.map { $0.valueNow?.text } == ["1", nil, "1"])
        let first = calls[0].valueNow?.headers
        #expect(first?["Cache-Status"] == "app; fwd=vary-miss; fwd-status=304")
        #expect(first?["Set-Cookie"] == "s=1" && calls[2].valueNow?.headers["Set-Cookie"] == nil)
        #expect(bench.cache.calls.withLock { $0.count } == 0)
    }

    @Test func theLastToLeaveCancelsTheQuestion() throws {
        let gate = Promise<Void>()
        let cancelled = Locked(false)
        gate.onCancel { cancelled.withLock { $0 = true } }
        let bench = try bench(.init(status: 304, gate: gate))
        bench.send(.get, "/", ["Foo": "3"]).cancel()
        #expect(cancelled.withLock { $0 } && bench.cache.calls.withLock { $0.count } == 0)
    }

    @Test func whatIsForgottenMeanwhileIsNotStoredAgain() throws {
        let gate = Promise<Void>()
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "\"a\""], gate: gate), .init(status: 200))
        let call = bench.send(.get, "/", ["Foo": "3"])
        bench.cache.remove(URL(string: "https://example.com/")!)
        gate.resolve()
        #expect(call.valueNow?.text == "1" && bench.store.currentUsage.count == 0)
    }

    @Test func a304ThatForbidsStoringIsTheOnlyUse() throws {
        let bench = try bench(
            .init(status: 304, headers: ["ETag": "\"a\"", "Cache-Control": "no-store"]), .init())
        #expect(try bench.get(["Foo": "3"]) == "1" && bench.get(["Foo": "3"]) == "4")
    }

    @Test func aFailureIsTold() throws {
        let bench = try bench(.init(failure: CacheBench.Lost()))
        #expect(throws: CacheBench.Lost.self) { try bench.ask(.get, "/", ["Foo": "3"]) }
        #expect(try bench.get(["Foo": "1"]) == "1")
    }

    /// An origin that serves the languages and themes of a page: nobody gets another one, with or without tags.
    @Test(arguments: seeds(2)) func nobodyGetsAnotherVariant(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bench = CacheBench(folder: CacheBench.folder(seed % 2 == 0))
        let sent = Locked((requests: 0, bodies: 0))
        let now = bench.scheduler
        let service = bench.cache.around { request in
            let user = request.headers["Authorization"] ?? "nobody"
            // The page has two forms; the origin knows which one each Foo gets, and changes it each minute.
            let form = (Int(request.headers["Foo"] ?? "") ?? 0) % 2
            let minute = now.now.offset.components.seconds / 60
            let text = "\(user) \(form) \(minute)"
            let headers: HTTPHeaders = [
                "ETag": "\"\(form) \(minute)\"", "Vary": "Foo", "Cache-Control": "max-age=5",
            ]
            let tags = EntityTag.list(request.headers["If-None-Match"] ?? "").map(\.opaque)
            let isSame = tags.contains("\"\(form) \(minute)\"")
            sent.withLock {
                $0.requests += 1
                $0.bodies += isSame ? 0 : 1
            }
            return Future(
                value: HTTPResponse(
                    status: isSame ? 304 : 200, headers: headers,
                    body: isSame ? Data() : Data(text.utf8)))
        }
        for _ in 0..<400 {
            let foo = Int.random(in: 0..<5, using: &random)
            let user = ["Bearer 1", "Bearer 2"].randomElement(using: &random) ?? ""
            now.advance(by: .seconds(Int.random(in: 0...3, using: &random)))
            let request = HTTPRequest(
                at: "https://example.com/", headers: ["Foo": "\(foo)", "Authorization": user])
            let text = try #require(service(request).valueNow?.text)
            let words = text.split(separator: " ").map(String.init)
            #expect(words[0] + " " + words[1] == user && words[2] == "\(foo % 2)")
        }
        // Most questions were answered without a body, although each Foo is a variant of its own.
        #expect(sent.withLock { $0.bodies * 2 < $0.requests }, "\(sent.withLock { $0 })")
    }
}

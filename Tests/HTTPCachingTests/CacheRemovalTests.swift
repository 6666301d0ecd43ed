import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

/// Removing an account's, a site's and expired responses.
@Suite struct CacheRemovalTests {
    private let disk = CrashingDisk()
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=100"]

    private func bench(inFolder isInFolder: Bool = true) -> CacheBench {
        let bench = CacheBench(folder: isInFolder ? FolderCacheStore(on: disk) : nil)
        bench.answers(fresh)
        return bench
    }

    /// A service that an account uses.
    private func service(_ bench: CacheBench, of account: String) -> HTTPService {
        stack(
            .authorize(
                .bearer("\(account)'s token"),
                for: .origins(of: URL(string: "https://example.com")!),
                as: account),
            .cache(sharing: bench.cache), over: bench.origin)
    }

    @Test(arguments: [false, true])
    func anAccountsResponsesAreRemovedAndNobodyElses(isInFolder: Bool) throws {
        let bench = bench(inFolder: isInFolder)
        let paths = ["/1", "/2", "/3"]
        for path in paths {
            for account in ["alice", "bob"] {
                bench.answers(fresh, body: "\(account)'s \(path)")
                #expect(try ask(service(bench, of: account), path) == "\(account)'s \(path)")
            }
            bench.answers(fresh, body: "nobody's \(path)")
            #expect(try bench.get([:], path) == "nobody's \(path)")
        }
        bench.answers(fresh, body: "alice's only")
        _ = try ask(service(bench, of: "alice"), "/only")
        let removal = bench.cache.remove(account: "alice")
        #expect(try #require(removal.result).isSuccess)
        #expect(!disk.holds("alice's"))
        bench.answers(fresh, body: "asked again")
        for path in paths {
            #expect(try ask(service(bench, of: "bob"), path) == "bob's \(path)")
            #expect(try bench.get([:], path) == "nobody's \(path)")
            #expect(try ask(service(bench, of: "alice"), path) == "asked again")
        }
    }

    @Test func anAccounts401IsRemovedToo() throws {
        let bench = bench()
        bench.answers(fresh, status: 401, body: "alice's refusal")
        _ = try ask(service(bench, of: "alice"), "/")
        #expect(disk.holds("alice's refusal"))
        #expect(try #require(bench.cache.remove(account: "alice").result).isSuccess)
        #expect(!disk.holds("alice's refusal"))
    }

    @Test(arguments: [false, true])
    func anAnswerThatWasInFlightAtTheRemovalIsNotStored(isInFolder: Bool) throws {
        let bench = bench(inFolder: isInFolder)
        let gate = Promise<Void>()
        bench.answers([.init(headers: fresh, body: "alice's", gate: gate)])
        let url = URL(string: "https://example.com/")!
        let answer = service(bench, of: "alice")(HTTPRequest(.get, url))
        bench.cache.remove(account: "alice")
        gate.resolve()
        #expect(try #require(answer.result).get().text == "alice's")
        bench.answers(fresh, body: "asked again")
        #expect(try ask(service(bench, of: "alice"), "/") == "asked again")
    }

    @Test(arguments: 0..<60)
    func aRemovalOnAFailingDiskLeavesNothingOrFails(_ operations: Int) throws {
        let bench = bench()
        for path in ["/1", "/2"] {
            bench.answers(fresh, body: "bob's")
            _ = try ask(service(bench, of: "bob"), path)
            bench.answers(fresh, body: "alice's")
            _ = try ask(service(bench, of: "alice"), path)
        }
        disk.fail(after: operations, with: operations % 2 == 0 ? EIO : ENOSPC)
        let result = try #require(bench.cache.remove(account: "alice").result)
        disk.recover()
        if case .failure(let error) = result {
            #expect(error is FileError)
        } else {
            #expect(!disk.holds("alice's"))
        }
        if operations == 58 { #expect(result.isSuccess) }
        if operations == 0 { #expect(!result.isSuccess) }
    }

    @Test("a removal goes on when its caller leaves, and flush() waits for it")
    func aRemovalGoesOnWhenItsCallerLeaves() throws {
        let store = CacheStoreTests.SlowStore()
        let cache = HTTPCache(in: ListedSlowStore(slow: store))
        let url = URL(string: "https://example.com/")!
        let key = try #require(CacheKey(url))
        _ = store.memory.update(key) { $0 = [CachedResponse(status: 200)] }
        cache.remove(under: url).cancel()
        let flush = cache.flush()
        #expect(!flush.isSettled && store.memory.currentUsage.count == 1)
        store.work()
        #expect(try #require(flush.result).isSuccess && store.memory.currentUsage.count == 0)
    }

    private struct ListedSlowStore: CacheStore {
        let slow: CacheStoreTests.SlowStore

        func responses(for key: CacheKey) -> Future<[CachedResponse]> { slow.responses(for: key) }
        func update(
            _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
        ) -> Future<Void> { slow.update(key, change) }
        func removeAll() -> Future<Void> { slow.removeAll() }
        func usage() -> Future<CacheUsage> { slow.usage() }
        func keys(
            where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
        ) -> Future<[CacheKey]> { slow.memory.keys(where: isIncluded) }
    }

    @Test func aStoreThatListsNothingLosesAllRatherThanKeepAnAccountsResponses() throws {
        let store = CacheStoreTests.SlowStore()
        let cache = HTTPCache(in: store)
        let url = URL(string: "https://example.com/")!
        let key = try #require(CacheKey(url))
        for remove in [{ cache.remove(account: "alice") }, { cache.remove(under: url) }] {
            _ = store.memory.update(key) { $0 = [CachedResponse(status: 200)] }
            let removal = remove()
            store.work()
            #expect(try #require(removal.result).isSuccess && store.memory.currentUsage.count == 0)
        }
        _ = store.memory.update(key) { $0 = [CachedResponse(status: 200)] }
        for result in [
            cache.removeExpired().result, cache.storedURLs.mapWithoutOrigin { _ in }.result,
        ] {
            #expect(throws: CacheStoreListsNothing.self) { try #require(result).get() }
        }
        #expect(store.memory.currentUsage.count == 1)
    }

    @Test func aStoreThatFailsToRemoveReportsIt() throws {
        let cache = HTTPCache(in: CacheStoreTests.BrokenStore())
        #expect(throws: CacheStoreTests.BrokenStore.Broken.self) {
            try #require(cache.remove(account: "alice").result).get()
        }
    }

    @Test(arguments: [
        ("/a", ["/a", "/a/", "/a?q=1", "/a/b", "/a/b?q=1"]),
        ("/a?q=2#f", ["/a", "/a/", "/a?q=1", "/a/b", "/a/b?q=1"]),
        ("/a/", ["/a/", "/a/b", "/a/b?q=1"]), ("/a/b", ["/a/b", "/a/b?q=1"]),
        ("/A", ["/A"]), ("/none", []),
    ])
    func aPartOfASiteIsRemovedInWholeSegments(_ path: String, _ removed: [String]) throws {
        for isInFolder in [false, true] {
            let bench = bench(inFolder: isInFolder)
            let paths = ["/", "/a", "/a/", "/a?q=1", "/a/b", "/a/b?q=1", "/ab", "/b/a", "/A"]
            for path in paths { try bench.ask(.get, path) }
            let url = URL(string: "HTTPS://Example.com:443\(path)")!
            #expect(try #require(bench.cache.remove(under: url).result).isSuccess)
            let left = try #require(bench.cache.storedURLs.result).get()
            let expected = paths.filter { !removed.contains($0) }
                .map { URL(string: "https://example.com\($0)")! }
            #expect(Set(left) == Set(expected) && left.count == expected.count)
        }
    }

    @Test("a removed part of a site is of one origin, for every Host and user info")
    func aRemovedPartOfASiteIsOfOneOrigin() throws {
        let cache = HTTPCache()
        let origin: HTTPService = { [fresh] _ in
            Future(value: HTTPResponse(status: 200, headers: fresh))
        }
        let service = stack(.cache(sharing: cache), over: origin)
        let others = [
            "http://example.com/a", "https://example.com:8443/a", "https://example.org/a",
        ]
        for url in others + ["https://ann@example.com/a", "https://example.com/a"] {
            _ = service(HTTPRequest(.get, URL(string: url)!))
        }
        _ = service(
            HTTPRequest(.get, URL(string: "https://example.com/")!, headers: ["Host": "other.com"]))
        cache.remove(under: URL(string: "https://example.com")!)
        let left = try #require(cache.storedURLs.result).get().map(\.absoluteString)
        #expect(left == others.sorted())
        cache.remove(under: URL(string: "/a")!)
        cache.remove(under: URL(string: "file:///a")!)
        #expect(try #require(cache.storedURLs.result).get().count == 3)
    }

    @Test(
        arguments: [
            ("max-age=100", nil, false), ("max-age=50", nil, true), ("max-age=50", "\"1\"", false),
            ("max-age=50, stale-if-error=20", nil, false),
            ("max-age=50, stale-if-error=10", nil, true),
            ("max-age=50, stale-while-revalidate=20", nil, false),
            ("max-age=50, stale-while-revalidate=10", nil, true),
            ("max-age=50, stale-if-error=20, must-revalidate", nil, true),
            ("max-age=50, must-revalidate", "\"1\"", false),
        ] as [(String, String?, Bool)])
    func expiredResponsesThatCannotBeUsedAnyMoreAreRemoved(
        _ control: String, _ tag: String?, _ isRemoved: Bool
    ) throws {
        for isInFolder in [false, true] {
            let bench = bench(inFolder: isInFolder)
            var headers: HTTPHeaders = ["Cache-Control": control]
            headers["ETag"] = tag
            bench.answers(headers)
            try bench.ask()
            bench.advance(60)
            #expect(try #require(bench.cache.removeExpired().result).isSuccess)
            #expect(try #require(bench.cache.storedURLs.result).get().isEmpty == isRemoved)
        }
    }

    @Test func aStaleResponseStaysWhileItMayAnswerForAnUnreachableOrigin() throws {
        let bench = CacheBench(staleIfUnreachable: .seconds(20))
        bench.answers(["Cache-Control": "max-age=50"])
        try bench.ask(.get, "/1")
        bench.answers(["Cache-Control": "max-age=50, stale-if-error=5"])
        try bench.ask(.get, "/2")
        bench.advance(60)
        bench.cache.removeExpired()
        let left = try #require(bench.cache.storedURLs.result).get()
        #expect(left.map(\.path) == ["/1"])
        bench.advance(10)
        bench.cache.removeExpired()
        #expect(try #require(bench.cache.storedURLs.result).get().isEmpty)
    }

    @Test func listingTheStoredURLsIsNoUseOfThem() throws {
        let bench = CacheBench(limit: 2_000, largest: 2_000)
        bench.answers([.init(headers: fresh, body: String(repeating: "x", count: 500))])
        for path in ["/2", "/1?token=t"] { try bench.ask(.get, path, ["Accept": "a"]) }
        let urls = try #require(bench.cache.storedURLs.result).get()
        #expect(
            urls.map(\.absoluteString) == [
                "https://example.com/1?token=t", "https://example.com/2",
            ])
        try bench.ask(.get, "/3")
        let left = try #require(bench.cache.storedURLs.result).get().map(\.path)
        #expect(left == ["/1", "/3"])
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(macOS) || os(Linux)) && compiler(>=6.3)
    @Test("one process removes what another one has stored, and has in memory")
    func oneProcessRemovesWhatAnotherOneHasStored() async throws {
        let folder = try TestFolder()
        let path = folder.url.path
        let fresh = fresh
        let cache = HTTPCache(folder: folder.url)
        let body = Locked("alice's, here")
        let origin: HTTPService = { _ in
            let data = Data(body.withLock { $0 }.utf8)
            return Future(value: HTTPResponse(status: 200, headers: fresh, body: data))
        }
        let url = URL(string: "https://example.com/")!
        let service = stack(
            .authorize(.bearer("a token"), for: .origins(of: url), as: "alice"),
            .cache(sharing: cache), over: origin)
        let request = HTTPRequest(.get, url)
        _ = try await service(request).value
        try await cache.flush().value
        body.withLock { $0 = "asked again" }
        #expect(try await service(request).value.text == "alice's, here")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let cache = HTTPCache(folder: URL(fileURLWithPath: path))
            try await cache.remove(account: "alice").value
        }
        #expect(try bodies(in: folder) == [])
        #expect(try await service(request).value.text == "asked again")
        // The other way round.
        await #expect(processExitsWith: .success) { [path = path as String] in
            try await storeForAlice(in: URL(fileURLWithPath: path))
        }
        #expect(try bodies(in: folder).contains { $0.contains("alice's, there") })
        try await cache.remove(account: "alice").value
        #expect(try bodies(in: folder) == [])
    }

    private func bodies(in folder: TestFolder) throws -> [String] {
        try folder.names.filter { $0.hasSuffix(".http") }.map {
            String(
                decoding: try Data(contentsOf: folder.url.appendingPathComponent($0)), as: UTF8.self
            )
        }
    }
    #endif
}

private func storeForAlice(in folder: URL) async throws {
    let cache = HTTPCache(folder: folder)
    let url = URL(string: "https://example.com/other")!
    let service = stack(
        .authorize(.bearer("another token"), for: .origins(of: url), as: "alice"),
        .cache(sharing: cache),
        over: { _ in
            Future(
                value: HTTPResponse(
                    status: 200, headers: ["Cache-Control": "max-age=100"],
                    body: Data("alice's, there".utf8)))
        })
    _ = try await service(HTTPRequest(.get, url)).value
    try await cache.flush().value
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

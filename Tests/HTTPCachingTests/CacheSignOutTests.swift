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

/// The end of a user's session, in a stack of the app's own.
@Suite struct CacheSignOutTests {
    private let disk = CrashingDisk()
    private let folder: TestFolder
    private let tokens: AccessTokenFile
    private let fresh: HTTPHeaders = ["Cache-Control": "private, max-age=100"]

    init() throws {
        folder = try TestFolder()
        tokens = AccessTokenFile(folder.url.appendingPathComponent("token"))
    }

    private func refresher(_ token: String) -> TokenRefresher {
        let refresher = TokenRefresher(storedIn: tokens) { Future(value: $0) }
        refresher.signIn(with: AccessToken(token))
        return refresher
    }

    private func service(
        _ bench: CacheBench, _ credentials: HTTPCredentials, as account: String?
    ) -> HTTPService {
        stack(
            .authorize(
                credentials, for: .origins(of: URL(string: "https://example.com")!), as: account),
            .cache(sharing: bench.cache), over: bench.origin)
    }

    @Test(
        "a sign-out removes the account's bodies from the disk, and no other's",
        arguments: [nil, "alice"])
    func aSignOutRemovesTheAccountsBodiesFromTheDisk(_ account: String?) throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("a")
        let alice = service(bench, .bearer(from: refresher), as: account)
        let bob = service(bench, .bearer("b"), as: "bob")
        for path in ["/1", "/2"] {
            bench.answers(fresh, body: "alice's")
            #expect(try ask(alice, path) == "alice's")
            bench.answers(fresh, body: "bob's")
            #expect(try ask(bob, path) == "bob's")
        }
        #expect(disk.holds("alice's"))
        refresher.signOut()
        #expect(try #require(bench.cache.flush().result).isSuccess)
        #expect(!disk.holds("alice's") && disk.holds("bob's"))
        bench.answers(fresh, body: "asked again")
        #expect(try ask(alice, "/1") == "asked again")
        #expect(try ask(bob, "/1") == "bob's")
    }

    @Test("each session that follows is removed too, even if another process had it")
    func eachSessionThatFollowsIsRemovedToo() throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("first")
        bench.answers(fresh, body: "first's")
        _ = try ask(service(bench, .bearer(from: refresher), as: nil), "/")
        refresher.signOut()
        refresher.signIn(with: AccessToken("second"))
        // Another process continues the sign-in; this one sends nothing for it.
        let other = CacheBench(folder: FolderCacheStore(on: disk))
        other.answers(fresh, body: "second's")
        let continued = TokenRefresher(storedIn: tokens) { Future(value: $0) }
        _ = try ask(service(other, .bearer(from: continued), as: nil), "/")
        #expect(!disk.holds("first's") && disk.holds("second's"))
        refresher.signOut()
        #expect(!disk.holds("second's"))
    }

    @Test(
        "when another user signs in, the bodies of a sign-in go, and those of a named account stay"
    )
    func anotherUsersSignInRemovesTheBodiesOfASignIn() throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("a")
        bench.answers(fresh, body: "the sign-in's")
        _ = try ask(service(bench, .bearer(from: refresher), as: nil), "/1")
        bench.answers(fresh, body: "the account's")
        _ = try ask(service(bench, .bearer(from: refresher), as: "alice"), "/2")
        refresher.signIn(with: AccessToken("b"))
        #expect(!disk.holds("the sign-in's") && disk.holds("the account's"))
        bench.answers(fresh, body: "asked again")
        #expect(
            try ask(service(bench, .bearer(from: refresher), as: "alice"), "/2") == "the account's")
        refresher.signOut()
        #expect(!disk.holds("the account's"))
    }

    @Test func anEmptiedJarsAnswersAreRemovedFromMemory() throws {
        let bench = CacheBench()
        bench.answers(fresh)
        let (jar, url) = (CookieJar(), URL(string: "https://example.com/")!)
        jar.store("id=1", from: url)
        let service = stack(
            .cookies(sharing: jar), .cache(sharing: bench.cache), over: bench.origin)
        #expect(try ask(service, "/1") == "1")
        #expect(bench.store.currentUsage.count == 1)
        jar.removeAll()
        #expect(bench.store.currentUsage.count == 0)
        jar.store("id=1", from: url)
        #expect(try ask(service, "/1") == "2")
        jar.removeAll()
        #expect(bench.store.currentUsage.count == 0)
    }

    @Test(arguments: [nil, "alice"])
    func anAnswerThatComesAfterTheSignOutIsNotStored(_ account: String?) throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let (refresher, gate) = (refresher("a"), Promise<Void>())
        bench.answers([.init(headers: fresh, body: "alice's", gate: gate)])
        let url = URL(string: "https://example.com/")!
        let answer = service(bench, .bearer(from: refresher), as: account)(HTTPRequest(.get, url))
        refresher.signOut()
        gate.resolve()
        #expect(try #require(answer.result).get().text == "alice's")
        #expect(!disk.holds("alice's"))
    }

    @Test func aRequestOfASessionThatIsOverIsNotStoredForItsAccount() throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("a")
        let signsOut = Middleware<HTTPRequest, HTTPResponse>(named: "signs out") { next in
            { request in
                refresher.signOut()
                return next(request)
            }
        }
        bench.answers(fresh, body: "alice's")
        let origin = URL(string: "https://example.com")!
        let service = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: origin), as: "alice"),
            signsOut, .cache(sharing: bench.cache), over: bench.origin)
        #expect(try ask(service, "/") == "alice's")
        #expect(!disk.holds("alice's"))
    }

    @Test func ifTheDiskFailsAtASignOutFlushOrStoreErrorSaysSo() throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("a")
        bench.answers(fresh, body: "alice's")
        _ = try ask(service(bench, .bearer(from: refresher), as: nil), "/")
        disk.fail(after: 0, with: EIO)
        refresher.signOut()
        #expect(bench.cache.storeError is FileError)
        #expect(throws: FileError.self) { try #require(bench.cache.flush().result).get() }
    }

    @Test("a failed sign-out is made up for after a pause, and takes no other's responses away")
    func aFailedSignOutIsMadeUpFor() throws {
        let bench = CacheBench(folder: FolderCacheStore(on: disk))
        let refresher = refresher("a")
        bench.answers(fresh, body: "alice's")
        _ = try ask(service(bench, .bearer(from: refresher), as: nil), "/")
        let other = CacheBench(folder: FolderCacheStore(on: disk))
        other.answers(fresh, body: "another process's")
        _ = try other.get([:], "/other")
        disk.fail(after: 0, with: EMFILE)
        refresher.signOut()
        bench.advance(2)
        #expect(bench.cache.storeError is FileError)
        disk.recover()
        #expect(disk.holds("alice's"))
        bench.advance(4)
        #expect(!disk.holds("alice's") && disk.holds("another process's"))
        #expect(bench.cache.storeError == nil)
    }

    @Test func aSignOutKeepsNoCacheAlive() throws {
        let refresher = refresher("a")
        weak var cache: HTTPCache?
        do {
            let bench = CacheBench()
            bench.answers(fresh)
            _ = try ask(service(bench, .bearer(from: refresher), as: nil), "/")
            cache = bench.cache
        }
        #expect(cache == nil)
        refresher.signOut()
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

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

#if canImport(Glibc)
import Glibc
#endif

/// Caches in one folder, one after the other or at the same time, as processes would have them.
@Suite struct StoredAcrossRunsTests {
    private let disk = CrashingDisk()
    private let fresh: HTTPHeaders = ["Cache-Control": "max-age=100"]

    private func bench(wallOffset: Int64 = 0) -> CacheBench {
        let bench = CacheBench(
            name: "test", folder: FolderCacheStore(on: disk), wallOffset: Locked(wallOffset))
        bench.answers(fresh)
        return bench
    }

    private func text(_ future: Future<HTTPResponse>) throws -> String {
        try #require(future.result).get().text
    }

    private let request = HTTPRequest(.get, URL(string: "https://example.com/")!)

    private func authorized(
        _ bench: CacheBench, _ credentials: HTTPCredentials, as account: String? = nil
    ) -> HTTPService {
        stack(
            .authorize(credentials, for: .origins(of: request.url), as: account),
            .cache(sharing: bench.cache), over: bench.origin)
    }

    @Test("the next run answers from the folder, as long as a response is fresh")
    func theNextRunAnswersFromTheFolder() throws {
        let first = bench()
        #expect(try first.ask().text == "1")
        let second = bench(wallOffset: 60)
        let answer = try second.ask()
        #expect(answer.text == "1" && answer.headers["Age"] == "60")
        let third = bench(wallOffset: 101)
        third.answers([.init(status: 304, headers: fresh)])
        #expect(try third.ask().headers["Cache-Status"]?.contains("hit") == false)
    }

    @Test(arguments: [false, true])
    func twoCachesOverOneStoreAgreeWhichAnswerIsNewer(isInFolder: Bool) throws {
        let memory = MemoryCacheStore()
        func store() -> any CacheStore {
            isInFolder ? FolderCacheStore(on: disk, process: 1) : memory
        }
        let (version, control) = (Locked("1"), Locked("max-age=100"))
        let origin: HTTPService = { _ in
            let headers: HTTPHeaders = ["Cache-Control": control.withLock { $0 }]
            let body = Data(version.withLock { $0 }.utf8)
            return Future(value: HTTPResponse(status: 200, headers: headers, body: body))
        }
        var reload = request
        reload.headers.set("no-cache", for: "Cache-Control")
        let first = stack(.cache(sharing: HTTPCache(in: store())), over: origin)
        for _ in 0..<5 { #expect(try text(first(reload)) == "1") }
        let second = stack(.cache(sharing: HTTPCache(in: store())), over: origin)
        version.withLock { $0 = "2" }
        #expect(try text(second(reload)) == "2")
        #expect(try text(second(request)) == "2")
        version.withLock { $0 = "3" }
        control.withLock { $0 = "no-store" }
        #expect(try text(second(reload)) == "3")
        #expect(try text(second(request)) == "3")
    }

    @Test func aPOSTThroughOneCacheOutdatesAnAnswerThatAnotherOneWaitsFor() throws {
        let memory = MemoryCacheStore()
        let gate = Promise<Void>()
        let origin: HTTPService = { request in
            if request.method == .post { return Future(value: HTTPResponse(status: 204)) }
            let headers: HTTPHeaders = ["Cache-Control": "max-age=100"]
            return gate.map { HTTPResponse(status: 200, headers: headers, body: Data("1".utf8)) }
        }
        let first = stack(.cache(sharing: HTTPCache(in: memory)), over: origin)
        let second = stack(.cache(sharing: HTTPCache(in: memory)), over: origin)
        let late = first(request)
        var post = request
        post.method = .post
        #expect(second(post).isSettled)
        gate.resolve()
        #expect(try text(late) == "1" && memory.currentUsage.count == 0)
    }

    @Test func aPrivateAndASharedCacheOverOneFolderDoNotGiveEachOthersResponses() throws {
        let store = FolderCacheStore(on: disk)
        let (shared, own) = (CacheBench(mode: .shared, folder: store), CacheBench(folder: store))
        shared.answers(fresh, body: "ann's")
        own.answers(fresh, body: "bob's")
        #expect(try shared.get(["X-API-Key": "ann"]) == "ann's")
        #expect(try own.get(["X-API-Key": "bob"]) == "bob's")
        own.answers(["Cache-Control": "private, max-age=100"], body: "private")
        #expect(try own.get([:], "/p") == "private")
        #expect(try shared.get([:], "/p") == "ann's")
        #expect(try own.get([:], "/p") == "private")
    }

    @Test(arguments: [false, true])
    func aRequestOfASignInThatIsOverGetsNoStoredResponse(isInFolder: Bool) throws {
        let bench = CacheBench(folder: isInFolder ? FolderCacheStore(on: disk, memory: 1) : nil)
        bench.answers(fresh)
        let signIn = SignIn(named: "known to all runs")
        var request = request
        request.headers.set("Bearer t", for: "Authorization")
        request.context.credentials = [
            .init(
                header: "Authorization", value: "Bearer t", principal: .signIn(signIn), origins: nil
            )
        ]
        #expect(try text(bench.service(request)) == "1")
        #expect(try text(bench.service(request)) == "1")
        signIn.endSignIn()
        #expect(try text(bench.service(request)) == "2")
    }

    @Test func ifTheClockWasSetBackAResponseOfAnEarlierRunIsStale() throws {
        #expect(try bench().ask().text == "1")
        let second = bench(wallOffset: -10)
        second.answers(fresh, body: "new")
        #expect(try second.ask().text == "new")
    }

    @Test("users keep their partitions, and only known ones are found again")
    func usersKeepTheirPartitions() throws {
        let services: [(String, @Sendable (CacheBench) -> HTTPService)] = [
            ("account", { [self] in authorized($0, .bearer("one"), as: "7") }),
            ("another token of the account", { [self] in authorized($0, .bearer("two"), as: "7") }),
            ("another account", { [self] in authorized($0, .bearer("one"), as: "8") }),
            ("a token", { [self] in authorized($0, .bearer("three")) }),
            ("another token", { [self] in authorized($0, .bearer("four")) }),
            (
                "a sign-in",
                { [self] in
                    authorized(
                        $0,
                        .bearer(
                            from: TokenRefresher(AccessToken("five")) { _ in
                                Future(error: HTTPError(code: .badResponse))
                            }))
                }
            ),
            ("nobody", { $0.service }),
        ]
        func run(_ bench: CacheBench) throws -> [String: String] {
            var found: [String: String] = [:]
            for (name, make) in services {
                bench.answers(fresh, body: name)
                found[name] = try text(make(bench)(request))
            }
            return found
        }
        let first = try run(bench())
        #expect(first["another token of the account"] == "account")
        #expect(first["another account"] == "another account" && first["nobody"] == "nobody")
        let second = bench()
        for (name, make) in services {
            second.answers(fresh, body: "asked again")
            let expected = name == "a sign-in" ? "asked again" : first[name]
            #expect(try text(make(second)(request)) == expected, "\(name)")
        }
    }

    @Test("the next run continues a stored sign-in, until the user signs out")
    func theNextRunContinuesAStoredSignIn() throws {
        let folder = try TestFolder()
        let store = AccessTokenFile(folder.url.appendingPathComponent("token"))
        try store.save(AccessToken("one", refreshToken: "r"))
        func run(_ body: (TokenRefresher, () -> String?) throws -> Void) throws {
            let bench = bench()
            let refresher = TokenRefresher(storedIn: store) { token in
                Future(value: AccessToken("\(token.value) renewed"))
            }
            let service = authorized(bench, .bearer(from: refresher))
            try body(refresher) {
                bench.answers(self.fresh, body: "\(refresher.token?.value ?? "nobody")")
                return try? self.text(service(self.request))
            }
        }
        try run { refresher, answer in
            #expect(answer() == "one")
            _ = refresher.refresh()
            #expect(answer() == "one")
        }
        try run { refresher, answer in
            #expect(refresher.token?.value == "one renewed")
            #expect(answer() == "one")
            refresher.signIn(with: refresher.token ?? AccessToken("none"))
            #expect(answer() == "one renewed")
            refresher.signOut()
            #expect(answer() == "nobody")
        }
        try store.save(AccessToken("two"))
        try run { _, answer in #expect(answer() == "two") }
    }

    @Test func noFileHoldsASecretOfARequestAndNoSetCookie() throws {
        let bench = bench()
        let secret = "s3cr3t"
        bench.answers([
            "Cache-Control": "max-age=100", "Vary": "Cookie, X-API-Key",
            "Set-Cookie": "id=\(secret)",
        ])
        let headers: [HTTPHeaders] = [
            ["Authorization": "Bearer \(secret)"], ["Cookie": "id=\(secret)"],
            ["X-API-Key": secret], ["Proxy-Authorization": "Basic \(secret)"],
        ]
        for headers in headers { try bench.ask(.get, "/", headers) }
        #expect(bench.requests.count == 4)
        for name in disk.names {
            let bytes = try #require(try disk.read(name, upTo: .max)?.bytes)
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(name)")
        }
        // They are told apart, here and in the next run.
        for (number, bench) in [bench, self.bench()].enumerated() {
            let before = bench.requests.count
            for headers in headers { try bench.ask(.get, "/", headers) }
            #expect(bench.requests.count == before)
            bench.answers(fresh)
            try bench.ask(.get, "/", ["Cookie": "id=\(number)"])
            #expect(bench.requests.count == before + 1)
        }
    }

    @Test(arguments: seeds(30))
    func aFolderGivesTheSameAnswersAsMemory(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let benches = [
            CacheBench(name: "test"),
            CacheBench(
                name: "test",
                folder: FolderCacheStore(
                    on: disk, memory: Int.random(in: 1...5_000, using: &random))),
        ]
        let policies = [
            "max-age=5", "max-age=50", "no-cache", "no-store", "max-age=5, stale-if-error=50",
            "max-age=5, stale-while-revalidate=9", "private", "max-age=50, must-revalidate",
        ]
        for _ in 0..<60 {
            let method: HTTPMethod = [.get, .get, .get, .get, .head, .post].randomElement(
                using: &random)!
            let path = "/\(Int.random(in: 0..<3, using: &random))"
            let language = ["de", "en"].randomElement(using: &random)!
            let seconds = Int.random(in: 0...12, using: &random)
            let status = [200, 200, 200, 304, 404, 503].randomElement(using: &random)!
            let headers: HTTPHeaders = [
                "Cache-Control": policies.randomElement(using: &random)!,
                "ETag": "\"\(Int.random(in: 0..<2, using: &random))\"", "Vary": "Accept-Language",
            ]
            let answers = try benches.map { bench in
                bench.advance(seconds)
                bench.answers(headers, status: status)
                let answer = try bench.ask(method, path, ["Accept-Language": language])
                return
                    "\(answer.status) \(answer.text) \(answer.headers.map { "\($0.name): \($0.value)" })"
            }
            #expect(answers[0] == answers[1])
        }
        #expect(benches[0].requests.count == benches[1].requests.count)
    }

    @Test func aResponseSurvivesAnyEncoderOrIsNotThere() throws {
        let response = CachedResponse(
            status: 203, headers: ["ETag": "\"1\"", "X-Both": "a", "x-both": "b"],
            body: Data([0, 255, 10]), url: URL(string: "https://example.com/?a=b"),
            responseTime: Date(secondsSince1970: CacheBench.start), initialAge: 3, lifetime: -1)
        for copy in [
            try JSONDecoder().decode(CachedResponse.self, from: JSONEncoder().encode(response)),
            try #require(CachedResponse(encoded: response.encoded)),
        ] {
            #expect(copy.status == 203 && copy.body == response.body && copy.url == response.url)
            #expect(copy.headers.map { "\($0)" } == response.headers.map { "\($0)" })
            #expect(copy.initialAge == 3 && copy.lifetime == -1)
            #expect(copy.responseTime == response.responseTime && copy.encoded == response.encoded)
        }
        var bytes = response.encoded
        bytes[bytes.count / 2] ^= 1
        #expect(CachedResponse(encoded: bytes) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CachedResponse.self, from: JSONEncoder().encode(bytes))
        }
    }

    // Exit tests capture values since Swift 6.3.
    #if (os(macOS) || os(Linux)) && compiler(>=6.3)
    @Test(.timeLimit(.minutes(10)))
    func twoProcessesWriteAndReadOneFolderAtTheSameTime() async throws {
        let folder = try TestFolder()
        let path = folder.url.path
        // Each process checks what it finds: whole responses of either process.
        async let first = #expect(processExitsWith: .success) { [path = path as String] in
            try writeAndRead("a", in: URL(fileURLWithPath: path))
        }
        async let second = #expect(processExitsWith: .success) { [path = path as String] in
            try writeAndRead("b", in: URL(fileURLWithPath: path))
        }
        _ = await (first, second)
        let store = FolderCacheStore(on: SystemFolder(folder.url), limit: 60_000)
        let usage = try #require(store.usage().result).get()
        #expect(usage.bytes > 0 && usage.bytes <= 60_000)
        #expect(!folder.names.contains { $0.hasSuffix(".part") })
    }

    @Test(.timeLimit(.minutes(10)))
    func afterKill9AllThatWasFlushedIsThere() async throws {
        let folder = try TestFolder()
        var random = SeededGenerator(seed: 9)
        var acknowledged = 0
        for _ in 0..<killCount() {
            let moment = Int.random(in: 1...60, using: &random)
            let path = folder.url.path
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, moment = moment as Int, acknowledged = acknowledged as Int]
                in
                let log = URL(fileURLWithPath: path).appendingPathComponent("log")
                let disk = KillingFolder(
                    SystemFolder(URL(fileURLWithPath: path).appendingPathComponent("cache")),
                    after: moment)
                let store = FolderCacheStore(on: disk)
                var number = acknowledged
                while true {
                    number += 1
                    let text = "\(number)"
                    _ = store.update(key(0)) { $0 = [FolderCacheStore.response(text)] }
                    _ = store.update(key(number % 7 + 1)) { $0 = [FolderCacheStore.response(text)] }
                    guard case .success? = store.flush().result else { break }
                    try Data(text.utf8).write(to: log)
                }
            }
            let log = try? String(contentsOf: folder.file("log"), encoding: .utf8)
            acknowledged = max(acknowledged, log.flatMap { Int($0) } ?? acknowledged)
            let store = FolderCacheStore(
                on: SystemFolder(folder.url.appendingPathComponent("cache")))
            let found = try texts(store.responses(for: key(0))).first.flatMap { Int($0) } ?? 0
            #expect(found == acknowledged || found == acknowledged + 1)
            for number in max(1, acknowledged - 6)...max(1, acknowledged) where acknowledged > 0 {
                let found = try texts(store.responses(for: key(number % 7 + 1)))
                #expect(found.first.flatMap { Int($0) }.map { $0 >= number } == true)
            }
        }
        #expect(acknowledged > 0)
    }
    #endif
}

/// Writes and reads responses whose bodies have the length that a header names.
private func writeAndRead(_ name: String, in folder: URL) throws {
    struct Wrong: Error {}
    let store = FolderCacheStore(on: SystemFolder(folder), limit: 60_000, memory: 5_000)
    var random = SeededGenerator(seed: name == "a" ? 1 : 2)
    for _ in 0..<300 {
        let key = key(Int.random(in: 0..<30, using: &random))
        let size = Int.random(in: 0..<4_000, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1: _ = store.update(key) { $0 = [FolderCacheStore.response("\(size)", size: size)] }
        case 2: _ = store.update(key) { $0 = [] }
        default:
            guard let found = try store.responses(for: key).result?.get() else { throw Wrong() }
            for response in found where response.headers["X-Text"] != "\(response.body.count)" {
                throw Wrong()
            }
        }
    }
    guard case .success? = store.flush().result else { throw Wrong() }
}

/// A folder that kills its process at an operation.
final class KillingFolder: StorageFolder {
    private let folder: SystemFolder
    private let left: Locked<Int>

    init(_ folder: SystemFolder, after operations: Int) {
        self.folder = folder
        left = Locked(operations)
    }

    private func count() {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { kill(getpid(), SIGKILL) }
    }

    func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        count()
        return try folder.read(name, upTo: limit)
    }

    func version(of name: String) -> FileVersion? {
        count()
        return folder.version(of: name)
    }

    func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError) {
        count()
        // The process may also end in the middle of a write.
        if left.withLock({ $0 == 0 }) {
            try folder.write(Array(bytes.prefix(bytes.count / 2)), to: name, at: time)
            kill(getpid(), SIGKILL)
        }
        try folder.write(bytes, to: name, at: time)
    }

    func sync(_ name: String) throws(FileError) {
        count()
        try folder.sync(name)
    }

    func rename(_ old: String, to new: String) throws(FileError) {
        count()
        try folder.rename(old, to: new)
    }

    func remove(_ name: String) throws(FileError) {
        count()
        try folder.remove(name)
    }

    func syncFolder() throws(FileError) {
        count()
        try folder.syncFolder()
    }

    func files() throws(FileError) -> [FileInFolder] {
        count()
        return try folder.files()
    }

    func setLastUse(of name: String, to time: Int64) {
        count()
        folder.setLastUse(of: name, to: time)
    }

    func create() throws(FileError) { try folder.create() }

    func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        count()
        try folder.withLock(body)
    }
}

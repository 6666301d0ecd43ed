import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication
@testable import PledgeStorage

/// Tokens and cookies that are kept across runs.
@Suite struct StoredSecretsTests {
    private let folder = try! TestFolder()

    private var file: URL { folder.url.appendingPathComponent("below/secrets.json") }

    private func settled<Value>(_ future: Future<Value>) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        future.observe { _ in done.signal() }
        done.wait()
        return try #require(future.result).get()
    }

    @Test("a stored token is there for the next run, for its user only")
    func aStoredTokenIsThereForTheNextRun() throws {
        let store = AccessTokenFile(file)
        #expect(try store.load() == nil)
        try store.save(AccessToken("one", lifetime: .seconds(3_600), refreshToken: "r"))
        try store.save(AccessToken("two", lifetime: .seconds(3_600), refreshToken: "r"))
        #expect(file.filePermissions == 0o600)
        #expect(file.deletingLastPathComponent().filePermissions == 0o700)
        let token = try #require(try AccessTokenFile(file).load())
        #expect(token.value == "two" && token.refreshToken == "r")
        #expect(try #require(token.lifetime) <= .seconds(3_600))
        try store.save(nil)
        #expect(try store.load() == nil && folder.names == ["below"])
        #expect(!"\(store)".contains("secrets"))
    }

    @Test func theEndOfATokensLifetimeDoesNotMoveWhileItIsStored() throws {
        let store = AccessTokenFile(file)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let end = Date.now.secondsSince1970 - 5
        try Data(#"{"access_token":"one","expires_at":\#(end)}"#.utf8).write(to: file)
        #expect(try store.load()?.lifetime == .zero)
        let text = try String(contentsOf: file, encoding: .utf8)
        try store.save(AccessToken("one", lifetime: .seconds(60)))
        #expect(try String(contentsOf: file, encoding: .utf8).contains("expires_at"))
        #expect(text.contains("\(end)"))
    }

    @Test func aRefresherSavesANewTokenBeforeAWaitingRequestIsSent() throws {
        let store = AccessTokenFile(file)
        try store.save(AccessToken("old", refreshToken: "r"))
        let refresher = TokenRefresher(storedIn: store) { token in
            Future(value: AccessToken("new of \(token.value)"))
        }
        let sent = Locked<[String]>([])
        let service = stack(
            .authorize(
                .bearer(from: refresher), for: .origins(of: URL(string: "https://a.example")!)),
            over: { request in
                let token = request.headers["Authorization"] ?? ""
                let stored = (try? store.load())?.value ?? "none"
                sent.withLock { $0.append("\(token), stored: \(stored)") }
                return Future(
                    value: HTTPResponse(status: token.contains("new") ? 200 : 401))
            })
        _ = try settled(service(HTTPRequest(.get, URL(string: "https://a.example/")!)))
        #expect(
            sent.withLock { $0 } == [
                "Bearer old, stored: old", "Bearer new of old, stored: new of old",
            ])
        #expect(try store.load()?.refreshToken == "r")
        refresher.signOut()
        #expect(try store.load() == nil)
    }

    @Test("a store that fails is reported, and the refresher works on")
    func aStoreThatFailsIsReported() throws {
        let errors = Locked<[String]>([])
        let damaged = try folder.file("damaged", Data("{".utf8))
        let refresher = TokenRefresher(
            storedIn: AccessTokenFile(damaged),
            onStoreError: { error in errors.withLock { $0.append("\(type(of: error))") } },
            refresh: { _ in Future(value: AccessToken("new")) })
        #expect(refresher.token == nil)
        let unwritable = TokenRefresher(
            storedIn: AccessTokenFile(damaged.appendingPathComponent("file")),
            onStoreError: { error in errors.withLock { $0.append("\(type(of: error))") } },
            refresh: { _ in Future(value: AccessToken("new")) })
        unwritable.signIn(with: AccessToken("one"))
        #expect(unwritable.token?.value == "one")
        #expect(errors.withLock { $0 } == ["DecodingError", "FileError", "FileError"])
    }

    /// How a file can be somebody else's work, for a test that can't become another user.
    enum Plant: CaseIterable {
        case writableByAll, secondName, symbolicLink, folder, tooLarge

        func plant(_ data: Data, at file: URL) throws {
            let parent = file.deletingLastPathComponent()
            let manager = FileManager.default
            try manager.createDirectory(at: parent, withIntermediateDirectories: true)
            let other = parent.appendingPathComponent("planted")
            switch self {
            case .folder:
                try manager.createDirectory(at: file, withIntermediateDirectories: false)
                return
            case .writableByAll, .tooLarge: try data.write(to: file)
            case .secondName:
                try data.write(to: other)
                try manager.linkItem(at: other, to: file)
            case .symbolicLink:
                try data.write(to: other)
                try manager.createSymbolicLink(at: file, withDestinationURL: other)
            }
            let path = self == .symbolicLink ? other.path : file.path
            chmod(path, self == .writableByAll ? 0o666 : 0o600)
            if self == .tooLarge { truncate(path, 65 << 20) }
        }
    }

    @Test(arguments: Plant.allCases)
    func aTokenThatSomebodyElseMayHavePlantedIsNotUsed(_ plant: Plant) throws {
        let token = AccessToken("mallory", refreshToken: "mallory's")
        try plant.plant(JSONEncoder().encode(token), at: file)
        let errors = Locked<[any Error]>([])
        let refresher = TokenRefresher(
            storedIn: AccessTokenFile(file),
            onStoreError: { error in errors.withLock { $0.append(error) } },
            refresh: { token in Future(value: AccessToken(token.value + "+")) })
        #expect(refresher.token == nil)
        let error = try #require(errors.withLock { $0.first } as? FileError)
        #expect("\(error)".contains(file.path))
        // It works on, and a sign-in replaces the planted file, unless that's a folder.
        refresher.signIn(with: AccessToken("alice", refreshToken: "alice's"))
        #expect(try settled(refresher.refresh()).value == "alice+")
        if plant != .folder {
            #expect(try AccessTokenFile(file).load()?.value == "alice+")
            #expect(file.filePermissions == 0o600)
        }
    }

    @Test func aTokenThatSomebodyPlantsBetweenTwoRefreshesIsNotUsed() throws {
        let errors = Locked<[any Error]>([])
        let refresher = TokenRefresher(
            storedIn: AccessTokenFile(file),
            onStoreError: { error in errors.withLock { $0.append(error) } },
            refresh: { token in Future(value: AccessToken(token.value + "+")) })
        refresher.signIn(with: AccessToken("alice", refreshToken: "alice's"))
        try JSONEncoder().encode(AccessToken("mallory")).write(to: file)
        chmod(file.path, 0o666)
        #expect(try settled(refresher.refresh()).value == "alice+")
        #expect(errors.withLock { $0.first is FileError })
        #expect(try AccessTokenFile(file).load()?.value == "alice+")
    }

    @Test(arguments: Plant.allCases)
    func aJarThatSomebodyElseMayHavePlantedIsNotUsed(_ plant: Plant) throws {
        let url = URL(string: "https://shop.example/")!
        let mallory = CookieJar()
        mallory.store("session=mallory; Max-Age=3600", from: url)
        try plant.plant(JSONEncoder().encode(mallory.snapshot()), at: file)
        let errors = Locked<[any Error]>([])
        let jar = CookieJar(
            file: file, onFileError: { error in errors.withLock { $0.append(error) } })
        #expect(jar.cookies.isEmpty)
        let error = try #require(errors.withLock { $0.first } as? FileError)
        #expect("\(error)".contains(file.path))
        jar.store("session=alice; Max-Age=3600", from: url)
        #expect(jar.cookies(for: url).map(\.value) == ["alice"])
        if plant == .folder {
            #expect(throws: FileError.self) { try settled(jar.flush()) }
        } else {
            try settled(jar.flush())
            #expect(CookieJar(file: file).cookies.map(\.value) == ["alice"])
        }
    }

    @Test("stored cookies are there for the next run, and session cookies if asked for")
    func storedCookiesAreThereForTheNextRun() throws {
        let url = URL(string: "https://shop.example/")!
        let first = CookieJar(file: file)
        first.store("id=7; Max-Age=3600", from: url)
        first.store("session=8", from: url)
        try settled(first.flush())
        #expect(file.filePermissions == 0o600)
        let second = CookieJar(file: file, keepingSessionCookies: true)
        #expect(second.cookies(for: url).map(\.name) == ["id"])
        second.store("session=9", from: url)
        try settled(second.flush())
        let third = CookieJar(file: file)
        #expect(third.cookies(for: url).map(\.name) == ["id", "session"])
        third.removeAll()
        try settled(third.flush())
        #expect(CookieJar(file: file).cookies.isEmpty)
    }

    @Test func aJarWorksOnIfItsFileFails() throws {
        let errors = Locked<[String]>([])
        let parent = try folder.file("file", Data())
        let jar = CookieJar(
            file: parent.appendingPathComponent("cookies"),
            onFileError: { error in errors.withLock { $0.append("\(type(of: error))") } })
        jar.store("id=7; Max-Age=3600", from: URL(string: "https://shop.example/")!)
        #expect(throws: FileError.self) { try settled(jar.flush()) }
        #expect(jar.cookies.count == 1)
        #expect(errors.withLock { $0 } == ["FileError", "FileError", "FileError"])
    }

    @Test func onAFullDiskTheNextRunFindsNoTokenOfAnotherSignIn() throws {
        struct Tokens: AccessTokenStore {
            let file: SecretFile

            func load() throws -> AccessToken? {
                try file.read().map { AccessToken(String(decoding: $0, as: UTF8.self)) }
            }
            func save(_ token: AccessToken?) throws {
                try file.write(token.map { Data($0.value.utf8) })
            }
        }
        let disk = CrashingDisk()
        let store = Tokens(file: SecretFile("token", in: disk))
        let errors = Locked<[FileError?]>([])
        let refresher = TokenRefresher(
            storedIn: store,
            onStoreError: { error in errors.withLock { $0.append(error as? FileError) } },
            refresh: { token in Future(value: AccessToken(token.value + "+")) })
        refresher.signIn(with: AccessToken("alice", refreshToken: "r"))
        disk.fail(after: 0, with: ENOSPC)
        _ = try settled(refresher.refresh())
        // The server may still accept the old token.
        #expect(try refresher.token?.value == "alice+" && store.load()?.value == "alice")
        refresher.signIn(with: AccessToken("bob", refreshToken: "r"))
        #expect(try refresher.token?.value == "bob" && store.load() == nil)
        disk.recover()
        _ = try settled(refresher.refresh())
        #expect(try store.load()?.value == "bob+")
        #expect(errors.withLock { $0.map { $0?.code } } == [ENOSPC, ENOSPC])
    }

    @Test(arguments: [false, true])
    func onAFullDiskTheNextRunFindsNoRemovedCookies(_ removesOne: Bool) throws {
        let url = URL(string: "https://shop.example/")!
        let disk = CrashingDisk()
        func jar() -> CookieJar {
            let file = CookieFile(
                SecretFile("cookies", in: disk), keepsSessionCookies: true, onError: { _ in })
            return CookieJar(
                file.read(), in: file, limits: (9, 9, 4_096), now: { .now },
                isPublicSuffix: { _ in false })
        }
        let first = jar()
        let cookie = try #require(first.store("session=alice", from: url))
        try settled(first.flush())
        disk.fail(after: 0, with: ENOSPC)
        first.store("theme=dark", from: url)
        #expect(throws: FileError.self) { try settled(first.flush()) }
        #expect(jar().cookies == [cookie])
        disk.fail(after: 0, with: EIO)
        if removesOne { first.remove(cookie) } else { first.removeAll() }
        #expect(throws: FileError.self) { try settled(first.flush()) }
        disk.fail(after: 0, with: ENOSPC)
        first.store("session=bob; Path=/orders", from: url)
        #expect(throws: FileError.self) { try settled(first.flush()) }
        #expect(jar().cookies.isEmpty)
        // Without cookies, nothing has to be written.
        first.removeAll()
        try settled(first.flush())
        disk.recover()
        first.store("session=carol", from: url)
        try settled(first.flush())
        disk.fail(after: 0, with: ENOSPC)
        first.store("theme=dark", from: url)
        #expect(throws: FileError.self) { try settled(first.flush()) }
        #expect(jar().cookies.map(\.value) == ["carol"])
    }

    @Test func aFlushWritesAgainWhatAFailedWriteHasNotWritten() throws {
        let url = URL(string: "https://shop.example/")!
        let disk = CrashingDisk()
        let file = CookieFile(
            SecretFile("cookies", in: disk), keepsSessionCookies: true, writes: { $0() },
            onError: { _ in })
        let jar = CookieJar(
            nil, in: file, limits: (9, 9, 4_096), now: { .now }, isPublicSuffix: { _ in false })
        disk.fail(after: 0, with: ENOSPC)
        jar.store("session=alice", from: url)
        #expect(file.read() == nil)
        disk.recover()
        try settled(jar.flush())
        #expect(file.read()?.cookies.count == 1)
        disk.fail(after: 0, with: EIO)
        jar.removeAll()
        disk.recover()
        try settled(jar.flush())
        #expect(file.read() == nil)
    }

    @Test func removingAFileFromAMissingFolderDoesNothing() throws {
        try AccessTokenFile(file).save(nil)
        let jar = CookieJar(file: file)
        jar.removeAll()
        try settled(jar.flush())
        #expect(folder.names == [])
    }

    @Test func aFlushWritesAChangeWhoseOwnWriteAnotherThreadHasStillToBegin() throws {
        let disk = CrashingDisk()
        let writes = Locked<[@Sendable () -> Void]>([])
        let cookies = CookieJar.Snapshot(
            cookies: [
                try #require(CookieJar().store("id=7", from: URL(string: "https://a.example/")!))
            ])
        let file = CookieFile(
            SecretFile("cookies", in: disk), keepsSessionCookies: true,
            writes: { write in writes.withLock { $0.append(write) } }, onError: { _ in })
        file.saveSoon(afterRemoval: false) { _ in cookies }
        let flush = file.flush { _ in cookies }
        let (first, second) = try writes.withLock {
            (try #require($0.first), try #require($0.last))
        }
        second()
        #expect(flush.isSettled && file.read() == cookies)
        let count = disk.count
        first()
        #expect(disk.count == count)
    }

    @Test("parts of ended processes are removed, but not those of a file being written")
    func partsOfEndedProcessesAreRemoved() throws {
        let disk = CrashingDisk()
        let now = Date.now.secondsSince1970 * 1_000_000_000
        for other in [
            "token.2.7.part", "token.part", "token.a.part", "token..part", "a.token.7.part",
        ] {
            try disk.write([], to: other, at: 0)
        }
        let others = disk.names
        try disk.write(
            Array("refresh token".utf8), to: "token.99999.part", at: now - 61_000_000_000)
        // A process in another container may have this one's number.
        let live = "token.\(getpid()).part"
        try disk.write([], to: live, at: now)
        let file = SecretFile("token", in: disk)
        try file.write(Data("new".utf8))
        #expect(Set(disk.names) == Set(others + ["token", live]))
        try file.write(nil)
        #expect(disk.names == others)
    }

    @Test func aFailedWriteLeavesNoPart() throws {
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(throws: FileError.self) { try AccessTokenFile(file).save(AccessToken("one")) }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: file.deletingLastPathComponent().path)
        #expect(names == ["secrets.json"])
    }

    @Test(arguments: 0..<200)
    func afterALossOfPowerAFileHasItsOldContentOrItsNewOne(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = CrashingDisk()
        let file = SecretFile("token", in: disk)
        try file.write(Data("old".utf8))
        disk.fail(after: Int.random(in: 0..<8, using: &random), with: EIO)
        let isWritten = (try? file.write(Data("new and longer".utf8))) != nil
        let found = try SecretFile("token", in: disk.crashed(&random)).read()
        let text = found.map { String(decoding: $0, as: UTF8.self) }
        #expect(text == "new and longer" || !isWritten && text == "old")
    }
}

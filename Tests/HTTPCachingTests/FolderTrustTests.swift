import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching
@testable import PledgeStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A cache's folder on a disk that others can change too.
@Suite struct FolderTrustTests {
    private let folder = try! TestFolder()
    private var url: URL { folder.url.appendingPathComponent("cache") }
    private var path: String { url.path }

    private func store(limit: Int = 1 << 20) -> FolderCacheStore {
        FolderCacheStore(on: SystemFolder(url), limit: limit, memory: 1)
    }

    private func put(_ text: String, at number: Int, in store: FolderCacheStore, size: Int = 0) {
        _ = store.update(key(number)) { $0 = [FolderCacheStore.response(text, size: size)] }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// The file of the only URL.
    private func entry() throws -> String {
        "\(path)/\(try #require(try names().first { $0.hasSuffix(".http") }))"
    }

    private func succeeds(_ future: Future<Void>) -> Bool {
        if case .success? = future.result { true } else { false }
    }

    @Test("a folder that others can write is neither read nor written, and memory goes on")
    func aFolderThatOthersCanWriteIsNeitherReadNorWritten() throws {
        put("EVIL", at: 1, in: store())
        #expect(chmod(path, 0o777) == 0)
        let before = try names()
        let bench = CacheBench(folder: FolderCacheStore(on: SystemFolder(url)))
        bench.answers(["Cache-Control": "max-age=100"])
        #expect(try bench.get([:], "/1") == "1")
        #expect(try bench.get([:], "/1") == "1")
        let error = try #require(bench.cache.storeError as? FileError)
        #expect(error.isOfForeignFile && "\(error)".contains(path))
        #expect(try names() == before)
        // The user mends it.
        #expect(chmod(path, 0o700) == 0)
        #expect(succeeds(bench.cache.flush()) && bench.cache.storeError == nil)
        #expect(try !texts(store().responses(for: key(1))).isEmpty)
    }

    @Test(arguments: 0..<5)
    func anEntryThatOthersHaveMadeOrCanWriteIsAbsent(_ way: Int) throws {
        put("EVIL", at: 1, in: store())
        let file = try entry()
        switch way {
        case 0: #expect(chmod(file, 0o666) == 0)
        case 1: #expect(link(file, "\(folder.url.path)/other") == 0)
        case 2:
            #expect(rename(file, "\(folder.url.path)/other") == 0)
            #expect(symlink("\(folder.url.path)/other", file) == 0)
        case 3:
            #expect(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
        default:
            #expect(unlink(file) == 0 && mkdir(file, 0o700) == 0)
        }
        let store = store()
        #expect(try texts(store.responses(for: key(1))) == [])
        #expect(store.failure == nil)
        // It costs this entry at most.
        put("mine", at: 1, in: store)
        put("other", at: 2, in: store)
        #expect(succeeds(store.flush()))
        let later = self.store()
        #expect(try texts(later.responses(for: key(1))) == (way == 4 ? [] : ["mine"]))
        #expect(try texts(later.responses(for: key(2))) == ["other"])
        _ = later.update(key(1)) { $0 = [] }
        #expect(succeeds(later.flush()))
        #expect(try texts(self.store().responses(for: key(1))) == [])
    }

    @Test("a key file that others can write isn't used, and the error names it")
    func aKeyFileThatOthersCanWriteIsNotUsed() throws {
        put("a", at: 1, in: store())
        #expect(chmod("\(path)/.pledge-cache-key", 0o666) == 0)
        let store = store()
        #expect(try texts(store.responses(for: key(1))) == [])
        let error = try #require(store.failure as? FileError)
        #expect(error.isOfForeignFile && "\(error)".contains(".pledge-cache-key"))
    }

    @Test(arguments: [".pledge-cache-usage", ".pledge-cache-key", "entry"], 0..<7)
    func noContentOfAFileEndsTheProcess(_ name: String, _ way: Int) throws {
        put("a", at: 1, in: store())
        let file = name == "entry" ? try entry() : "\(path)/\(name)"
        func write(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: file))
        }
        let ones = [UInt8](repeating: 0xFF, count: 7)
        switch way {
        case 0: try write(ones + [0xFF])
        case 1: try write(ones + [0x7F])
        case 2: try write([0x7F] + ones)
        case 3: try write([])
        case 4: #expect(truncate(file, 8 << 40) == 0)
        case 5:
            // Sealed, and wrong.
            var writer = ByteWriter()
            for number in [UInt64(bitPattern: .max), 1, .max] { writer.add(fixed: number) }
            let format = Array(name == "entry" ? "PLDG-C2\n".utf8 : "PLDG-U1\n".utf8)
            try write(CachedResponse.sealed(writer.bytes, as: format))
        default: #expect(unlink(file) == 0)
        }
        _ = chmod(file, 0o600)
        for limit in [1 << 20, .max] {
            let store = store(limit: limit)
            _ = try texts(store.responses(for: key(1)))
            for number in 1...3 { put("b", at: number, in: store) }
            _ = store.flush()
            #expect(try texts(store.responses(for: key(3))) == ["b"])
            let usage = try #require(store.usage().result).get()
            // With another key, the files have other names.
            #expect(usage.count == (name == ".pledge-cache-key" ? 4 : 3) && usage.bytes < 1 << 20)
        }
    }

    @Test func theFoldersLimitCountsWhatTheFilesTakeOfTheDisk() throws {
        let store = store(limit: 400_000)
        for number in 0..<200 { put("a", at: number, in: store, size: 100) }
        #expect(succeeds(store.flush()))
        var taken = 0
        for name in try names() where name.hasSuffix(".http") {
            var facts = stat()
            #expect(lstat("\(path)/\(name)", &facts) == 0)
            taken += Int(facts.st_blocks) * 512
        }
        let usage = try #require(store.usage().result).get()
        #expect(usage.bytes == taken && taken <= 400_000)
        #expect(usage.count < 200 && usage.count > 50)
    }

    @Test func openingAFolderWaitsForNoOtherProcessThatHasTheLock() throws {
        let system = SystemFolder(url)
        try system.create()
        var lock = try FileLock.attempt("\(path)/.pledge-lock")
        #expect(lock != nil)
        let writes = StepQueue()
        let store = FolderCacheStore(on: system, writes: writes.queue)
        put("a", at: 1, in: store)
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect(!(try names().contains(".pledge-cache-key")))
        lock = nil
        // The other process has made the key in the meantime.
        let other = self.store()
        while writes.step() {}
        #expect(store.failure == nil && store.key == other.key)
        #expect(try texts(self.store().responses(for: key(1))) == ["a"])
    }
}

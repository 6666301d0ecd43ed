import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPCaching

/// Work that a test does one piece at a time, in an order that it chooses.
private final class Work: Sendable {
    private let pieces = Locked<[@Sendable () -> Void]>([])

    var queue: FolderCacheStore.Queue { { piece in self.pieces.withLock { $0.append(piece) } } }

    /// Does the next piece; false if there is none.
    @discardableResult
    func step() -> Bool {
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        piece?()
        return piece != nil
    }
}

extension FolderCacheStore {
    /// A store whose blocking work is done at once.
    convenience init(
        on disk: any FileFolder, limit: Int = 1 << 20, memory: Int = 1 << 16,
        process: UInt64 = .random(in: .min ... .max)
    ) {
        self.init(
            disk, limit: limit, memory: memory, reads: { $0() }, writes: { $0() },
            process: process)
    }

    fileprivate func put(_ text: String, at key: CacheKey, size: Int = 0) {
        _ = update(key) { $0 = [Self.response(text, size: size)] }
    }

    static func response(_ text: String, size: Int = 0) -> CachedResponse {
        CachedResponse(
            status: 200, headers: ["X-Text": text], body: Data(repeating: 7, count: size),
            responseTime: HTTPDate(secondsSince1970: CacheBench.start), lifetime: 100)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

func key(_ number: Int) -> CacheKey {
    CacheKey(URL(string: "https://example.com/\(number)")!)!
}

func texts(_ future: Future<[CachedResponse]>) throws -> [String] {
    try #require(future.result).get().map { $0.headers["X-Text"] ?? "" }
}

@Suite struct FolderCacheStoreTests {
    @Test("K1: a response is there for the next process")
    func isThereForTheNextProcess() throws {
        let disk = CrashingDisk()
        let first = FolderCacheStore(on: disk)
        first.put("a", at: key(1))
        #expect(first.flush().result != nil)
        let second = FolderCacheStore(on: disk)
        #expect(try texts(second.responses(for: key(1))) == ["a"])
        #expect(try texts(second.responses(for: key(2))) == [])
        #expect(second.key == first.key)
    }

    @Test("K1: a response is read before it is written, and nobody waits for the write")
    func nobodyWaitsForTheWrite() throws {
        let (disk, writes) = (CrashingDisk(), Work())
        let store = FolderCacheStore(
            disk, limit: 1 << 20, memory: 1, reads: { $0() }, writes: writes.queue)
        store.put("a", at: key(1))
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect(disk.names == [".pledge-cache-key"])
        let flush = store.flush()
        #expect(flush.result == nil)
        while writes.step() {}
        #expect(flush.result != nil && disk.names.contains { $0.hasSuffix(".http") })
        #expect(try texts(store.responses(for: key(1))) == ["a"])
    }

    @Test("K1: a torn, foreign or older file is a miss", arguments: 0..<400)
    func damagedFilesAreMisses(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = CrashingDisk()
        let first = FolderCacheStore(on: disk)
        first.put("a", at: key(1), size: 40)
        first.put("b", at: key(2), size: 40)
        let files = disk.names.filter { $0.hasSuffix(".http") }
        let other = try #require(try disk.read(files[1])?.bytes)
        disk.damage(files[0]) { bytes in
            switch seed % 4 {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= .random(
                    in: 1...255, using: &random)
            case 2: bytes = other
            default: bytes.append(.random(in: 0...255, using: &random))
            }
        }
        let store = FolderCacheStore(on: disk)
        let found = try texts(store.responses(for: key(1))) + texts(store.responses(for: key(2)))
        #expect(found == ["a"] || found == ["b"])
        // It is replaced like any other.
        for number in [1, 2] { store.put("c", at: key(number)) }
        let third = FolderCacheStore(on: disk)
        #expect(try texts(third.responses(for: key(1))) == ["c"])
        #expect(try texts(third.responses(for: key(2))) == ["c"])
    }

    @Test("K1: the least recently used URLs make room")
    func theLeastRecentlyUsedMakeRoom() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk, limit: 40_000, memory: 1)
        for number in 0..<8 { store.put("\(number)", at: key(number), size: 3_000) }
        #expect(try texts(store.responses(for: key(0))) == ["0"])
        for number in 8..<14 { store.put("\(number)", at: key(number), size: 3_000) }
        let kept = try (0..<14).filter { try texts(store.responses(for: key($0))) != [] }
        #expect(kept.contains(0) && kept.contains(13) && !kept.contains(1))
        let usage = try #require(store.usage().result).get()
        #expect(usage.bytes <= 40_000 && usage.count == kept.count)
    }

    @Test("K1: memory has a bound too")
    func memoryHasABound() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk, memory: 4_000)
        for number in 0..<100 { store.put("\(number)", at: key(number), size: 500) }
        for number in 0..<100 {
            #expect(try texts(store.responses(for: key(number))) == ["\(number)"])
        }
        #expect(store.memoryBytes <= 4_000)
    }

    @Test("K1: a full disk ends in a cache that keeps nothing", arguments: 0..<40)
    func aFullDisk(_ operations: Int) throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk)
        store.put("old", at: key(1))
        disk.fail(after: operations, with: ENOSPC)
        var error: FileError?
        for round in 0..<20 where error == nil {
            store.put("new", at: key(1))
            store.put("\(round)", at: key(2))
            if case .failure(let found as FileError) = store.flush().result { error = found }
        }
        #expect(error?.code == ENOSPC)
        #expect(store.flush().result?.isSuccess == false)
        #expect(store.responses(for: key(1)).result?.isSuccess == false)
        disk.recover()
        // What is found later isn't out of date.
        let later = FolderCacheStore(on: disk)
        #expect(try texts(later.responses(for: key(1))) != ["old"])
    }

    @Test("K1: a folder that can't be written keeps nothing, and says so once")
    func aReadOnlyFolder() throws {
        let disk = CrashingDisk()
        disk.fail(after: 0, with: EROFS)
        let bench = CacheBench()
        let notes = Locked<[String]>([])
        let observer = ServiceObserver { event in
            if case .note(let text) = event.kind { notes.withLock { $0.append(text) } }
        }
        let cache = HTTPCache(in: FolderCacheStore(on: disk), on: bench.scheduler)
        let service = stack(
            .observed(by: observer, on: bench.scheduler), .cache(sharing: cache),
            over: bench.origin)
        bench.answers(["Cache-Control": "max-age=100"])
        let request = HTTPRequest(.get, URL(string: "https://example.com/")!)
        let answers = (1...3).map { _ in service(request) }
        #expect(answers.map { try? $0.result?.get().text } == ["1", "2", "3"])
        #expect((cache.storeError as? FileError)?.code == EROFS)
        #expect(notes.withLock { $0 } == ["the store failed: nothing is kept"])
        #expect(cache.flush().result?.isSuccess == false)
    }

    @Test(
        "K1: after a loss of power, what was flushed or written later is there", arguments: 0..<300)
    func lossOfPower(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (disk, reads, writes) = (CrashingDisk(), Work(), Work())
        let store = FolderCacheStore(
            disk, limit: 1 << 20, memory: 600, reads: reads.queue, writes: writes.queue)
        // For each key, the values that may be found: the last flushed one, and those after it.
        var possible = [[String]](repeating: [""], count: 4)
        var flushes: [(Future<Void>, [Int])] = []
        for step in 0..<Int.random(in: 1...60, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let number = Int.random(in: 0..<4, using: &random)
                store.put("\(step)", at: key(number))
                possible[number].append("\(step)")
            case 4:
                let number = Int.random(in: 0..<4, using: &random)
                _ = store.update(key(number)) { $0 = [] }
                possible[number].append("")
            case 5: _ = store.responses(for: key(Int.random(in: 0..<4, using: &random)))
            case 6: flushes.append((store.flush(), possible.map { $0.count - 1 }))
            case 7: reads.step()
            default: writes.step()
            }
        }
        let last = flushes.last { $0.0.result != nil }?.1 ?? [0, 0, 0, 0]
        let after = FolderCacheStore(on: disk.crashed(&random))
        for number in 0..<4 {
            let found = try texts(after.responses(for: key(number))).first ?? ""
            #expect(possible[number][last[number]...].contains(found), "key \(number)")
        }
    }

    @Test("K1: two processes never read what one of them has removed", arguments: 0..<200)
    func twoProcesses(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = CrashingDisk()
        let works = [(Work(), Work()), (Work(), Work())]
        let stores = works.map { reads, writes in
            FolderCacheStore(
                disk, limit: 1 << 20, memory: 2_000, reads: reads.queue, writes: writes.queue)
        }
        func finish() {
            while works.contains(where: { $0.0.step() || $0.1.step() }) {}
        }
        var live = Set<String>()
        for step in 0..<40 {
            let store = stores[Int.random(in: 0...1, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                let text = "\(step)"
                _ = store.update(key(0)) { $0.append(FolderCacheStore.response(text)) }
                live.insert(text)
            case 3:
                // What the other process is about to write is newer than the removal.
                let old = try Set(texts(FolderCacheStore(on: disk).responses(for: key(0))))
                _ = store.update(key(0)) { $0 = [] }
                _ = store.flush()
                finish()
                live.subtract(old)
                for store in stores {
                    let found = store.responses(for: key(0))
                    finish()
                    #expect(try old.isDisjoint(with: texts(found)))
                }
            case 4:
                let found = store.responses(for: key(0))
                finish()
                #expect(try live.isSuperset(of: texts(found)))
            default:
                let work = works[Int.random(in: 0...1, using: &random)]
                if Bool.random(using: &random) { work.0.step() } else { work.1.step() }
            }
        }
    }

    @Test("K1: what is removed while it is read stays removed")
    func removedWhileRead() throws {
        let disk = CrashingDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        let (reads, writes) = (Work(), Work())
        let store = FolderCacheStore(
            disk, limit: 1 << 20, memory: 1_000, reads: reads.queue, writes: writes.queue)
        let before = store.responses(for: key(1))
        let removal = store.removeAll()
        let after = store.responses(for: key(1))
        while reads.step() || writes.step() {}
        #expect(removal.result != nil)
        #expect(try texts(before) == [] && texts(after) == [])
        #expect(!disk.names.contains { $0.hasSuffix(".http") })
    }

    @Test("K1: the files of a folder are for this user alone, and foreign ones stay")
    func permissions() throws {
        let folder = try TestFolder()
        let own = folder.url.appendingPathComponent("below/cache")
        let cache = HTTPCache(folder: own)
        #expect(HTTPCache(folder: own).store as AnyObject === cache.store as AnyObject)
        let foreign = ["notes.txt", "film.part", "key", "lock", "usage"]
        for name in foreign {
            try Data("mine".utf8).write(to: own.appendingPathComponent(name))
        }
        let store = try #require(cache.store as? FolderCacheStore)
        store.put("a", at: key(1))
        try wait(for: cache.flush())
        let names = try FileManager.default.contentsOfDirectory(atPath: own.path)
        #expect(names.contains { $0.hasSuffix(".http") })
        for name in names where !foreign.contains(name) {
            #expect(own.appendingPathComponent(name).filePermissions == 0o600, "\(name)")
        }
        #expect(own.filePermissions == 0o700)
        try wait(for: cache.clear())
        for name in foreign {
            let content = try String(contentsOf: own.appendingPathComponent(name), encoding: .utf8)
            #expect(content == "mine", "\(name)")
        }
        // Somebody else, such as the system, may remove the folder.
        try FileManager.default.removeItem(at: own)
        store.put("b", at: key(2))
        try wait(for: cache.flush())
        #expect(cache.storeError == nil)
        let next = FolderCacheStore(on: SystemFolder(own))
        #expect(try texts(next.responses(for: key(2))) == ["b"])
    }

    private func wait(for future: Future<Void>) throws {
        let done = DispatchSemaphore(value: 0)
        future.observe { _ in done.signal() }
        done.wait()
        _ = try #require(future.result).get()
    }
}

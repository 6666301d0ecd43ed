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

/// Work that a test does one piece at a time, in an order that it chooses.
final class StepQueue: Sendable {
    private let pieces = Locked<[@Sendable () -> Void]>([])
    private let hook = Locked<(@Sendable () -> Void)?>(nil)

    var queue: FolderCacheStore.Queue { { piece in self.pieces.withLock { $0.append(piece) } } }

    /// Sets what comes after the next piece, before those that it has enqueued.
    func interrupt(_ work: @escaping @Sendable () -> Void) { hook.withLock { $0 = work } }

    /// Does the next piece; false if there is none.
    @discardableResult
    func step() -> Bool {
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        piece?()
        if piece != nil { hook.withLock { $0.take() }?() }
        return piece != nil
    }
}

extension FolderCacheStore {
    /// A store whose blocking work is done at once, unless a test has it queued.
    convenience init(
        on disk: any StorageFolder, limit: Int = 1 << 20, memory: Int = 1 << 16,
        reads: @escaping Queue = { $0() }, writes: @escaping Queue = { $0() },
        process: UInt64 = .random(in: .min ... .max),
        scheduler: any FutureScheduler = ManualScheduler()
    ) {
        self.init(
            disk,
            places: disk as? any StoragePlaces
                ?? (disk as? SystemFolder).map { FilePlaces(in: $0) },
            limit: limit, memory: memory, reads: reads, writes: writes, process: process,
            on: scheduler)
    }

    fileprivate func put(_ text: String, at key: CacheKey, size: Int = 0) {
        _ = update(key) { $0 = [Self.response(text, size: size)] }
    }

    static func response(_ text: String, size: Int = 0) -> CachedResponse {
        CachedResponse(
            status: 200, headers: ["X-Text": text], body: Data(repeating: 7, count: size),
            responseTime: Date(secondsSince1970: CacheBench.start), lifetime: 100)
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
    @Test func aResponseIsThereForTheNextProcess() throws {
        let disk = CrashingDisk()
        let first = FolderCacheStore(on: disk)
        first.put("a", at: key(1))
        #expect(first.flush().result != nil)
        let second = FolderCacheStore(on: disk)
        #expect(try texts(second.responses(for: key(1))) == ["a"])
        #expect(try texts(second.responses(for: key(2))) == [])
        #expect(second.key == first.key)
    }

    @Test("a response is read before it is written, and nobody waits for the write")
    func aResponseIsReadBeforeItIsWritten() throws {
        let (disk, writes) = (CrashingDisk(), StepQueue())
        let store = FolderCacheStore(on: disk, memory: 1, writes: writes.queue)
        store.put("a", at: key(1))
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect(disk.names == [".pledge-cache-key"])
        let flush = store.flush()
        #expect(flush.result == nil)
        while writes.step() {}
        #expect(flush.result != nil && disk.names.contains { $0.hasSuffix(".http") })
        #expect(try texts(store.responses(for: key(1))) == ["a"])
    }

    @Test(arguments: 0..<400)
    func aTornForeignOrOlderFileIsAMiss(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = CrashingDisk()
        let first = FolderCacheStore(on: disk)
        first.put("a", at: key(1), size: 40)
        first.put("b", at: key(2), size: 40)
        let files = disk.names.filter { $0.hasSuffix(".http") }
        let other = try #require(try disk.read(files[1], upTo: .max)?.bytes)
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

    @Test func theLeastRecentlyUsedURLsMakeRoom() throws {
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

    @Test func theStoresMemoryHasABound() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk, memory: 4_000)
        for number in 0..<100 { store.put("\(number)", at: key(number), size: 500) }
        for number in 0..<100 {
            #expect(try texts(store.responses(for: key(number))) == ["\(number)"])
        }
        #expect(store.memoryBytes <= 4_000)
    }

    @Test("a full disk ends no cache, and leaves nothing that was removed", arguments: 0..<40)
    func aFullDiskEndsNoCache(_ operations: Int) throws {
        let (disk, scheduler) = (CrashingDisk(), ManualScheduler())
        let store = FolderCacheStore(on: disk, scheduler: scheduler)
        store.put("old", at: key(1))
        store.put("old", at: key(3))
        disk.fail(after: operations, with: ENOSPC)
        var error: FileError?
        for round in 0..<20 where error == nil {
            store.put("new", at: key(1))
            store.put("\(round)", at: key(2))
            if case .failure(let found as FileError) = store.flush().result { error = found }
        }
        #expect(error?.code == ENOSPC && (store.failure as? FileError)?.code == ENOSPC)
        // The memory goes on, and a full disk still removes files.
        #expect(try texts(store.responses(for: key(1))) == ["new"])
        store.put("newer", at: key(1))
        _ = store.update(key(3)) { $0 = [] }
        #expect(try texts(store.responses(for: key(1))) == ["newer"])
        #expect(try texts(store.responses(for: key(3))) == [])
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(3))) == [])
        disk.recover()
        scheduler.advance(by: .seconds(60))
        _ = store.responses(for: key(1))
        #expect(store.failure == nil)
        let later = FolderCacheStore(on: disk)
        #expect(try texts(later.responses(for: key(1))) == ["newer"])
        #expect(try texts(later.responses(for: key(3))) == [])
    }

    @Test("after a failure, the store pauses twice as long each time, up to a minute")
    func afterAFailureTheStorePausesTwiceAsLongEachTime() throws {
        let (disk, scheduler) = (WatchedDisk(), ManualScheduler())
        let store = FolderCacheStore(on: disk, scheduler: scheduler)
        disk.failOpening(with: EMFILE)
        store.put("a", at: key(1))
        #expect((store.failure as? FileError)?.code == EMFILE)
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            let tries = disk.attempts
            scheduler.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(try texts(store.responses(for: key(1))) == ["a"])
            #expect(disk.attempts == tries, "\(pause)")
            scheduler.advance(by: .milliseconds(1))
            #expect(try texts(store.responses(for: key(1))) == ["a"])
            #expect(disk.attempts == tries + 1, "\(pause)")
        }
        disk.failOpening(with: nil)
        #expect(store.failure != nil)
        // A flush doesn't wait for the end of the pause.
        #expect(store.flush().result?.isSuccess == true && store.failure == nil)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == ["a"])
        // The next failure begins with a short pause.
        disk.failOpening(with: EMFILE)
        store.put("b", at: key(2))
        disk.failOpening(with: nil)
        scheduler.advance(by: .seconds(1))
        _ = store.responses(for: key(2))
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(2))) == ["b"])
    }

    @Test func aProcessThatCannotWriteRemovesNoFileOfWhatOthersKeep() throws {
        let disk = WatchedDisk()
        let healthy = FolderCacheStore(on: disk)
        let sickDisk = FailingFolder(disk)
        let sick = FolderCacheStore(on: sickDisk)
        for number in 0..<5 { healthy.put("a", at: key(number)) }
        sickDisk.fail(with: EMFILE)
        for number in 0..<5 { sick.put("b", at: key(number)) }
        #expect(sick.failure != nil)
        for number in 0..<5 {
            #expect(try texts(FolderCacheStore(on: disk).responses(for: key(number))) == ["a"])
            #expect(try texts(sick.responses(for: key(number))) == ["b"])
        }
        // A removal counts for all.
        _ = sick.update(key(0)) { $0 = [] }
        #expect(try texts(healthy.responses(for: key(0))) == [])
        sickDisk.fail(with: nil)
        #expect(sick.flush().result?.isSuccess == true)
        #expect(try texts(healthy.responses(for: key(1))) == ["b"])
    }

    @Test("a removal that no disk takes holds in memory, and is made up for")
    func aRemovalThatNoDiskTakesHoldsInMemory() throws {
        let (disk, scheduler) = (CrashingDisk(), ManualScheduler())
        let store = FolderCacheStore(on: disk, memory: 10_000, scheduler: scheduler)
        store.put("a", at: key(1))
        disk.fail(after: 0, with: EROFS)
        _ = store.update(key(1)) { $0 = [] }
        for number in 2..<200 { store.put("\(number)", at: key(number), size: 1_000) }
        #expect(try texts(store.responses(for: key(1))) == [])
        #expect(store.memoryBytes <= 10_000)
        disk.recover()
        #expect(store.flush().result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == [])
    }

    @Test func moreRemovalsThanTheMemoryHoldsRemoveAllFilesAsSoonAsPossible() throws {
        let disk = CrashingDisk()
        FolderCacheStore(on: disk).put("old", at: key(0))
        let first = FolderCacheStore(on: disk)
        for number in 1..<200 { first.put("a", at: key(number)) }
        let store = FolderCacheStore(on: disk, limit: 8_000, memory: 4_000)
        for number in 0..<200 { _ = store.responses(for: key(number)) }
        disk.fail(after: 0, with: EROFS)
        for number in 0..<200 { _ = store.update(key(number)) { $0 = [] } }
        #expect(store.memoryBytes <= 8_000)
        #expect(try (0..<200).allSatisfy { try texts(store.responses(for: key($0))) == [] })
        store.put("new", at: key(7))
        #expect(try texts(store.responses(for: key(7))) == ["new"])
        disk.recover()
        #expect(store.flush().result?.isSuccess == true)
        let later = FolderCacheStore(on: disk)
        #expect(try (0..<200).filter { try texts(later.responses(for: key($0))) != [] } == [7])
    }

    @Test func afterAClearThatFailedNobodyGetsWhatWasStoredBefore() throws {
        let (disk, scheduler) = (CrashingDisk(), ManualScheduler())
        let store = FolderCacheStore(on: disk, scheduler: scheduler)
        store.put("a", at: key(1))
        disk.fail(after: 0, with: EIO)
        #expect(store.removeAll().result?.isSuccess == false)
        disk.recover()
        #expect(try texts(store.responses(for: key(1))) == [])
        store.put("b", at: key(2))
        #expect(try texts(store.responses(for: key(2))) == ["b"])
        scheduler.advance(by: .seconds(1))
        _ = store.responses(for: key(1))
        let later = FolderCacheStore(on: disk)
        #expect(try texts(later.responses(for: key(1))) == [])
        #expect(try texts(later.responses(for: key(2))) == ["b"])
        #expect(try texts(store.responses(for: key(2))) == ["b"])
    }

    @Test("a folder that can't be written keeps responses in memory, and says so once")
    func aFolderThatCannotBeWrittenKeepsResponsesInMemory() throws {
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
        #expect(answers.map { try? $0.result?.get().text } == ["1", "1", "1"])
        #expect((cache.storeError as? FileError)?.code == EROFS)
        #expect(notes.withLock { $0 } == ["the store failed: going on without it"])
        #expect(cache.flush().result?.isSuccess == false)
        disk.recover()
        #expect(cache.flush().result?.isSuccess == true && cache.storeError == nil)
    }

    @Test(arguments: 0..<300)
    func afterALossOfPowerWhatWasFlushedOrWrittenLaterIsThere(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (disk, reads, writes) = (CrashingDisk(), StepQueue(), StepQueue())
        let store = FolderCacheStore(
            on: disk, memory: 600, reads: reads.queue, writes: writes.queue)
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

    @Test(arguments: 0..<200)
    func twoProcessesNeverReadWhatOneOfThemHasRemoved(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let disk = CrashingDisk()
        let works = [(StepQueue(), StepQueue()), (StepQueue(), StepQueue())]
        let stores = works.map { reads, writes in
            FolderCacheStore(on: disk, memory: 2_000, reads: reads.queue, writes: writes.queue)
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

    @Test func whatIsRemovedWhileItIsReadStaysRemoved() throws {
        let disk = CrashingDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        let (reads, writes) = (StepQueue(), StepQueue())
        let store = FolderCacheStore(
            on: disk, memory: 1_000, reads: reads.queue, writes: writes.queue)
        let before = store.responses(for: key(1))
        let removal = store.removeAll()
        let after = store.responses(for: key(1))
        while reads.step() || writes.step() {}
        #expect(removal.result != nil)
        #expect(try texts(before) == [] && texts(after) == [])
        #expect(!disk.names.contains { $0.hasSuffix(".http") })
    }

    @Test("the files of a folder are for this user alone, and foreign ones stay")
    func theFilesOfAFolderAreForThisUserAlone() throws {
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
        // The files are counted after the first batch, and before a second flush ends.
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

/// What comes between two steps of a store.
@Suite struct FolderCacheRaceTests {
    private let version = FileVersion(inode: 1, size: 10, modified: 5)

    @Test func aRemovalIsNotLostIfTheWriteOfANewURLEndsMeanwhile() {
        var table = FolderCacheTable(memory: 1 << 20, largest: 1 << 20)
        table.isOpen = true
        let before = table.find(key(1))
        let put: FolderCacheTable.Step.Change = { $0 = [FolderCacheStore.response("old")] }
        #expect(table.changeEntries(key(1), "f", at: nil, before.past, put)?.isEmpty == true)
        let during = table.find(key(1))
        let batch = table.takeBatch()
        _ = table.persisted([.init(change: batch.changes[0], version: version)])
        // Both have seen no file, so both must read the one that is there now.
        #expect(
            table.changeEntries(key(1), "f", at: during.version, during.past) { $0 = [] } == nil)
        #expect(table.changeEntries(key(1), "f", at: nil, before.past) { $0 = [] } == nil)
    }

    @Test func whatIsRemovedWhileAnotherCallerReadsItsFileStaysRemoved() throws {
        let disk = WatchedDisk()
        FolderCacheStore(on: disk).put("old", at: key(1))
        let writes = StepQueue()
        let store = FolderCacheStore(on: disk, writes: writes.queue)
        disk.interrupt {
            _ = store.update(key(1)) { $0 = [] }
            while writes.step() {}
        }
        _ = store.update(key(1)) { $0.append(FolderCacheStore.response("new")) }
        #expect(try texts(store.responses(for: key(1))) == ["new"])
    }

    @Test("what changes while a batch is merged with the file of another process is merged too")
    func whatChangesDuringAMergeIsMergedToo() throws {
        let disk = WatchedDisk()
        let (first, writes) = (FolderCacheStore(on: disk), StepQueue())
        let second = FolderCacheStore(on: disk, writes: writes.queue)
        @Sendable func response(_ text: String, _ variant: String) -> CachedResponse {
            FolderCacheStore.response(text)
                .with(variant: CacheVariant(fields: [.init(name: "a", value: .text(variant))]))
        }
        _ = second.update(key(1)) { $0.append(response("2", "2")) }
        _ = first.update(key(1)) { $0.append(response("1", "1")) }
        disk.interrupt { _ = second.update(key(1)) { $0.append(response("3", "3")) } }
        while writes.step() {}
        for store in [second, FolderCacheStore(on: disk)] {
            #expect(try texts(store.responses(for: key(1))).sorted() == ["1", "2", "3"])
        }
    }

    @Test func afterAllWasRemovedNobodyGetsWhatWasReadMeanwhile() throws {
        let disk = WatchedDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        let (reads, writes) = (StepQueue(), StepQueue())
        let store = FolderCacheStore(on: disk, reads: reads.queue, writes: writes.queue)
        let removal = store.removeAll()
        reads.step()
        let during = store.responses(for: key(1))
        let after = Locked<Future<[CachedResponse]>?>(nil)
        disk.afterRead {
            while writes.step() {}
            #expect(removal.result?.isSuccess == true)
            let future = store.responses(for: key(1))
            after.withLock { $0 = future }
        }
        while reads.step() {}
        #expect(try texts(during) == [])
        #expect(try texts(try #require(after.withLock { $0 })) == [])
    }

    @Test func whatIsStoredWhileAllIsBeingRemovedIsThereAfterAFlush() throws {
        let (disk, reads, writes) = (CrashingDisk(), StepQueue(), StepQueue())
        let store = FolderCacheStore(on: disk, reads: reads.queue, writes: writes.queue)
        _ = store.removeAll()
        store.put("new", at: key(1))
        writes.step()
        let flush = store.flush()
        while reads.step() || writes.step() {}
        #expect(flush.result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == ["new"])
    }

    @Test func whatIsStoredWhileItsOldFileMakesRoomIsThereAfterAFlush() throws {
        let (disk, writes) = (WatchedDisk(), StepQueue())
        let store = FolderCacheStore(on: disk, limit: 40_000, memory: 40_000, writes: writes.queue)
        for number in 0..<8 {
            store.put("\(number)", at: key(number), size: 4_000)
            while writes.step() {}
        }
        disk.interrupt { store.put("new", at: key(0), size: 100) }
        for number in 8..<10 { store.put("\(number)", at: key(number), size: 4_500) }
        while writes.step() {}
        let flush = store.flush()
        while writes.step() {}
        #expect(flush.result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(0))) == ["new"])
    }

    @Test(arguments: [false, true])
    func aRemovalIsNotLostIfTheFileCannotBeReadMeanwhile(isWritten: Bool) throws {
        let disk = WatchedDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        let writes = StepQueue()
        let store = FolderCacheStore(on: disk, writes: writes.queue)
        disk.failOpening(with: EMFILE)
        #expect(store.update(key(1)) { $0 = [] }.result?.isSuccess == true)
        if isWritten { while writes.step() {} }
        disk.failOpening(with: nil)
        let flush = store.flush()
        while writes.step() {}
        #expect(flush.result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == [])
    }

    @Test func aRemovalAlsoRemovesAFileInTheFormatOfAnotherVersion() throws {
        let disk = CrashingDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        let name = try #require(disk.names.first { $0.hasSuffix(".http") })
        try disk.remove(name)
        try disk.write(Array("PLDG-C9\n".utf8), to: name, at: 1)
        let store = FolderCacheStore(on: disk)
        #expect(try texts(store.responses(for: key(1))) == [])
        #expect(disk.names.contains(name))
        _ = store.update(key(1)) { $0 = [] }
        #expect(store.flush().result?.isSuccess == true && !disk.names.contains(name))
    }

    @Test func twoProcessesFindEachOthersRemovalsAfterTheFolderWasEmptied() throws {
        let disk = CrashingDisk()
        let first = FolderCacheStore(on: disk)
        first.put("a", at: key(1))
        for name in disk.names { try disk.remove(name) }
        let second = FolderCacheStore(on: disk)
        for number in 1...3 { second.put("b", at: key(number)) }
        // The first one goes on with the new key, and its removals hold.
        for number in 1...2 { _ = first.update(key(number)) { $0 = [] } }
        #expect(first.flush().result?.isSuccess == true && first.key == second.key)
        for store in [second, FolderCacheStore(on: disk)] {
            let found = try (1...3).map { try texts(store.responses(for: key($0))) }
            #expect(found == [[], [], ["b"]])
        }
        #expect(second.flush().result?.isSuccess == true)
    }

    @Test func aStoreThatCouldNotReadItsKeyLeavesNoOutdatedResponseForALaterRun() throws {
        let disk = WatchedDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        disk.failOpening(with: EMFILE)
        let store = FolderCacheStore(on: disk)
        disk.failOpening(with: nil)
        #expect(store.failure != nil)
        #expect(store.update(key(1)) { $0 = [] }.result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == [])
        #expect(store.failure == nil)
    }

    @Test func aFlushAlsoWaitsForAChangeWhoseReadAnotherCallerHasNotEnqueuedYet() throws {
        let disk = CrashingDisk()
        FolderCacheStore(on: disk).put("old", at: key(1))
        let (reads, delayed) = (StepQueue(), StepQueue())
        let isFirst = Locked(true)
        let store = FolderCacheStore(
            disk, limit: 1 << 20, memory: 1,
            reads: { work in
                let queue = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst ? delayed : reads
                }
                queue.queue(work)
            }, writes: { $0() })
        _ = store.responses(for: key(1))
        _ = store.update(key(1)) { $0 = [] }
        let flush = store.flush()
        while reads.step() {}
        #expect(flush.result?.isSuccess == true)
        #expect(!disk.names.contains { $0.hasSuffix(".http") })
        while delayed.step() {}
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == [])
    }
}

/// What a store does with little memory, little disk, and a folder that others change.
@Suite struct FolderCacheBoundsTests {
    @Test func absentURLsTakeNoMemory() throws {
        let store = FolderCacheStore(on: CrashingDisk(), memory: 4_000)
        for number in 0..<100 {
            #expect(try texts(store.responses(for: key(number))) == [])
            _ = store.update(key(number)) { $0 = [] }
        }
        #expect(store.memoryBytes <= 4_000)
    }

    @Test func filesThatACallerReadsItselfCountAgainstTheMemory() throws {
        let disk = WatchedDisk()
        let first = FolderCacheStore(on: disk)
        for number in 0..<100 { first.put("\(number)", at: key(number), size: 2_000) }
        let store = FolderCacheStore(on: disk, memory: 10_000)
        for number in 0..<100 {
            #expect(try texts(store.responses(for: key(number))) == ["\(number)"])
        }
        #expect(store.memoryBytes <= 10_000)
    }

    @Test("what a slow disk hasn't written yet is bounded, and no removal is dropped")
    func whatASlowDiskHasNotWrittenYetIsBounded() throws {
        let (disk, writes) = (CrashingDisk(), StepQueue())
        FolderCacheStore(on: disk).put("old", at: key(99))
        let store = FolderCacheStore(on: disk, limit: 80_000, memory: 10_000, writes: writes.queue)
        for number in 0..<99 { store.put("\(number)", at: key(number), size: 2_000) }
        store.put("new", at: key(99), size: 2_000)
        #expect(store.memoryBytes <= 20_000 + 100 * 200)
        while writes.step() {}
        let later = FolderCacheStore(on: disk)
        #expect(try texts(later.responses(for: key(0))) == ["0"])
        #expect(try texts(later.responses(for: key(99))) == [])
        store.put("newer", at: key(99), size: 2_000)
        #expect(try texts(store.responses(for: key(99))) == ["newer"])
    }

    @Test func usesAreNotedInBatchesEachFileOnce() throws {
        let (disk, writes) = (WatchedDisk(), StepQueue())
        let store = FolderCacheStore(on: disk, writes: writes.queue)
        for number in 1...2 { store.put("a", at: key(number)) }
        while writes.step() {}
        for use in 0..<999 { _ = store.responses(for: key(use % 2 + 1)) }
        #expect(!writes.step())
        // A slow disk lets uses wait.
        for use in 0..<9_000 { _ = store.responses(for: key(use % 2 + 1)) }
        #expect(writes.step() && !writes.step())
        #expect(disk.touches == 2)
    }

    @Test func withoutABoundMemoryHoldsAll() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk, limit: .max, memory: .max)
        store.put("a", at: key(1), size: 100_000)
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect(store.flush().result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == ["a"])
    }

    @Test func aFailedBatchLeavesNoUnfinishedFiles() {
        let (disk, writes) = (CrashingDisk(), StepQueue())
        let store = FolderCacheStore(on: disk, writes: writes.queue)
        for number in 0..<20 { store.put("a", at: key(number), size: 1_000) }
        disk.fail(after: 12, with: ENOSPC)
        while writes.step() {}
        #expect(store.flush().result == nil && disk.names.filter { $0.hasSuffix(".part") } == [])
    }

    @Test func oneURLWithManyResponsesDoesNotTakeThePlaceOfAllOthers() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk, limit: 80_000, memory: 1)
        for number in 1...5 { store.put("\(number)", at: key(number), size: 1_000) }
        for number in 0..<30 {
            _ = store.update(key(0)) {
                $0.append(FolderCacheStore.response("\(number)", size: 3_000))
            }
        }
        #expect(try texts(store.responses(for: key(0))) == ["27", "28", "29"])
        for number in 1...5 {
            #expect(try texts(store.responses(for: key(number))) == ["\(number)"])
        }
    }

    @Test("after a failed write, removed URLs stay removed, and no later run finds them")
    func afterAFailedWriteRemovedURLsStayRemoved() throws {
        let disk = WatchedDisk()
        let first = FolderCacheStore(on: disk)
        for number in 1...4 { first.put("old", at: key(number)) }
        let store = FolderCacheStore(on: disk)
        disk.interrupt {
            // While the first batch is written, a change waits for the next.
            _ = store.update(key(2)) { $0 = [] }
            disk.fill()
        }
        store.put("new", at: key(1))
        #expect(store.update(key(3)) { $0 = [] }.result?.isSuccess == true)
        let later = FolderCacheStore(on: disk)
        #expect(
            try (1...4).map { try texts(later.responses(for: key($0))) }
                == [["old"], [], [], ["old"]])
        #expect(try texts(store.responses(for: key(1))) == ["new"])
    }

    @Test func afterSomebodyHasEmptiedTheFolderTheNextRunFindsWhatWasFlushed() throws {
        let disk = CrashingDisk()
        let store = FolderCacheStore(on: disk)
        store.put("a", at: key(1))
        for name in disk.names { try disk.remove(name) }
        store.put("b", at: key(1))
        #expect(store.flush().result?.isSuccess == true)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == ["b"])
    }

    @Test func cachesOfAFolderThatWasRemovedMeanwhileHaveOneStore() throws {
        let folder = try TestFolder()
        let own = folder.url.appendingPathComponent("cache")
        let first = HTTPCache(folder: own)
        try FileManager.default.removeItem(at: own)
        // Another folder may get the removed one's number.
        let other = HTTPCache(folder: folder.url.appendingPathComponent("other"))
        let second = HTTPCache(folder: own)
        #expect(first.store as AnyObject === second.store as AnyObject)
        #expect(other.store as AnyObject !== second.store as AnyObject)
    }

    @Test func openingAFolderThatHasAKeyWaitsForNoOtherProcess() {
        let disk = WatchedDisk()
        let first = FolderCacheStore(on: disk)
        #expect(disk.locks == 1)
        #expect(FolderCacheStore(on: disk).key == first.key)
        #expect(disk.locks == 1)
    }

    @Test func theFirstWriteOfAProcessCountsNoFilesIfAnotherHasCountedThem() throws {
        let disk = WatchedDisk()
        FolderCacheStore(on: disk).put("a", at: key(1))
        #expect(disk.listings == 1)
        for number in 2..<5 { FolderCacheStore(on: disk).put("a", at: key(number)) }
        #expect(disk.listings == 1)
        // They are counted in the background if nobody has, or if what was noted is damaged.
        try disk.remove(".pledge-cache-usage")
        let writes = StepQueue()
        let store = FolderCacheStore(on: disk, writes: writes.queue)
        store.put("a", at: key(5))
        writes.step()
        #expect(disk.listings == 1 && !disk.names.contains(".pledge-cache-usage"))
        #expect(disk.names.filter { $0.hasSuffix(".http") }.count == 5)
        while writes.step() {}
        #expect(disk.listings == 2 && disk.names.contains(".pledge-cache-usage"))
    }

    @Test("a lock that another process keeps costs a pause, and no answer")
    func aLockThatAnotherProcessKeepsCostsAPause() throws {
        let (disk, scheduler) = (WatchedDisk(), ManualScheduler())
        let store = FolderCacheStore(on: disk, scheduler: scheduler)
        disk.failOpening(with: EWOULDBLOCK)
        store.put("a", at: key(1))
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect((store.failure as? FileError)?.code == EWOULDBLOCK)
        disk.failOpening(with: nil)
        scheduler.advance(by: .seconds(1))
        #expect(try texts(store.responses(for: key(1))) == ["a"])
        #expect(store.failure == nil)
        #expect(try texts(FolderCacheStore(on: disk).responses(for: key(1))) == ["a"])
    }

    @Test func filesThatWereUsedAtAFutureTimeMakeRoomFirst() throws {
        let disk = CrashingDisk()
        let old = FolderCacheStore(on: disk, limit: 40_000, memory: 1)
        for number in 0..<8 { old.put("\(number)", at: key(number), size: 3_000) }
        for name in disk.names { disk.setLastUse(of: name, to: .max) }
        let store = FolderCacheStore(on: disk, limit: 40_000, memory: 1)
        for number in 8..<16 { store.put("\(number)", at: key(number), size: 3_000) }
        for number in 8..<16 {
            #expect(try texts(store.responses(for: key(number))) == ["\(number)"])
        }
    }
}

/// A disk that is interrupted once, after a read or before a write, and counts its locks and touches.
private final class WatchedDisk: StorageFolder {
    private let disk = CrashingDisk()
    private let hook = Locked<(@Sendable () -> Void)?>(nil)
    private let readHook = Locked<(@Sendable () -> Void)?>(nil)
    private let failure = Locked<Int32?>(nil)
    private let count = Locked((locks: 0, attempts: 0, touches: 0, listings: 0))

    var names: [String] { disk.names }
    /// How many times all files were listed.
    var listings: Int { count.withLock { $0.listings } }
    var locks: Int { count.withLock { $0.locks } }
    /// How many times the lock was asked for.
    var attempts: Int { count.withLock { $0.attempts } }
    var touches: Int { count.withLock { $0.touches } }

    /// Sets what interrupts the next read in the background.
    func afterRead(_ work: @escaping @Sendable () -> Void) { readHook.withLock { $0 = work } }

    /// Has no file opened from now on; nil ends this.
    func failOpening(with code: Int32?) { failure.withLock { $0 = code } }

    private func open() throws(FileError) {
        if let code = failure.withLock({ $0 }) { throw FileError(operation: "open", code: code) }
    }

    /// Sets what interrupts the next read by a caller, or the next write.
    func interrupt(_ work: @escaping @Sendable () -> Void) { hook.withLock { $0 = work } }

    /// Fills the disk.
    func fill() { disk.fail(after: 0, with: ENOSPC) }

    func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)? {
        if failure.withLock({ $0 }) != nil { return nil }
        let found = (try? disk.read(name, upTo: limit)) ?? nil
        hook.withLock { $0.take() }?()
        return found
    }

    func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        count.withLock { $0.attempts += 1 }
        try open()
        count.withLock { $0.locks += 1 }
        try disk.withLock(body)
    }

    func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try open()
        defer { if name.hasSuffix(".http") { readHook.withLock { $0.take() }?() } }
        return try disk.read(name, upTo: limit)
    }

    func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError) {
        try open()
        hook.withLock { $0.take() }?()
        try disk.write(bytes, to: name, at: time)
    }

    func version(of name: String) -> FileVersion? { disk.version(of: name) }
    func sync(_ name: String) throws(FileError) { try disk.sync(name) }
    func rename(_ old: String, to new: String) throws(FileError) { try disk.rename(old, to: new) }
    func remove(_ name: String) throws(FileError) { try disk.remove(name) }
    func syncFolder() throws(FileError) { try disk.syncFolder() }
    func files() throws(FileError) -> [FileInFolder] {
        count.withLock { $0.listings += 1 }
        return try disk.files()
    }
    func setLastUse(of name: String, to time: Int64) {
        count.withLock { $0.touches += 1 }
        disk.setLastUse(of: name, to: time)
    }
    func create() throws(FileError) { try disk.create() }
}

/// A folder of one process that can open no files while the test says so; it can still remove them.
private final class FailingFolder: StorageFolder {
    private let disk: any StorageFolder
    private let failure = Locked<Int32?>(nil)

    init(_ disk: any StorageFolder) { self.disk = disk }

    func fail(with code: Int32?) { failure.withLock { $0 = code } }

    private func open() throws(FileError) {
        if let code = failure.withLock({ $0 }) { throw FileError(operation: "open", code: code) }
    }

    func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try open()
        return try disk.read(name, upTo: limit)
    }

    func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError) {
        try open()
        try disk.write(bytes, to: name, at: time)
    }

    func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        try open()
        try disk.withLock(body)
    }

    func version(of name: String) -> FileVersion? { disk.version(of: name) }
    func sync(_ name: String) throws(FileError) { try disk.sync(name) }
    func rename(_ old: String, to new: String) throws(FileError) { try disk.rename(old, to: new) }
    func remove(_ name: String) throws(FileError) { try disk.remove(name) }
    func syncFolder() throws(FileError) { try disk.syncFolder() }
    func files() throws(FileError) -> [FileInFolder] { try disk.files() }
    func setLastUse(of name: String, to time: Int64) { disk.setLastUse(of: name, to: time) }
    func create() throws(FileError) { try disk.create() }
}

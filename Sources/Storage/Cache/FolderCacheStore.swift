import Dispatch
import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices

/// Keeps a cache's responses as files of a folder, for `HTTPCache(folder:)`.
///
/// **Files.** A URL's responses are one file, whose name is a keyed hash of the URL. It begins with a format and a
/// checksum, and contains its URL. A file counts as absent if it has another format, is damaged, has another URL, or was
/// made by another user.
///
/// **Writing.** Changes take effect in memory at once, and are written in the background, in batches: write all new
/// files under other names, sync each, rename them, sync the folder. So after a crash a URL has its old responses or
/// its new ones.
///
/// **Processes.** A batch holds the folder's lock. Before a file is replaced, its version is compared with the one that
/// the change was based on. If another process has written the file in between, the two lists are merged: of two
/// responses to the same requests, the newer one stays. If either process has removed a response, the file is removed,
/// because the other one may have kept it. A file has a lineage, a number that changes with each removal.
///
/// **Failures.** If a batch can't be written, the store goes on in memory, and writes again after a pause. A file whose
/// responses were to be removed is removed at once.
///
/// **Bound.** The file ".pledge-cache-usage" counts what all files take. If that exceeds the limit, the least recently
/// used files are removed, until a tenth of the limit is free. A file's access time is the time of its last use.
final class FolderCacheStore: LastingCacheStore {
    /// The calls of all caches of this folder.
    let calls = Locked(CallValidity<CacheKey>())
    /// The turns of all caches of this folder.
    let turns = Locked(CacheTurns())

    let folder: any StorageFolder
    /// The locks of the requests; nil if there are none.
    let places: (any StoragePlaces)?
    let limit: Int
    let process: UInt64
    let scheduler: any FutureScheduler
    let table: Locked<FolderCacheTable>
    private let reads: Queue
    let writes: Queue
    /// The version of the file with the key, when it was last read.
    let keyVersion: Locked<FileVersion?>
    /// True if the files must be counted, because the file that says what they take is absent, old or wrong.
    let mustCount = Locked(false)

    /// Runs blocking work in order, on another thread.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - places: The locks of the requests; nil for none.
    ///   - limit: The most that all files may take of the disk, in bytes.
    ///   - memory: The largest total size of the responses that are kept in memory too, in bytes.
    ///   - reads: Runs the reads; nil for a queue of the store's own.
    ///   - writes: Runs the writes; nil for a queue of the store's own.
    ///   - process: The number of this process; in tests, each store may have one.
    ///   - scheduler: The clock for the pauses after failures.
    init(
        _ folder: any StorageFolder, places: (any StoragePlaces)? = nil, limit: Int, memory: Int,
        reads: Queue? = nil, writes: Queue? = nil, process: UInt64 = CacheProcess.number,
        on scheduler: any FutureScheduler = .live
    ) {
        precondition(limit >= 1, "a cache needs a limit of at least 1 byte, not \(limit)")
        self.folder = folder
        self.places = places
        self.limit = limit
        self.process = process
        self.scheduler = scheduler
        self.reads = reads ?? Self.queue("reads")
        self.writes = writes ?? Self.queue("writes")
        // If the key is replaced after this, the next change finds another version.
        keyVersion = Locked(folder.version(of: Self.keyName))
        var table = FolderCacheTable(
            memory: memory, largest: min(limit / 8, Self.largestFile), key: Self.newKey())
        do {
            try folder.create()
            try folder.checkOwner()
            if let key = try Self.key(of: folder, orNew: table.key) {
                // The version is of this key, unless another process has replaced it meanwhile.
                if keyVersion.withLock({ $0 == nil }) {
                    let version = folder.version(of: Self.keyName)
                    if try Self.knownKey(of: folder) == key { keyVersion.withLock { $0 = version } }
                }
                _ = table.adopt(key)
                table.isOpen = true
            }
        } catch {
            table.fail(error, at: scheduler.now)
        }
        self.table = Locked(table)
        // Another process is just making the key.
        if !table.isOpen, table.failure == nil { self.writes { self.persist() } }
    }

    /// Opens the folder at a URL, or returns the store that has it open in this process.
    static func shared(
        _ url: URL, limit: Int, memory: Int, on scheduler: any FutureScheduler
    ) -> FolderCacheStore {
        let folder = SystemFolder(url)
        let path = url.standardizedFileURL.path
        // The lock is held while the folder is opened, so that no two stores have it open.
        return open.withLock { open in
            open = open.filter { $0.value.store != nil }
            if let store = open[path]?.store { return store }
            // Another path may lead to the same folder.
            if let identity = try? folder.identity() {
                let other = open.first { (try? $0.value.folder.identity()) == identity }
                if let store = other?.value.store { return store }
            }
            let store = FolderCacheStore(
                folder, places: FilePlaces(in: folder), limit: limit, memory: memory,
                on: scheduler)
            open[path] = OpenFolder(folder: folder, store: store)
            return store
        }
    }

    private struct OpenFolder: @unchecked Sendable {
        let folder: SystemFolder
        weak var store: FolderCacheStore?
    }

    /// The stores by the paths of their folders.
    private static let open = Locked<[String: OpenFolder]>([:])

    private static func queue(_ name: String) -> Queue {
        let queue = DispatchQueue(label: "Pledge.FolderCacheStore.\(name)")
        return { work in queue.async(execute: work) }
    }

}

// MARK: - Reading and changing

extension FolderCacheStore {
    /// The key of the hashes that stand for users and URLs; another one after somebody has begun anew in the folder.
    var key: [UInt8] { table.withLock { $0.key } }

    /// Why responses are in memory only; nil if they are written.
    var failure: (any Error)? { table.withLock { $0.failure } }

    /// The bytes of the responses in memory.
    var memoryBytes: Int { table.withLock { $0.bytes } }

    /// Returns the responses of a key: at once if they are in memory and no other process has changed them, and after
    /// reading their file otherwise.
    func responses(for key: CacheKey) -> Future<[CachedResponse]> {
        // A batch of many uses, or another try, is due.
        defer { persistSoon() }
        return changeEntries(key, nil)
    }

    /// Changes the responses of a key; the change is written in the background.
    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void> {
        let future = changeEntries(key, change)
        persistSoon()
        // A removal that finds nothing writes nothing, but another process may have begun anew in the folder.
        let isOpen = table.withLock { $0.isOpen }
        if isOpen, folder.version(of: Self.keyName) != keyVersion.withLock({ $0 }) {
            writes { self.beginAnew(for: key) }
        }
        return future.mapWithoutOrigin { _ in }
    }

    /// Changes the responses of a key, in order with the other changes of the key.
    ///
    /// - Returns: The responses before the change.
    private func changeEntries(
        _ key: CacheKey, _ change: FolderCacheTable.Step.Change?
    ) -> Future<[CachedResponse]> {
        let known = table.withLock { $0.find(key) }
        let name = known.name ?? Self.fileName(of: key, known.hashKey)
        let isKnown = known.isChanged || known.isBlind
        var version = isKnown ? known.version : folder.version(of: name)
        // A file that the system has in memory is read here, which takes less time than a change of threads.
        if !isKnown, let size = version?.size, size <= Self.mostToReadHere,
            version != known.version,
            let file = folder.readFromMemory(name, upTo: Self.mostToReadHere)
        {
            version = file.version
            let content = content(in: file.bytes, of: key)
            table.withLockThenRelease {
                $0.add(key, name, content, at: file.version, after: known.past)
            }
        }
        if let found = table.withLock({
            $0.changeEntries(key, name, at: version, known.past, change)
        }) {
            return Future(value: found)
        }
        return Future.make { resolver in
            let step = FolderCacheTable.Step(change: change, resolver: resolver)
            // The file may have been read since, and is not read again.
            let (isFirst, found) = table.withLock { table -> (Bool, [CachedResponse]?) in
                if let found = table.changeEntries(key, name, at: version, known.past, change) {
                    return (false, found)
                }
                return (table.wait(for: key, step), nil)
            }
            if let found { resolver.resolve(with: found) }
            if isFirst { reads { self.load(key) } }
        }
    }

    /// The largest file that a caller reads itself, in bytes.
    private static let mostToReadHere = 256 << 10

    /// Reads the file of a key, and takes the steps that wait for it.
    private func load(_ key: CacheKey) {
        let (past, name, isBlind) = table.withLock { ($0.past, $0.name(of: key), $0.isBlind) }
        guard let name else { return }
        var (content, version): (FolderCacheTable.Content?, FileVersion?) = (nil, nil)
        do {
            if isBlind {
                version = .unreadable
            } else if let file = try read(name) {
                (content, version) = (self.content(in: file.bytes, of: key), file.version)
            }
        } catch {
            // The responses count as absent, but a change must replace or remove the file.
            version = .unreadable
        }
        let taken = table.withLock { $0.loaded(key, content, at: version, after: past) }
        for (step, found) in taken { step.resolver.resolve(with: found) }
        persistSoon()
    }
}

// MARK: - What concerns all files

extension FolderCacheStore {
    /// Waits until all earlier changes are on the disk; tries again at once after a failure.
    func flush() -> Future<Void> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist(now: true)
                    if let error = self.failure {
                        resolver.reject(with: error)
                    } else {
                        resolver.resolve()
                    }
                }
            }
        }
    }

    /// Removes all files of the cache.
    ///
    /// If that fails, all files count as absent until it succeeds.
    func removeAll() -> Future<Void> {
        Future.make { resolver in
            table.withLockThenRelease { $0.beginRemoval() }
            reads {
                self.writes {
                    do {
                        try self.attempt { () throws(FileError) in try self.removeFiles() }
                        self.table.withLock { $0.endRemoval() }
                        resolver.resolve()
                    } catch {
                        self.table.withLock {
                            $0.endRemoval(isToRepeat: true)
                            $0.fail(error, at: self.scheduler.now)
                        }
                        resolver.reject(with: error)
                    }
                    self.persistSoon()
                }
            }
        }
    }

    /// Returns the number of URLs and the bytes that they take of the disk, after all earlier changes.
    func usage() -> Future<CacheUsage> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist(now: true)
                    do {
                        if let error = self.failure { throw error }
                        let files = try self.urlFiles()
                        resolver.resolve(
                            with: CacheUsage(count: files.count, bytes: Self.bytes(of: files)))
                    } catch {
                        resolver.reject(with: error)
                    }
                }
            }
        }
    }

    /// Takes all steps that wait for a file, and then calls a function.
    ///
    /// A caller that has a step wait may not have enqueued the read yet.
    private func loading(_ body: @escaping @Sendable () -> Void) {
        reads {
            for key in self.table.withLock({ $0.waiting }) { self.load(key) }
            body()
        }
    }

    /// Returns the keys whose responses fulfil a condition, after all earlier changes; reads all files.
    ///
    /// It also reads them while nothing can be written. A file that nobody may read here counts as absent.
    func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist(now: true)
                    do {
                        resolver.resolve(with: try self.listed(where: isIncluded))
                    } catch {
                        resolver.reject(with: error)
                    }
                }
            }
        }
    }

    private func listed(
        where isIncluded: (CacheKey, [CachedResponse]) -> Bool
    ) throws(FileError) -> [CacheKey] {
        // The responses of users whom only this process knows are in no file.
        let (inMemory, isBlind) = table.withLock { ($0.contents, $0.isBlind) }
        var keys = Set(inMemory.filter { isIncluded($0.key, $0.entries) }.map(\.key))
        for listed in isBlind ? [] : try urlFiles() {
            let file: (bytes: [UInt8], version: FileVersion)?
            do {
                file = try read(listed.name)
            } catch  where error.isOfUnusableFile || error.isOfMissingFile {
                continue
            }
            guard let file, let (key, entries) = content(of: file.bytes),
                fileName(of: key) == listed.name, isIncluded(key, entries)
            else { continue }
            keys.insert(key)
        }
        return Array(keys)
    }
}

import Dispatch
import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// Keeps a cache's responses as files of a folder, for `HTTPCache(folder:)`.
///
/// **Files.** A URL's responses are in one file, whose name is a keyed hash of the URL. It has a format, a checksum and
/// the URL. A file that's damaged, or of another format, URL or user, counts as absent.
///
/// **Writing.** Changes take effect in memory at once. Batches write them in the background: write all new files under
/// other names, sync each, rename them, sync the folder. So after a crash, a URL has either its old responses or its
/// new ones.
///
/// **Processes.** A batch holds the folder's lock. Before it replaces a file, it checks that the file is still the
/// version on which the change is based. If another process has written the file, the two lists are merged, and the
/// newer response to each request stays. But if either process has removed a response, the file is removed, because the
/// other list may still contain that response. To show this, a file has a lineage: a number that changes with each
/// removal.
///
/// **Failures.** If a batch can't be written, the store works from memory, and tries again after a pause. A file with
/// responses that were to be removed is deleted at once.
///
/// **Size.** The file ".pledge-cache-usage" says how much of the disk all files take. If that's too much, the least
/// recently used files are removed until a tenth of the limit is free. A file's access time says when it was last used.
final class FolderCacheStore: LastingCacheStore {
    /// Shared by all caches of this folder.
    let calls = Locked(CallValidity<CacheKey>())
    /// Shared by all caches of this folder.
    let turns = Locked(CacheTurns())

    let folder: any StorageFolder
    /// Locks for requests; nil for none.
    let places: (any StoragePlaces)?
    let limit: Int
    let process: UInt64
    let scheduler: any FutureScheduler
    let table: Locked<FolderCacheTable>
    private let reads: Queue
    let writes: Queue
    /// The version of the key's file when it was last read.
    let keyVersion: Locked<FileVersion?>
    /// True if the files must be counted: the record of their size is missing, old or wrong.
    let mustCount = Locked(false)

    /// Runs blocking work in order, on another thread.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - places: Locks for requests; nil for none.
    ///   - limit: The most bytes of disk space.
    ///   - memory: The most bytes of responses in memory.
    ///   - reads: Runs the reads; nil for the store's own queue.
    ///   - writes: Runs the writes; nil for the store's own queue.
    ///   - process: Identifies this process; tests have several.
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
        // If another process replaces the key after this line, the next change notices the new version.
        keyVersion = Locked(folder.version(of: Self.keyName))
        var table = FolderCacheTable(
            memory: memory, largest: min(limit / 8, Self.largestFile), key: Self.newKey())
        do {
            try folder.create()
            try folder.checkOwner()
            if let key = try Self.key(of: folder, orNew: table.key) {
                // This is the version of the key just read, unless another process has replaced the key since.
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

    /// Opens a folder, or returns the store that already has it open in this process.
    static func shared(
        _ url: URL, limit: Int, memory: Int, on scheduler: any FutureScheduler
    ) -> FolderCacheStore {
        let folder = SystemFolder(url)
        let path = url.standardizedFileURL.path
        // The lock is held while the folder is opened, so that no two stores open it.
        return open.withLock { open in
            open = open.filter { $0.value.store != nil }
            if let store = open[path]?.store { return store }
            // Two paths may lead to the same folder.
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

    /// The open stores, by the paths of their folders.
    private static let open = Locked<[String: OpenFolder]>([:])

    private static func queue(_ name: String) -> Queue {
        let queue = DispatchQueue(label: "Pledge.FolderCacheStore.\(name)")
        return { work in queue.async(execute: work) }
    }

}

extension FolderCacheStore {
    /// The key of the hashes that stand for users and URLs; a process that empties the folder makes a new one.
    var key: [UInt8] { table.withLock { $0.key } }

    /// The error that keeps responses in memory only; nil if they are written.
    var failure: (any Error)? { table.withLock { $0.failure } }

    var memoryBytes: Int { table.withLock { $0.bytes } }

    /// A key's responses: at once if they are in memory and no other process has changed them; otherwise after reading
    /// their file.
    func responses(for key: CacheKey) -> Future<[CachedResponse]> {
        // Many uses, or a retry after a failure, may make a batch due.
        defer { persistSoon() }
        return changeEntries(key, nil)
    }

    /// Changes a key's responses, and writes them in the background.
    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void> {
        let future = changeEntries(key, change)
        persistSoon()
        // A removal that finds nothing writes nothing, so nothing would notice that the folder was emptied.
        let isOpen = table.withLock { $0.isOpen }
        if isOpen, folder.version(of: Self.keyName) != keyVersion.withLock({ $0 }) {
            writes { self.beginAnew(for: key) }
        }
        return future.mapWithoutOrigin { _ in }
    }

    /// Changes a key's responses, in order with its other changes.
    ///
    /// - Returns: The responses before the change.
    private func changeEntries(
        _ key: CacheKey, _ change: FolderCacheTable.Step.Change?
    ) -> Future<[CachedResponse]> {
        let known = table.withLock { $0.find(key) }
        let name = known.name ?? Self.fileName(of: key, known.hashKey)
        let isKnown = known.isChanged || known.isBlind
        var version = isKnown ? known.version : folder.version(of: name)
        // If the system has the file in memory, reading it here is faster than changing threads.
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
            // If the file has been read meanwhile, it isn't read again.
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

    /// The largest file that is read on the caller's thread, in bytes.
    private static let mostToReadHere = 256 << 10

    /// Reads a key's file, and performs the steps that wait for it.
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
            // The responses count as absent, but a change must still replace or remove the file.
            version = .unreadable
        }
        let taken = table.withLock { $0.loaded(key, content, at: version, after: past) }
        for (step, found) in taken { step.resolver.resolve(with: found) }
        persistSoon()
    }
}

extension FolderCacheStore {
    /// Waits until all earlier changes are on the disk; after a failure, tries again at once.
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
    /// If that fails, they count as absent until it succeeds.
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

    /// The number of URLs and their disk space, after all earlier changes.
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

    /// Loads all files that a step waits for, and then calls a function.
    ///
    /// A waiting step's read may not be enqueued yet, so this reads too.
    private func loading(_ body: @escaping @Sendable () -> Void) {
        reads {
            for key in self.table.withLock({ $0.waiting }) { self.load(key) }
            body()
        }
    }

    /// The keys whose responses fulfil a condition, after all earlier changes.
    ///
    /// It reads all files, even while nothing can be written. Files that nobody may read count as absent.
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
        // Responses of users whom only this process knows are in no file.
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

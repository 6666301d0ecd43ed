import Dispatch
import PledgeFutures
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
final class FolderCacheStore: CacheStore {
    /// The calls of all caches of this folder.
    let calls = Locked(CallValidity<CacheKey>())
    /// The turns of all caches of this folder.
    let turns = Locked(CacheTurns())

    private let folder: any FileFolder
    private let limit: Int
    private let process: UInt64
    private let scheduler: any FutureScheduler
    private let table: Locked<FolderCacheTable>
    private let reads: Queue
    private let writes: Queue
    /// The version of the file with the key, when it was last read.
    private let keyVersion: Locked<FileVersion?>
    /// True if the files must be counted, because the file that says what they take is absent, old or wrong.
    private let mustCount = Locked(false)

    /// Runs blocking work in order, on another thread.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - limit: The most that all files may take of the disk, in bytes.
    ///   - memory: The largest total size of the responses that are kept in memory too, in bytes.
    ///   - reads: Runs the reads; nil for a queue of the store's own.
    ///   - writes: Runs the writes; nil for a queue of the store's own.
    ///   - process: The number of this process; in tests, each store may have one.
    ///   - scheduler: The clock for the pauses after failures.
    init(
        _ folder: any FileFolder, limit: Int, memory: Int, reads: Queue? = nil,
        writes: Queue? = nil, process: UInt64 = CacheProcess.number,
        on scheduler: any FutureScheduler = .live
    ) {
        precondition(limit >= 1, "a cache needs a limit of at least 1 byte, not \(limit)")
        self.folder = folder
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
            let store = FolderCacheStore(folder, limit: limit, memory: memory, on: scheduler)
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

    private static func newKey() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

    /// Returns the folder's key, and writes the new one if there is none; nil if another process is writing one.
    private static func key(
        of folder: any FileFolder, orNew new: [UInt8]
    ) throws(FileError) -> [UInt8]? {
        // The file is replaced as a whole, so only a new key needs the lock, which another process may hold for long.
        if let known = try knownKey(of: folder) { return known }
        var key: [UInt8]?
        try folder.withLockNow { () throws(FileError) in
            key = try knownKey(of: folder)
            if key != nil { return }
            try write(key: new, to: folder)
            key = new
        }
        return key
    }

    private static func knownKey(of folder: any FileFolder) throws(FileError) -> [UInt8]? {
        let found: [UInt8]?
        do {
            found = try folder.read(keyName, upTo: 1 << 10)?.bytes
        } catch  where error.isOfLargeFile {
            return nil
        }
        guard let found, let known = CachedResponse.opened(found, as: keyFormat), known.count == 32
        else { return nil }
        return Array(known)
    }

    private static func write(key: [UInt8], to folder: any FileFolder) throws(FileError) {
        try folder.replace(
            keyName, with: CachedResponse.sealed(key, as: keyFormat), by: partName("key"),
            at: now())
    }

    // The names of the files that aren't a URL's; nobody else gives a file such a name.
    private static let keyName = ".pledge-cache-key"
    private static let usageName = ".pledge-cache-usage"

    /// Returns the name of a file that isn't complete yet.
    private static func partName(_ name: String) -> String { ".pledge-cache-\(name).part" }

    private static func isPart(_ name: String) -> Bool {
        name.hasPrefix(".pledge-cache-") && name.hasSuffix(".part")
    }

    private static let keyFormat = Array("PLDG-K1\n".utf8)
    private static let usageFormat = Array("PLDG-U1\n".utf8)

    /// The largest responses of one URL, in bytes: what a damaged or foreign file can make the process allocate.
    private static let largestFile = 1 << 30
    /// What a file may have beside its responses, such as its URL, in bytes.
    private static let largestHead = 1 << 20

    /// The time now, in nanoseconds since 1970; later than every time that it has returned.
    private static func now() -> Int64 {
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        return last.withLock { last in
            last = max(last + 1, now)
            return last
        }
    }

    private static let last = Locked<Int64>(0)
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
        return enter(key, nil)
    }

    /// Changes the responses of a key; the change is written in the background.
    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void> {
        let future = enter(key, change)
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
    private func enter(
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
        if let found = table.withLock({ $0.enter(key, name, at: version, known.past, change) }) {
            return Future(value: found)
        }
        return Future.make { resolver in
            let step = FolderCacheTable.Step(change: change, resolver: resolver)
            // The file may have been read since, and is not read again.
            let (isFirst, found) = table.withLock { table -> (Bool, [CachedResponse]?) in
                if let found = table.enter(key, name, at: version, known.past, change) {
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

    private func read(_ name: String) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try folder.read(name, upTo: min(limit, Self.largestFile) + Self.largestHead)
    }

    private func fileName(of key: CacheKey) -> String { Self.fileName(of: key, self.key) }

    fileprivate static func fileName(of key: CacheKey, _ hashKey: [UInt8]) -> String {
        let text = "\(key.host ?? "")\n\(key.url)"
        let hash = SHA512_256.hash(hashKey + Array(text.utf8)).prefix(16)
        return Array(hash).hexadecimal + ending
    }

    private static let ending = ".http"

    /// Returns whether a file was written by a cache: its name is 32 hex digits and ".http".
    private static func isOurs(_ name: String) -> Bool {
        name.utf8.count == 32 + ending.utf8.count && name.hasSuffix(ending)
            && name.utf8.prefix(32).allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
                    || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }

    private static let format = Array("PLDG-C2\n".utf8)

    private func file(of key: CacheKey, _ content: FolderCacheTable.Content) -> [UInt8] {
        var writer = ByteWriter(process: process)
        writer.add(key.url.utf8)
        writer.add(key.host)
        writer.add(fixed: content.lineage)
        writer.add(content.entries.count)
        for entry in content.entries { writer.add(entry) }
        return CachedResponse.sealed(writer.bytes, as: Self.format)
    }

    /// Returns the responses in a file; nil if it is damaged, of another version or of another key.
    private func content(in bytes: [UInt8], of key: CacheKey) -> FolderCacheTable.Content? {
        guard let content = CachedResponse.opened(bytes, as: Self.format) else { return nil }
        var reader = ByteReader(content, process: process)
        guard reader.text() == key.url, reader.textIfAny() == key.host else { return nil }
        let lineage = reader.fixed()
        var entries: [CachedResponse] = []
        for _ in 0..<reader.count() { entries.append(reader.response()) }
        return reader.isComplete ? .init(entries: entries, lineage: lineage) : nil
    }
}

// MARK: - Writing

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

    private func persistSoon() {
        guard table.withLock({ $0.schedule { self.scheduler.now } }) else { return }
        writes { self.persist() }
    }

    /// Writes all changes, unless the pause after a failure lasts.
    ///
    /// - Parameter isNow: True to end the pause.
    private func persist(now isNow: Bool = false) {
        switch table.withLock({ $0.begin(isNow) { self.scheduler.now } }) {
        case .nothing: return
        case .park: return park(table.withLock { $0.takeBatch(isAll: true) })
        case .write: break
        }
        let hasFailed = failure != nil
        var batch: FolderCacheTable.Batch?
        do {
            try attempt { () throws(FileError) in
                try self.open()
                if self.table.withLock({ $0.mustRemoveAll }) {
                    try self.removeFiles()
                    self.table.withLock { $0.endRemoval() }
                }
                // After the folder was found removed, the same batch is written again.
                let taken = batch ?? self.table.withLock { $0.takeBatch() }
                batch = taken
                if taken.isEmpty, !hasFailed { return }
                let (written, evicted) = try self.write(taken)
                self.table.withLockThenRelease { $0.persisted(written, evicted: evicted) }
            }
            table.withLock { $0.recover() }
        } catch {
            table.withLock { $0.fail(error, at: self.scheduler.now) }
            park(batch ?? table.withLock { $0.takeBatch(isAll: true) })
        }
        if mustCount.withLock({ $0 }) { writes { self.count() } }
    }

    /// Leaves changes that can't be written in memory, and removes files whose responses were to be removed.
    ///
    /// A full disk still removes files.
    private func park(_ batch: FolderCacheTable.Batch) {
        if batch.changes.isEmpty { return }
        let (isOpen, key) = table.withLock { ($0.isOpen, $0.key) }
        // The names are those that other processes use now.
        let known = batch.changes.contains(where: \.removes) ? try? Self.knownKey(of: folder) : nil
        let hashKey = known ?? (isOpen ? key : nil)
        let parked = batch.changes.map { change -> FolderCacheTable.Parked in
            let name = hashKey.map { Self.fileName(of: change.key, $0) }
            let isRemoved = change.removes && name.map { (try? folder.remove($0)) != nil } ?? false
            return .init(
                change: change, isRemoved: isRemoved, version: folder.version(of: change.name))
        }
        table.withLockThenRelease { $0.parked(parked) }
    }

    /// Runs work while no other process changes the folder.
    ///
    /// If somebody has removed the folder, it's created again, once.
    private func attempt(_ work: () throws(FileError) -> Void) throws(FileError) {
        do {
            try folder.checkOwner()
            try folder.withLock(work)
        } catch  where error.isOfMissingFile {
            try folder.create()
            try folder.checkOwner()
            try folder.withLock(work)
        }
    }

    /// Writes the key again if somebody has emptied or removed the folder, and takes the folder's key if it has another.
    ///
    /// If another process has begun anew in the folder since, its files have other names.
    private func open() throws(FileError) {
        let version = folder.version(of: Self.keyName)
        let isOpen = table.withLock { $0.isOpen }
        if isOpen, version != nil, version == keyVersion.withLock({ $0 }) { return }
        if let known = try Self.knownKey(of: folder) {
            table.withLockThenRelease { $0.adopt(known) }
        } else {
            try Self.write(key: key, to: folder)
        }
        let found = folder.version(of: Self.keyName)
        keyVersion.withLock { $0 = found }
        table.withLock { $0.isOpen = true }
    }

    /// Takes the folder's key, and removes the responses that a key has under it.
    ///
    /// A change of this key may have found nothing, because it has looked for a file with the old name.
    private func beginAnew(for key: CacheKey) {
        let old = self.key
        do {
            if failure == nil { try attempt { () throws(FileError) in try self.open() } }
        } catch {
            table.withLock { $0.fail(error, at: self.scheduler.now) }
        }
        if self.key != old || failure != nil { table.withLock { $0.removeUnread(key) } }
        persistSoon()
    }

    /// Writes a batch.
    ///
    /// - Returns: What was written, and the names of the files that made room.
    private func write(
        _ batch: FolderCacheTable.Batch
    ) throws(FileError) -> ([FolderCacheTable.Written], evicted: Set<String>) {
        var bytes = try notedBytes()
        for name in batch.used { folder.touch(name, at: Self.now()) }
        var written: [FolderCacheTable.Written] = []
        var new: [(part: String, written: FolderCacheTable.Written)] = []
        var hasRemoved = false
        do throws(FileError) {
            for change in batch.changes {
                let old = folder.version(of: change.name)
                switch decide(change, at: old) {
                case .write(let content, let isMerged):
                    let part = try freePart(new.count)
                    try folder.write(file(of: change.key, content), to: part, at: Self.now())
                    let one = FolderCacheTable.Written(
                        change: change, version: old, lineage: content.lineage,
                        merged: isMerged ? content.entries : nil)
                    new.append((part, one))
                    if old == nil {
                        // Other processes find a new URL before it's synced. Torn by a crash, it's absent again.
                        let placed = try place(part, one, &bytes)
                        new[new.count - 1] = (change.name, placed)
                    }
                case .take(let content):
                    written.append(
                        .init(
                            change: change, version: old, lineage: content.lineage,
                            merged: content.entries))
                case .remove:
                    if let old, try remove(change.name) {
                        hasRemoved = true
                        bytes.take(old.space)
                    }
                    written.append(
                        .init(change: change, version: nil, isKept: old == change.base))
                }
            }
            for (name, one) in new {
                // A folder may have a URL's name.
                if name != one.change.name || one.version != nil { try folder.sync(name) }
            }
            for (name, one) in new {
                written.append(name == one.change.name ? one : try place(name, one, &bytes))
            }
        } catch {
            for (part, _) in new where Self.isPart(part) { try? folder.remove(part) }
            throw error
        }
        var evicted: Set<String> = []
        if bytes.isKnown, bytes.count > limit {
            (bytes.count, evicted) = try evict()
            hasRemoved = true
        }
        if !new.isEmpty || hasRemoved { try folder.syncFolder() }
        if bytes.isKnown { try note(bytes) } else { mustCount.withLock { $0 = true } }
        return (written, evicted)
    }

    /// Gives a new file its name.
    ///
    /// If a folder has this name, or a file of another user, the responses stay in memory.
    private func place(
        _ part: String, _ written: FolderCacheTable.Written, _ bytes: inout Bytes
    ) throws(FileError) -> FolderCacheTable.Written {
        var written = written
        let name = written.change.name
        do {
            try folder.rename(part, to: name)
            bytes.take(written.version?.space ?? 0)
            written.version = folder.version(of: name)
            bytes.add(written.version?.space ?? 0)
        } catch  where error.isOfOneFile {
            try folder.remove(part)
        }
        return written
    }

    private enum Decision {
        /// Write these responses; they're merged with those of another process if the flag is true.
        case write(FolderCacheTable.Content, isMerged: Bool)
        /// Take the other process's responses, which are newer.
        case take(FolderCacheTable.Content)
        case remove
    }

    /// Decides what becomes of a changed URL's file, which another process may have written since.
    private func decide(_ change: FolderCacheTable.Change, at old: FileVersion?) -> Decision {
        let own = change.entries.filter(\.variant.mayOutliveProcess)
        let isUnread = change.base == .unreadable
        if old == change.base || old == nil && isUnread {
            if own.isEmpty { return .remove }
            let lineage = change.removes ? nil : change.lineage
            return .write(.init(entries: own, lineage: lineage ?? .random), isMerged: false)
        }
        if change.removes || old == nil { return .remove }
        guard let file = (try? read(change.name)) ?? nil,
            let other = content(in: file.bytes, of: change.key)
        else {
            // It's damaged, or somebody else's.
            return own.isEmpty
                ? .remove : .write(.init(entries: own, lineage: .random), isMerged: false)
        }
        let isOfSameLineage =
            change.base == nil || isUnread || change.lineage == other.lineage
        guard isOfSameLineage else { return .remove }
        let merged = other.merged(with: own, changed: change.changed, upTo: limit / 8)
        return merged.map { .write($0, isMerged: true) } ?? .take(other)
    }

    /// Returns a free name for a file that isn't complete yet.
    ///
    /// What a process has left there is removed; if it can't be, as a folder, another name is used.
    private func freePart(_ number: Int) throws(FileError) -> String {
        var (suffix, tries) = ("\(number)", 0)
        while true {
            do {
                try folder.remove(Self.partName(suffix))
                return Self.partName(suffix)
            } catch  where error.isOfOneFile && tries < 3 {
                suffix = "\(number)-\(UInt32.random(in: 0 ... .max))"
                tries += 1
            }
        }
    }

    /// Removes a URL's file; false if that's impossible, such as for a folder, which counts as absent anyway.
    private func remove(_ name: String) throws(FileError) -> Bool {
        do { try folder.remove(name) } catch  where error.isOfOneFile { return false }
        return true
    }

    /// Removes the files of all URLs.
    private func removeFiles() throws(FileError) {
        for file in try urlFiles() { _ = try remove(file.name) }
        try folder.syncFolder()
        try note(Bytes(count: 0))
    }

    /// Removes the least recently used files until a tenth of the limit is free.
    ///
    /// - Returns: The bytes that are left, and the names of the removed files.
    private func evict() throws(FileError) -> (bytes: Int, removed: Set<String>) {
        let now = Self.now()
        // A time to come is from a clock that was wrong, and says nothing.
        let files = try urlFiles().map { (used: $0.used > now ? .min : $0.used, file: $0) }
        var bytes = Bytes(count: Self.bytes(of: files.map(\.file)))
        var removed: Set<String> = []
        for (_, file) in files.sorted(by: { $0.used < $1.used }) {
            if bytes.count <= limit / 10 * 9 { break }
            guard try remove(file.name) else { continue }
            bytes.take(file.space)
            removed.insert(file.name)
        }
        return (bytes.count, removed)
    }

    /// Returns the files of URLs.
    private func urlFiles() throws(FileError) -> [FileInFolder] {
        try folder.files().filter { Self.isOurs($0.name) }
    }

    /// What files take of the disk; a sum stays within `Int`, whatever the system says of them.
    private static func bytes(of files: [FileInFolder]) -> Int {
        var bytes = Bytes(count: 0)
        for file in files { bytes.add(file.space) }
        return bytes.count
    }
}

// MARK: - What the files take

extension FolderCacheStore {
    /// What all files take of the disk, in bytes.
    private struct Bytes {
        var count: Int
        /// When they were counted, in nanoseconds since 1970.
        var time = FolderCacheStore.now()
        var isKnown = true

        mutating func add(_ bytes: Int) { count = min(count, .max - bytes) + bytes }
        mutating func take(_ bytes: Int) { count = max(0, count - bytes) }
    }

    /// Returns what the last batch of any process has noted; unknown if that is absent, damaged, impossible, or based on
    /// a count of more than a day ago.
    private func notedBytes() throws(FileError) -> Bytes {
        var noted = Bytes(count: 0, isKnown: false)
        guard let file = (try? folder.read(Self.usageName, upTo: 1 << 10)) ?? nil,
            let content = CachedResponse.opened(file.bytes, as: Self.usageFormat)
        else { return noted }
        var reader = ByteReader(content)
        let (count, time) = (Int(clamping: reader.signed()), reader.signed())
        let now = Self.now()
        guard reader.isComplete, count >= 0, time <= now, time > now - 86_400_000_000_000 else {
            return noted
        }
        noted = Bytes(count: count, time: time)
        return noted
    }

    private func note(_ bytes: Bytes) throws(FileError) {
        do {
            let part = try freePart(0)
            var writer = ByteWriter()
            writer.add(fixed: UInt64(bitPattern: Int64(bytes.count)))
            writer.add(fixed: UInt64(bitPattern: bytes.time))
            let file = CachedResponse.sealed(writer.bytes, as: Self.usageFormat)
            try folder.write(file, to: part, at: Self.now())
            try folder.rename(part, to: Self.usageName)
        } catch  where error.isOfOneFile {
            // Without this file, each batch is followed by a count.
        }
    }

    /// Counts what the files take, after a batch that nobody waits for; removes what ended processes have left.
    private func count() {
        guard mustCount.withLock({ $0.take() }) else { return }
        // If it fails, the next batch finds no count, and has the files counted again.
        try? attempt { () throws(FileError) in
            let files = try self.folder.files()
            for file in files where Self.isPart(file.name) { _ = try self.remove(file.name) }
            var bytes = Bytes(count: Self.bytes(of: files.filter { Self.isOurs($0.name) }))
            if bytes.count > self.limit {
                let (count, evicted) = try self.evict()
                bytes.count = count
                self.table.withLockThenRelease { $0.persisted([], evicted: evicted) }
                try self.folder.syncFolder()
            }
            try self.note(bytes)
        }
    }
}

extension Bool {
    /// Returns the value, and sets it to false.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}

extension UInt64 {
    /// A number that no other lineage has, with a probability of 2⁻⁶⁴.
    fileprivate static var random: UInt64 { .random(in: .min ... .max) }
}

// MARK: - The state in memory

/// The responses that a ``FolderCacheStore`` has in memory, and the changes that it has yet to write.
///
/// It knows neither files nor threads. A key is absent, waits for its file, or has responses. A waiting key, and one
/// whose last change isn't written, stay. The others are dropped, the least recently used first, when they exceed the
/// limit. While the folder can't be written, changes are parked: they can be dropped like what is written, except for
/// removals whose file is still there.
struct FolderCacheTable: Sendable {
    /// A change that waits for a file.
    struct Step: Sendable {
        typealias Change = @Sendable (inout [CachedResponse]) -> Void

        /// The change; nil to read only.
        let change: Change?
        /// Gets the responses before the change.
        let resolver: Resolver<[CachedResponse]>
    }

    /// A file's responses.
    struct Content: Sendable {
        var entries: [CachedResponse]
        /// The same number as in all versions of the file since a response was last removed.
        var lineage: UInt64

        /// Returns the responses with those that another process has changed at the same time; nil if none of them is
        /// newer.
        ///
        /// - Parameters:
        ///   - others: The other process's responses.
        ///   - changed: Those that it has changed.
        ///   - limit: The largest size of all, in bytes.
        func merged(
            with others: [CachedResponse], changed: [CacheVariant], upTo limit: Int
        ) -> Content? {
            var (merged, hasChanged) = (self, false)
            for other in others where changed.contains(other.variant) {
                let index = merged.entries.firstIndex { $0.variant == other.variant }
                if let index {
                    let entry = merged.entries[index]
                    if entry.isNewer(than: other) { continue }
                    merged.entries[index] = other
                    // Two responses of one second may have arrived in either order.
                    if !other.isNewer(than: entry), entry.isDoubted {
                        merged.entries[index].isDoubted = true
                    }
                } else {
                    merged.entries.append(other)
                }
                hasChanged = true
            }
            var size = merged.entries.reduce(0) { $0 + $1.byteCount }
            while size > limit { size -= merged.entries.removeFirst().byteCount }
            return hasChanged ? merged : nil
        }
    }

    /// What is known of a key before its file is looked up.
    struct Known {
        /// The name of its file; nil if the key is absent.
        var name: String?
        var version: FileVersion?
        /// True if the memory is newer than the file.
        var isChanged = false
        /// True if no file may be read.
        let isBlind: Bool
        /// The key of the files' names.
        let hashKey: [UInt8]
        let past: Past
    }

    /// A key's responses that are to be written.
    struct Change: Sendable {
        let key: CacheKey
        let name: String
        let entries: [CachedResponse]
        /// The version of the file that the change is based on; nil if there was none.
        let base: FileVersion?
        /// The lineage of that version.
        let lineage: UInt64?
        /// The requests whose responses have changed.
        let changed: [CacheVariant]
        /// True if a response was removed.
        let removes: Bool
        let number: Int
    }

    /// What one batch writes.
    struct Batch: Sendable {
        var changes: [Change] = []
        /// The files that were used since the last batch, in the order of their last uses.
        var used: [String] = []

        var isEmpty: Bool { changes.isEmpty && used.isEmpty }
    }

    /// A change that is on the disk.
    struct Written: Sendable {
        let change: Change
        /// The version of the new file; nil if there is none.
        var version: FileVersion?
        var lineage: UInt64?
        /// The file's responses, if some of them are another process's.
        var merged: [CachedResponse]?
        /// False if the file was removed because another process had changed it.
        var isKept = true
    }

    /// A change that couldn't be written.
    struct Parked: Sendable {
        let change: Change
        /// True if the file was removed.
        let isRemoved: Bool
        /// The version of the file that is there; nil if there is none.
        let version: FileVersion?
    }

    /// What a batch has to do.
    enum Task { case nothing, write, park }

    /// What has happened to files so far; what was seen of a file before may not be true after.
    struct Past: Equatable, Sendable {
        /// How many removals of all files have begun, and ended.
        var (begun, ended) = (0, 0)
        /// How many batches were written.
        var batches = 0
        /// How many keys the folder has had.
        var keys = 0
    }

    private struct Cell {
        let key: CacheKey
        var name: String
        var entries: [CachedResponse] = []
        var bytes = 0
        /// The version of the file that the entries are based on, and its lineage.
        var version: FileVersion?
        var lineage: UInt64?
        /// The number of the last change that isn't written yet; nil if all are.
        var change: Int?
        /// The requests whose responses have changed since that version, and whether a response was removed.
        var changed: [CacheVariant] = []
        var removes = false
        /// True if the key is in the table's `changed` or `unremoved`.
        var isQueued = false
        /// True if the entries are newer than the file, which couldn't be written.
        var isParked = false
        /// The steps that wait for the file; nil unless the key waits.
        var waiting: [Step]?

        /// True if the cell must not be dropped.
        var isHeld: Bool { change != nil || waiting != nil }
    }

    private let memory: Int
    private let largest: Int
    /// The key of the files' names.
    private(set) var key: [UInt8]
    /// True after the folder's owner and key were found right.
    var isOpen = false
    private var cells = LRUTable<CacheKey, Cell>()
    /// The bytes of all responses in memory.
    private(set) var bytes = 0
    /// The keys that changed since the last batch, in order.
    private var changed: [CacheKey] = []
    /// The keys whose files were to be removed and couldn't be.
    private var unremoved: [CacheKey] = []
    /// The files that were used since the last batch, with the number of their last use.
    private var used: [String: Int] = [:]
    /// How many uses there were since the last batch.
    private var uses = 0
    private var lastChange = 0
    private var isScheduled = false
    /// Why the last batch wasn't written; nil if it was.
    private(set) var failure: (any Error)?
    /// The pause after the last failure, and the instant when it ends.
    private var pause = Duration.zero
    private var end: SchedulerInstant?
    private(set) var past = Past()
    /// True if all files are to be removed as soon as they can be.
    private(set) var mustRemoveAll = false
    /// The bytes of all responses that aren't written yet.
    private var unwrittenBytes = 0

    /// - Parameters:
    ///   - memory: The most bytes of responses that could be dropped.
    ///   - largest: The largest size of one URL's responses, in bytes.
    ///   - key: The key of the files' names.
    init(memory: Int, largest: Int, key: [UInt8] = []) {
        self.memory = memory
        self.largest = largest
        self.key = key
    }

    /// True if no file may be read.
    var isBlind: Bool { !isOpen || mustRemoveAll }

    /// Returns what is known of a key.
    func find(_ key: CacheKey) -> Known {
        var known = Known(isBlind: isBlind, hashKey: self.key, past: past)
        if let cell = cell(of: key)?.cell {
            (known.name, known.version) = (cell.name, cell.version)
            known.isChanged = cell.change != nil
        } else if !isOpen, !mustRemoveAll {
            known.version = .unreadable
        }
        return known
    }

    /// Returns the name of a key's file; nil if the key is absent.
    func name(of key: CacheKey) -> String? { cell(of: key)?.cell.name }

    private func cell(of key: CacheKey) -> (slot: Int, cell: Cell)? {
        guard let slot = cells.slot(of: key), let cell = cells[slot]?.value else { return nil }
        return (slot, cell)
    }

    /// Changes a key's responses, if they are in memory and of the file's version.
    ///
    /// - Parameters:
    ///   - version: The version of the key's file; nil if there is none.
    ///   - past: What had happened to files before the version was looked up.
    ///   - change: The change; nil to read only.
    /// - Returns: The responses before the change; nil if the file must be read first.
    mutating func enter(
        _ key: CacheKey, _ name: String, at version: FileVersion?, _ past: Past,
        _ change: Step.Change?
    ) -> [CachedResponse]? {
        defer { shrink() }
        if let (slot, cell) = cell(of: key) {
            if cell.waiting != nil { return nil }
            if cell.change != nil || past.keys == self.past.keys && cell.version == version {
                if cell.change == nil { cells.use(slot) }
                return take(change, at: slot)
            }
            // The file was written since, by this process or by another.
            remove(slot)
            return nil
        }
        guard version == nil, past == self.past else { return nil }
        return change == nil ? [] : take(change, at: insert(Cell(key: key, name: name)))
    }

    /// Adds the responses of a file that a caller has read, unless the key waits or has changed.
    ///
    /// - Returns: Responses to release outside the lock.
    mutating func add(
        _ key: CacheKey, _ name: String, _ content: Content?, at version: FileVersion,
        after past: Past
    ) -> [CachedResponse] {
        let entries = content?.entries ?? []
        guard past == self.past, !isRemovingAll else { return entries }
        var removed: [CachedResponse] = []
        if let (slot, cell) = cell(of: key) {
            if cell.isHeld { return entries }
            removed = remove(slot)
        }
        insert(
            Cell(
                key: key, name: name, entries: entries, version: version, lineage: content?.lineage)
        )
        return removed
    }

    private var isRemovingAll: Bool { past.begun > past.ended }

    /// Has a step wait for a key's file.
    ///
    /// - Returns: Whether the file is to be read now, because no other step waits for it.
    mutating func wait(for key: CacheKey, _ step: Step) -> Bool {
        if let (slot, cell) = cell(of: key), cell.waiting != nil {
            cells.update(slot) { $0.waiting?.append(step) }
            return false
        }
        let name = FolderCacheStore.fileName(of: key, self.key)
        insert(Cell(key: key, name: name, waiting: [step]))
        return true
    }

    /// The keys that wait for their files.
    var waiting: [CacheKey] { cells.values.compactMap { $0.waiting != nil ? $0.key : nil } }

    /// Adds the responses of a file, and takes the steps that waited for it.
    ///
    /// - Returns: The steps, each with the responses that it found.
    mutating func loaded(
        _ key: CacheKey, _ content: Content?, at version: FileVersion?, after past: Past
    ) -> [(Step, [CachedResponse])] {
        guard let (slot, cell) = cell(of: key), let steps = cell.waiting else { return [] }
        let isOfKey = past.keys == self.past.keys
        let isCurrent = past.begun == self.past.begun && past.begun == past.ended
        set(slot) { cell in
            cell.waiting = nil
            // If all files were being removed while this one was read, it counts as absent.
            if !isCurrent { return }
            cell.version = isOfKey ? version : .unreadable
            if isOfKey, let content {
                (cell.entries, cell.lineage) = (content.entries, content.lineage)
            }
        }
        let taken = steps.map { step in (step, take(step.change, at: slot, isHeld: true)) }
        if cells[slot]?.value.isHeld == false { cells.release(slot) }
        shrink()
        return taken
    }

    /// Changes the responses in a slot.
    ///
    /// - Parameter isHeld: True if the slot is held even if all changes are written.
    /// - Returns: The responses before the change.
    private mutating func take(
        _ change: Step.Change?, at slot: Int, isHeld: Bool = false
    ) -> [CachedResponse] {
        guard let cell = cells[slot]?.value else { return [] }
        if cell.version != nil {
            uses += 1
            used[cell.name] = uses
        }
        guard let change else { return cell.entries }
        var entries = cell.entries
        change(&entries)
        entries.removeAll { $0.byteCount > largest }
        // All responses of a URL are one file, which each change writes anew.
        var size = entries.reduce(0) { $0 + $1.byteCount }
        while size > largest { size -= entries.removeFirst().byteCount }
        // If the disk is too slow, what it can't write in time isn't kept.
        if unwrittenBytes + size - largest > memory { entries = [] }
        // A file without usable responses is removed too.
        if entries.isEmpty, cell.entries.isEmpty, cell.version == nil { return [] }
        var (changes, removes) = (cell.changed, cell.removes || entries.isEmpty)
        for entry in cell.entries where !entries.contains(where: { $0.variant == entry.variant }) {
            removes = true
        }
        for entry in entries where !changes.contains(entry.variant) {
            if !cell.entries.contains(where: { $0.isSame(as: entry) }) {
                changes.append(entry.variant)
            }
        }
        if cell.change == nil, !isHeld { cells.hold(slot) }
        queue(slot) {
            ($0.entries, $0.changed, $0.removes) = (entries, changes, removes)
        }
        return cell.entries
    }

    /// Notes a change that is to be written.
    private mutating func queue(_ slot: Int, _ change: (inout Cell) -> Void) {
        guard let cell = cells[slot]?.value else { return }
        lastChange += 1
        if !cell.isQueued { changed.append(cell.key) }
        let number = lastChange
        set(slot) {
            change(&$0)
            ($0.change, $0.isQueued, $0.isParked) = (number, true, false)
        }
    }

    /// Has a key's file removed, whatever is in it, unless the key is in memory.
    mutating func removeUnread(_ key: CacheKey) {
        if cell(of: key) != nil { return }
        let name = FolderCacheStore.fileName(of: key, self.key)
        let slot = insert(Cell(key: key, name: name, version: .unreadable))
        cells.hold(slot)
        queue(slot) { $0.removes = true }
    }

    /// Returns whether a batch has to be enqueued, because there are changes or many uses, or because another try is due
    /// after a failure, and none is enqueued.
    mutating func schedule(at now: () -> SchedulerInstant) -> Bool {
        guard !isScheduled else { return false }
        guard !changed.isEmpty || uses >= 1_000 || failure != nil && isDue(now()) else {
            return false
        }
        isScheduled = true
        return true
    }

    private func isDue(_ now: SchedulerInstant) -> Bool { end.map { now >= $0 } ?? true }

    /// Begins a batch.
    ///
    /// - Parameter isNow: True if it doesn't wait for the end of a pause.
    mutating func begin(_ isNow: Bool, at now: () -> SchedulerInstant) -> Task {
        isScheduled = false
        guard failure != nil else {
            // What is written before the files are removed would be removed too.
            if isRemovingAll { return .nothing }
            return isOpen && changed.isEmpty && used.isEmpty ? .nothing : .write
        }
        // As long as the key isn't known, only another try can remove a file.
        let isUrgent = !isOpen && changed.contains { cell(of: $0)?.cell.removes ?? false }
        guard isNow || isUrgent || isDue(now()) else { return .park }
        changed += unremoved
        unremoved = []
        for cell in cells.values where cell.isParked {
            guard let slot = cells.slot(of: cell.key) else { continue }
            if !cell.isHeld { cells.hold(slot) }
            queue(slot) { _ in }
        }
        return .write
    }

    /// Takes what is to be written.
    ///
    /// - Parameter isAll: True to take it even while all files are being removed.
    mutating func takeBatch(isAll: Bool = false) -> Batch {
        if isRemovingAll, !isAll { return Batch() }
        var batch = Batch(used: used.sorted { $0.value < $1.value }.map(\.key))
        for key in changed {
            guard let (slot, cell) = cell(of: key), let number = cell.change else { continue }
            cells.update(slot) { $0.isQueued = false }
            batch.changes.append(
                Change(
                    key: key, name: cell.name, entries: cell.entries, base: cell.version,
                    lineage: cell.lineage, changed: cell.changed, removes: cell.removes,
                    number: number))
        }
        (changed, used, uses) = ([], [:], 0)
        return batch
    }

    /// Notes that a batch is on the disk.
    ///
    /// - Parameters:
    ///   - written: What was written.
    ///   - evicted: The names of the files that made room.
    /// - Returns: Responses to release outside the lock.
    mutating func persisted(
        _ written: [Written], evicted: Set<String> = []
    ) -> [CachedResponse] {
        past.batches += 1
        var removed: [CachedResponse] = []
        for written in written {
            guard let (slot, cell) = cell(of: written.change.key), cell.change != nil else {
                continue
            }
            if !written.isKept {
                cells.release(slot)
                removed += remove(slot)
                continue
            }
            let isDone = cell.change == written.change.number
            // A later change is based on less than the merged file, so it's merged in its turn.
            if written.merged != nil, !isDone { continue }
            removed += cell.entries
            set(slot) {
                ($0.version, $0.lineage) = (written.version, written.lineage)
                guard isDone else { return }
                ($0.change, $0.changed, $0.removes) = (nil, [], false)
                if let merged = written.merged {
                    $0.entries = merged + $0.entries.filter { !$0.variant.mayOutliveProcess }
                }
            }
            if isDone { cells.release(slot) }
        }
        if !evicted.isEmpty {
            // The next batch finds no file, though no other process has removed it.
            for key in changed {
                guard let (slot, cell) = cell(of: key), evicted.contains(cell.name) else {
                    continue
                }
                cells.update(slot) { ($0.version, $0.lineage) = (nil, nil) }
            }
        }
        return removed + shrink()
    }

    /// Notes that changes couldn't be written, and that some files were removed instead.
    ///
    /// - Returns: Responses to release outside the lock.
    mutating func parked(_ all: [Parked]) -> [CachedResponse] {
        past.batches += 1
        var removed: [CachedResponse] = []
        for parked in all {
            guard let (slot, cell) = cell(of: parked.change.key), cell.change != nil else {
                continue
            }
            let isRemoved = parked.isRemoved || mustRemoveAll
            let isDone = cell.change == parked.change.number
            if parked.change.removes, !isRemoved {
                // The file must not be read before it's removed.
                if isDone {
                    cells.update(slot) { $0.isQueued = true }
                    unremoved.append(cell.key)
                }
                continue
            }
            let (version, isOpen) = (mustRemoveAll ? nil : parked.version, isOpen)
            set(slot) {
                if isRemoved { ($0.version, $0.lineage) = (version, nil) }
                guard isDone else { return }
                ($0.change, $0.isParked) = (nil, true)
                if isRemoved { $0.removes = false }
                // As long as the file stays as it is, the memory answers.
                if $0.version == .unreadable, isOpen { $0.version = version }
            }
            if isDone {
                cells.release(slot)
                if cell.entries.isEmpty { removed += remove(slot) }
            }
        }
        if unwrittenBytes > memory, unwrittenBytes - memory > largest, !mustRemoveAll {
            // So many removals don't fit into the memory; one removal of all does.
            past.begun += 1
            mustRemoveAll = true
            removed += forget()
        }
        return removed + shrink()
    }

    /// Forgets all responses, and takes all files as absent until ``endRemoval(isToRepeat:)``.
    mutating func beginRemoval() -> [CachedResponse] {
        past.begun += 1
        return forget()
    }

    /// Takes files as they are again, unless their removal has failed and is to be repeated.
    mutating func endRemoval(isToRepeat: Bool = false) {
        if isToRepeat, !mustRemoveAll {
            mustRemoveAll = true
            return
        }
        past.ended += 1
        if !isToRepeat, mustRemoveAll {
            mustRemoveAll = false
            past.ended = past.begun
        }
    }

    /// Notes that nothing can be written, and begins a pause: of a second, then of twice the last one, up to a minute.
    mutating func fail(_ error: any Error, at now: SchedulerInstant) {
        failure = error
        pause = min(max(pause * 2, .seconds(1)), .seconds(60))
        end = now.advanced(by: pause)
    }

    /// Notes that the folder can be written again.
    mutating func recover() { (failure, pause, end) = (nil, .zero, nil) }

    /// Takes another key for the files' names and the users.
    ///
    /// What isn't written yet is kept, except the responses of users who have other hashes with the new key.
    ///
    /// - Returns: Responses to release outside the lock.
    mutating func adopt(_ key: [UInt8]) -> [CachedResponse] {
        guard key != self.key else { return [] }
        self.key = key
        past.keys += 1
        let all = cells.values
        cells = LRUTable()
        (bytes, unwrittenBytes, changed, unremoved, used, uses) = (0, 0, [], [], [:], 0)
        for var cell in all where cell.isHeld || cell.isParked {
            cell.name = FolderCacheStore.fileName(of: cell.key, key)
            (cell.version, cell.lineage) = (.unreadable, nil)
            cell.entries = cell.removes ? [] : cell.entries.filter { !$0.variant.isKeyed }
            cell.changed = cell.entries.map(\.variant)
            (cell.isQueued, cell.isParked) = (false, false)
            let isChanged = cell.waiting == nil && (cell.removes || !cell.entries.isEmpty)
            if cell.waiting == nil, !isChanged { continue }
            cell.change = isChanged ? 0 : nil
            let slot = insert(cell)
            if isChanged {
                unwrittenBytes += cells[slot]?.value.bytes ?? 0
                queue(slot) { _ in }
            }
        }
        return all.flatMap(\.entries)
    }

    /// Forgets all responses, also those that are not written yet, but not the steps that wait for a file.
    private mutating func forget() -> [CachedResponse] {
        let all = cells.values
        cells = LRUTable()
        (bytes, unwrittenBytes, changed, unremoved, used, uses) = (0, 0, [], [], [:], 0)
        for cell in all where cell.waiting != nil { insert(cell) }
        return all.flatMap(\.entries)
    }

    @discardableResult
    private mutating func insert(_ cell: Cell) -> Int {
        var cell = cell
        cell.bytes = Self.bytes(cell)
        bytes += cell.bytes
        return cells.insert(cell.key, cell, isHeld: cell.isHeld)
    }

    private mutating func set(_ slot: Int, _ change: (inout Cell) -> Void) {
        guard let old = cells[slot]?.value else { return }
        cells.update(slot) { cell in
            change(&cell)
            cell.bytes = Self.bytes(cell)
        }
        guard let new = cells[slot]?.value else { return }
        bytes += new.bytes - old.bytes
        unwrittenBytes += (new.change != nil ? new.bytes : 0) - (old.change != nil ? old.bytes : 0)
    }

    @discardableResult
    private mutating func shrink() -> [CachedResponse] {
        var removed: [CachedResponse] = []
        while bytes > memory, let oldest = cells.oldest { removed += remove(oldest) }
        return removed
    }

    @discardableResult
    private mutating func remove(_ slot: Int) -> [CachedResponse] {
        guard let cell = cells.remove(slot)?.value else { return [] }
        bytes -= cell.bytes
        if cell.change != nil { unwrittenBytes -= cell.bytes }
        return cell.entries
    }

    private static func bytes(_ cell: Cell) -> Int {
        cell.entries.reduce(cell.key.byteCount + 128) { $0 + $1.byteCount }
    }
}

extension CachedResponse {
    /// Returns whether the response was asked for, or asked to be confirmed, later than another one.
    fileprivate func isNewer(than other: CachedResponse) -> Bool {
        (requestTime, date, responseTime) > (other.requestTime, other.date, other.responseTime)
    }

    /// Returns whether nothing was changed since the other one was stored.
    fileprivate func isSame(as other: CachedResponse) -> Bool {
        variant == other.variant && number == other.number && isDoubted == other.isDoubted
            && responseTime == other.responseTime && headers.count == other.headers.count
            && body.count == other.body.count
    }
}

extension FileVersion {
    /// The version of a file that can't be read, which no file has.
    fileprivate static let unreadable = FileVersion(inode: 0, size: -1, modified: 0)
}

// MARK: - Locks

extension FolderCacheStore {
    /// Locks a place in the folder's file of places.
    func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
        let (isBlind, hasFailed, key) = table.withLock { ($0.isBlind, $0.failure != nil, $0.key) }
        // Until another process has written the folder's key, it counts as the one with the lock.
        if isBlind { return Future(value: hasFailed ? NoLock() : nil) }
        let hash = SHA512_256.hash(key + Array(name.utf8)).prefix(8)
        // A file has no place beyond the largest Int64.
        let place = Int64(hash.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 2)
        switch folder.takePlace(place) {
        case true?: return Future(value: LockedPlace(place, in: self))
        case false?: return Future(value: nil)
        // This process has the place already, or there are none.
        case nil: return Future(value: NoLock())
        }
    }

    /// A place that is left when the object is released, as soon as the changes so far are in their files.
    private final class LockedPlace: Sendable {
        private let place: Int64
        private let store: FolderCacheStore

        init(_ place: Int64, in store: FolderCacheStore) {
            (self.place, self.store) = (place, store)
        }

        deinit { store.writes { [store, place] in store.folder.leavePlace(place) } }
    }
}

// MARK: - Listing

extension FolderCacheStore {
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

    /// Returns the key and the responses in a file; nil if it's damaged or of another version.
    private func content(of bytes: [UInt8]) -> (CacheKey, [CachedResponse])? {
        guard let content = CachedResponse.opened(bytes, as: Self.format) else { return nil }
        var reader = ByteReader(content, process: process)
        let (text, host) = (reader.text(), reader.textIfAny())
        guard let url = URL(string: text), let key = CacheKey(url, host: host),
            let content = self.content(in: bytes, of: key)
        else { return nil }
        return (key, content.entries)
    }
}

extension FolderCacheTable {
    /// The keys that are in memory, with their responses.
    var contents: [(key: CacheKey, entries: [CachedResponse])] {
        cells.values.map { ($0.key, $0.entries) }
    }
}

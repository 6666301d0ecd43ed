import Dispatch
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// Keeps a cache's responses as files of a folder, for `HTTPCache(folder:)`.
///
/// **Files.** A URL's responses are one file, whose name is a keyed hash of the URL. It begins with a format and a
/// checksum, and contains its URL. A file that has another format, is damaged or has another URL counts as absent.
///
/// **Writing.** Changes take effect in memory at once, and are written in the background, in batches: write all new
/// files under other names, sync each, rename them, sync the folder. So after a crash a URL has its old responses or
/// its new ones.
///
/// **Processes.** A batch holds the folder's lock. Before a file is replaced, its version is compared with the one that
/// the change was based on. If another process has written the file in between, the file is removed, because either
/// process may have removed a response that the other one has kept.
///
/// **Bound.** The file ".pledge-cache-usage" counts the bytes of all files; the first batch of a process counts them anew. If they
/// exceed the limit, the least recently used files are removed, until a tenth of the limit is free. A file's access
/// time is the time of its last use.
final class FolderCacheStore: CacheStore {
    /// The calls of all caches of this folder.
    let calls = Locked(CallValidity<CacheKey>())
    /// The key of the hashes that stand for users and URLs.
    let key: [UInt8]

    private let folder: any FileFolder
    private let limit: Int
    private let process: UInt64
    private let table: Locked<FolderCacheTable>
    private let reads: Queue
    private let writes: Queue
    /// True after the first batch of this process, which counts the files.
    private let hasCounted = Locked(false)
    /// The version of the file with the key, when it was last read.
    private let keyVersion: Locked<FileVersion?>

    /// Runs blocking work in order, on another thread.
    typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - limit: The largest total size of all files, in bytes.
    ///   - memory: The largest total size of the responses that are kept in memory too, in bytes.
    ///   - reads: Runs the reads; nil for a queue of the store's own.
    ///   - writes: Runs the writes; nil for a queue of the store's own.
    ///   - process: The number of this process; in tests, each store may have one.
    init(
        _ folder: any FileFolder, limit: Int, memory: Int, reads: Queue? = nil,
        writes: Queue? = nil, process: UInt64 = CacheProcess.number
    ) {
        precondition(limit >= 1, "a cache needs a limit of at least 1 byte, not \(limit)")
        self.folder = folder
        self.limit = limit
        self.process = process
        self.reads = reads ?? Self.queue("reads")
        self.writes = writes ?? Self.queue("writes")
        var table = FolderCacheTable(memory: memory, largest: limit / 8)
        // If the key is replaced after this, the next change finds another version.
        keyVersion = Locked(folder.version(of: Self.keyName))
        do {
            try folder.create()
            key = try Self.key(of: folder)
        } catch {
            key = Self.newKey()
            _ = table.fail(error)
        }
        self.table = Locked(table)
    }

    /// Opens the folder at a URL, or returns the store that has it open in this process.
    static func shared(_ url: URL, limit: Int, memory: Int) -> FolderCacheStore {
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
            let store = FolderCacheStore(folder, limit: limit, memory: memory)
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

    /// Returns the folder's key, and writes a new one if there is none.
    private static func key(of folder: any FileFolder) throws(FileError) -> [UInt8] {
        // The file is replaced as a whole, so only a new key needs the lock, which another process may hold for long.
        if let known = try knownKey(of: folder) { return known }
        var key = newKey()
        try folder.withLock { () throws(FileError) in
            if let known = try knownKey(of: folder) {
                key = known
            } else {
                try write(key: key, to: folder)
            }
        }
        return key
    }

    private static func knownKey(of folder: any FileFolder) throws(FileError) -> [UInt8]? {
        guard let found = try folder.read(keyName, upTo: 1 << 10)?.bytes,
            let known = CachedResponse.opened(found, as: keyFormat), known.count == 32
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
    /// The bytes of the responses in memory.
    var memoryBytes: Int { table.withLock { $0.bytes } }

    /// Returns the responses of a key: at once if they are in memory and no other process has changed them, and after
    /// reading their file otherwise.
    func responses(for key: CacheKey) -> Future<[CachedResponse]> {
        // A batch of many uses is due.
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
        let isFailed = table.withLock { $0.failure != nil }
        if !isFailed, folder.version(of: Self.keyName) != keyVersion.withLock({ $0 }) {
            writes {
                let failure = self.attempt { () throws(FileError) in try self.checkKey() }
                if failure != nil { self.removeOutdated([key]) }
            }
        }
        return future.mapWithoutOrigin { _ in }
    }

    /// Changes the responses of a key, in order with the other changes of the key.
    ///
    /// - Returns: The responses before the change.
    private func enter(
        _ key: CacheKey, _ change: FolderCacheTable.Step.Change?
    ) -> Future<[CachedResponse]> {
        let known: FolderCacheTable.Known
        switch table.withLock({ $0.find(key) }) {
        case .failed(let error):
            if change != nil { writes { self.removeOutdated([key]) } }
            return Future(error: error)
        case .found(let found): known = found
        }
        let name = known.name ?? fileName(of: key)
        var version = known.isChanged ? known.version : folder.version(of: name)
        // A file that the system has in memory is read here, which takes less time than a change of threads.
        if let size = version?.size, size <= Self.mostToReadHere, version != known.version,
            let file = folder.readFromMemory(name, upTo: Self.mostToReadHere)
        {
            version = file.version
            let entries = entries(in: file.bytes, of: key) ?? []
            table.withLockThenRelease {
                $0.add(key, name, entries, at: file.version, after: known.past)
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
                return (table.wait(for: key, name, step), nil)
            }
            if let found { resolver.resolve(with: found) }
            if isFirst { reads { self.load(key, name) } }
        }
    }

    /// The largest file that a caller reads itself, in bytes.
    private static let mostToReadHere = 256 << 10

    /// Reads the file of a key, and takes the steps that wait for it.
    private func load(_ key: CacheKey, _ name: String) {
        let past = table.withLock { $0.past }
        var (entries, version): ([CachedResponse], FileVersion?) = ([], nil)
        do {
            if let file = try folder.read(name, upTo: limit) {
                (entries, version) = (self.entries(in: file.bytes, of: key) ?? [], file.version)
            }
        } catch {
            // The responses count as absent, but a change must remove the file.
            version = .unreadable
        }
        let (taken, failure) = table.withLock {
            ($0.loaded(key, entries, at: version, after: past), $0.failure)
        }
        if failure != nil, taken.contains(where: { $0.0.change != nil }) {
            writes { self.removeOutdated([key]) }
        }
        for (step, found) in taken {
            if let failure {
                step.resolver.reject(with: failure)
            } else {
                step.resolver.resolve(with: found)
            }
        }
        persistSoon()
    }

    /// Removes the files that a failure has left out of date, so that nobody reads them later.
    ///
    /// A full disk still removes files.
    private func removeOutdated(_ keys: [CacheKey]) {
        // The names are those that other processes use now.
        let hashKey = ((try? Self.knownKey(of: folder)) ?? nil) ?? self.key
        for key in keys + table.withLock({ $0.takeUnwritten() }) {
            try? folder.remove(Self.fileName(of: key, hashKey))
        }
    }

    private func fileName(of key: CacheKey) -> String { Self.fileName(of: key, self.key) }

    private static func fileName(of key: CacheKey, _ hashKey: [UInt8]) -> String {
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

    private static let format = Array("PLDG-C1\n".utf8)

    private func file(of key: CacheKey, _ entries: [CachedResponse]) -> [UInt8] {
        var writer = ByteWriter(process: process)
        writer.add(key.url.utf8)
        writer.add(key.host)
        writer.add(entries.count)
        for entry in entries { writer.add(entry) }
        return CachedResponse.sealed(writer.bytes, as: Self.format)
    }

    /// Returns the responses in a file; nil if it is damaged, of another version or of another key.
    private func entries(in bytes: [UInt8], of key: CacheKey) -> [CachedResponse]? {
        guard let content = CachedResponse.opened(bytes, as: Self.format) else { return nil }
        var reader = ByteReader(content, process: process)
        guard reader.text() == key.url, reader.textIfAny() == key.host else { return nil }
        var entries: [CachedResponse] = []
        for _ in 0..<reader.count() { entries.append(reader.response()) }
        return reader.isComplete ? entries : nil
    }
}

// MARK: - Writing

extension FolderCacheStore {
    /// Waits until all earlier changes are on the disk.
    func flush() -> Future<Void> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist()
                    if let error = self.table.withLock({ $0.failure }) {
                        resolver.reject(with: error)
                    } else {
                        resolver.resolve()
                    }
                }
            }
        }
    }

    /// Removes all files of the cache.
    func removeAll() -> Future<Void> {
        Future.make { resolver in
            table.withLockThenRelease { $0.beginRemoval() }
            reads {
                self.writes {
                    defer {
                        self.table.withLock { $0.endRemoval() }
                        self.persistSoon()
                    }
                    let error = self.attempt { () throws(FileError) in
                        for file in try self.urlFiles() { try self.folder.remove(file.name) }
                        try self.folder.syncFolder()
                        self.hasCounted.withLock { $0 = false }
                    }
                    if let error { resolver.reject(with: error) } else { resolver.resolve() }
                }
            }
        }
    }

    /// Returns the number of URLs and the bytes on the disk, after all earlier changes.
    func usage() -> Future<CacheUsage> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist()
                    do {
                        if let error = self.table.withLock({ $0.failure }) { throw error }
                        let files = try self.urlFiles()
                        resolver.resolve(
                            with: CacheUsage(
                                count: files.count, bytes: files.reduce(0) { $0 + $1.size }))
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
            for (key, name) in self.table.withLock({ $0.waiting }) { self.load(key, name) }
            body()
        }
    }

    private func persistSoon() {
        guard table.withLock({ $0.schedule() }) else { return }
        writes { self.persist() }
    }

    /// Writes all changes.
    private func persist() {
        let batch = table.withLock { $0.takeBatch() }
        if batch.isEmpty { return }
        let failure = attempt { () throws(FileError) in
            let (written, evicted) = try self.write(batch)
            self.table.withLockThenRelease { $0.persisted(written, evicted: evicted) }
        }
        guard failure != nil else { return }
        removeOutdated(batch.changes.map(\.key))
        try? folder.withLock { () throws(FileError) in try self.removeParts() }
    }

    /// Runs work while no other process changes the folder; if it fails, the store fails.
    ///
    /// If somebody has removed the folder, it's created again, once.
    private func attempt(_ work: () throws(FileError) -> Void) -> FileError? {
        do {
            do {
                try folder.withLock(work)
            } catch  where error.isOfMissingFile {
                try folder.create()
                hasCounted.withLock { $0 = false }
                try folder.withLock(work)
            }
            return nil
        } catch {
            table.withLockThenRelease { $0.fail(error) }
            return error
        }
    }

    /// Writes a batch.
    ///
    /// - Returns: What was written, and the names of the files that made room.
    private func write(
        _ batch: FolderCacheTable.Batch
    ) throws(FileError) -> ([FolderCacheTable.Written], evicted: Set<String>) {
        try checkKey()
        var bytes = try countedBytes()
        for name in batch.used { folder.touch(name, at: Self.now()) }
        var written: [FolderCacheTable.Written] = []
        var new: [(part: String, change: FolderCacheTable.Change)] = []
        var hasRemoved = false
        for change in batch.changes {
            let old = folder.version(of: change.name)
            let content = change.entries.filter(\.variant.mayOutliveProcess)
            if old == change.base, !content.isEmpty {
                let part = Self.partName("\(new.count)")
                try folder.remove(part)
                try folder.write(file(of: change.key, content), to: part, at: Self.now())
                new.append((part, change))
                bytes -= old?.size ?? 0
                continue
            }
            if let old {
                try folder.remove(change.name)
                hasRemoved = true
                bytes -= old.size
            }
            written.append(.init(change: change, version: nil, isKept: old == change.base))
        }
        for (part, _) in new { try folder.sync(part) }
        for (part, change) in new {
            try folder.rename(part, to: change.name)
            let version = folder.version(of: change.name)
            bytes += version?.size ?? 0
            written.append(.init(change: change, version: version, isKept: true))
        }
        var evicted: Set<String> = []
        if bytes > limit {
            (bytes, evicted) = try evict()
            hasRemoved = true
        }
        if !new.isEmpty || hasRemoved { try folder.syncFolder() }
        try note(bytes)
        return (written, evicted)
    }

    /// Writes the key again if somebody has emptied or removed the folder.
    ///
    /// If another process has begun anew in the folder since, its files have other names, and this store ends.
    private func checkKey() throws(FileError) {
        let version = folder.version(of: Self.keyName)
        if version != nil, version == keyVersion.withLock({ $0 }) { return }
        if let known = try Self.knownKey(of: folder) {
            guard known == key else { throw .stale(Self.keyName) }
        } else {
            try Self.write(key: key, to: folder)
        }
        let found = folder.version(of: Self.keyName)
        keyVersion.withLock { $0 = found }
    }

    /// Removes the least recently used files until a tenth of the limit is free.
    ///
    /// - Returns: The bytes that are left, and the names of the removed files.
    private func evict() throws(FileError) -> (bytes: Int, removed: Set<String>) {
        let now = Self.now()
        // A time to come is from a clock that was wrong, and says nothing.
        let files = try urlFiles().map { (used: $0.used > now ? .min : $0.used, file: $0) }
        var bytes = files.reduce(0) { $0 + $1.file.size }
        var removed: Set<String> = []
        for (_, file) in files.sorted(by: { $0.used < $1.used }) {
            if bytes <= limit / 10 * 9 { break }
            try folder.remove(file.name)
            bytes -= file.size
            removed.insert(file.name)
        }
        return (bytes, removed)
    }

    /// Returns the bytes of all files: as counted by the last batch of any process, or counted now.
    private func countedBytes() throws(FileError) -> Int {
        if hasCounted.withLock({ $0 }),
            let found = try folder.read(Self.usageName, upTo: 1 << 10)?.bytes,
            found.count == 8
        {
            var reader = ByteReader(found[...])
            return Int(reader.signed())
        }
        try removeParts()
        return try urlFiles().reduce(0) { $0 + $1.size }
    }

    /// Removes the files that a failed batch has left.
    private func removeParts() throws(FileError) {
        for file in try folder.files() where Self.isPart(file.name) {
            try folder.remove(file.name)
        }
    }

    /// Returns the files of URLs.
    private func urlFiles() throws(FileError) -> [FileInFolder] {
        try folder.files().filter { Self.isOurs($0.name) }
    }

    private func note(_ bytes: Int) throws(FileError) {
        hasCounted.withLock { $0 = true }
        let part = Self.partName("usage")
        try folder.remove(part)
        var writer = ByteWriter()
        writer.add(fixed: UInt64(bitPattern: Int64(bytes)))
        try folder.write(writer.bytes, to: part, at: Self.now())
        try folder.rename(part, to: Self.usageName)
    }
}

// MARK: - The state in memory

/// The responses that a ``FolderCacheStore`` has in memory, and the changes that it has yet to write.
///
/// It knows neither files nor threads. A key is absent, waits for its file, or has responses. A waiting key, and one
/// whose last change isn't written, stay. The others are dropped, the least recently used first, when they exceed the
/// limit.
struct FolderCacheTable: Sendable {
    /// A change that waits for a file.
    struct Step: Sendable {
        typealias Change = @Sendable (inout [CachedResponse]) -> Void

        /// The change; nil to read only.
        let change: Change?
        /// Gets the responses before the change.
        let resolver: Resolver<[CachedResponse]>
    }

    /// What is known of a key before its file is looked up.
    struct Known {
        /// The name of its file; nil if the key is absent.
        var name: String?
        var version: FileVersion?
        /// True if the memory is newer than the file.
        var isChanged = false
        let past: Past
    }

    enum Found {
        case failed(any Error)
        case found(Known)
    }

    /// A key's responses that are to be written.
    struct Change: Sendable {
        let key: CacheKey
        let name: String
        let entries: [CachedResponse]
        /// The version of the file that the change is based on; nil if there was none.
        let base: FileVersion?
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
        let version: FileVersion?
        /// False if another process had changed the file, so that it was removed.
        let isKept: Bool
    }

    /// What has happened to files so far; what was seen of a file before may not be true after.
    struct Past: Equatable, Sendable {
        /// How many removals of all files have begun, and ended.
        var (begun, ended) = (0, 0)
        /// How many batches were written.
        var batches = 0
    }

    private struct Cell {
        let key: CacheKey
        let name: String
        var entries: [CachedResponse] = []
        var bytes = 0
        /// The version of the file that the entries are based on.
        var version: FileVersion?
        /// The number of the last change that isn't written yet; nil if all are.
        var change: Int?
        /// True if the key is in `changed`.
        var isQueued = false
        /// The steps that wait for the file; nil unless the key waits.
        var waiting: [Step]?

        /// True if the cell must not be dropped.
        var isHeld: Bool { change != nil || waiting != nil }
    }

    private let memory: Int
    private let largest: Int
    private var cells = LRUTable<CacheKey, Cell>()
    /// The bytes of all responses in memory.
    private(set) var bytes = 0
    /// The keys that changed since the last batch, in order.
    private var changed: [CacheKey] = []
    /// The files that were used since the last batch, with the number of their last use.
    private var used: [String: Int] = [:]
    /// How many uses there were since the last batch.
    private var uses = 0
    private var lastChange = 0
    private var isScheduled = false
    private(set) var failure: (any Error)?
    private(set) var past = Past()
    /// The bytes of all responses that aren't written yet.
    private var unwrittenBytes = 0
    /// The keys whose files a failure has left with responses that are out of date.
    private var unwritten: [CacheKey] = []

    /// - Parameters:
    ///   - memory: The most bytes of responses that could be dropped.
    ///   - largest: The largest size of one URL's responses, in bytes.
    init(memory: Int, largest: Int) {
        self.memory = memory
        self.largest = largest
    }

    /// Returns what is known of a key.
    func find(_ key: CacheKey) -> Found {
        if let failure { return .failed(failure) }
        guard let cell = cell(of: key)?.cell else { return .found(Known(past: past)) }
        return .found(
            Known(
                name: cell.name, version: cell.version, isChanged: cell.change != nil, past: past))
    }

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
        if failure != nil { return nil }
        defer { shrink() }
        if let (slot, cell) = cell(of: key) {
            if cell.waiting != nil { return nil }
            if cell.change != nil || cell.version == version {
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
        _ key: CacheKey, _ name: String, _ entries: [CachedResponse], at version: FileVersion,
        after past: Past
    ) -> [CachedResponse] {
        guard failure == nil, past == self.past, !isRemovingAll else { return entries }
        var removed: [CachedResponse] = []
        if let (slot, cell) = cell(of: key) {
            if cell.isHeld { return entries }
            removed = remove(slot)
        }
        insert(Cell(key: key, name: name, entries: entries, version: version))
        return removed
    }

    private var isRemovingAll: Bool { past.begun > past.ended }

    /// Has a step wait for a key's file.
    ///
    /// - Returns: Whether the file is to be read now, because no other step waits for it.
    mutating func wait(for key: CacheKey, _ name: String, _ step: Step) -> Bool {
        if let (slot, cell) = cell(of: key), cell.waiting != nil {
            cells.update(slot) { $0.waiting?.append(step) }
            return false
        }
        insert(Cell(key: key, name: name, waiting: [step]))
        return true
    }

    /// The keys that wait for their files, and the files' names.
    var waiting: [(CacheKey, String)] {
        cells.values.compactMap { $0.waiting != nil ? ($0.key, $0.name) : nil }
    }

    /// Adds the responses of a file, and takes the steps that waited for it.
    ///
    /// - Returns: The steps, each with the responses that it found. If the store has failed, the steps are to fail.
    mutating func loaded(
        _ key: CacheKey, _ entries: [CachedResponse], at version: FileVersion?,
        after past: Past
    ) -> [(Step, [CachedResponse])] {
        guard let (slot, cell) = cell(of: key), let steps = cell.waiting else { return [] }
        let isCurrent = past.begun == self.past.begun && past.begun == past.ended
        set(slot) { cell in
            cell.waiting = nil
            // If all files were being removed while this one was read, it counts as absent.
            if isCurrent { (cell.entries, cell.version) = (entries, version) }
        }
        let taken = steps.map { step in
            (step, failure == nil ? take(step.change, at: slot, isHeld: true) : [])
        }
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
        lastChange += 1
        if cell.change == nil, !isHeld { cells.hold(slot) }
        if !cell.isQueued { changed.append(cell.key) }
        let number = lastChange
        set(slot) { ($0.entries, $0.change, $0.isQueued) = (entries, number, true) }
        return cell.entries
    }

    /// Returns whether a batch has to be enqueued, because there are changes or many uses, and none is enqueued.
    mutating func schedule() -> Bool {
        guard !isScheduled, !changed.isEmpty || uses >= 1_000 else { return false }
        isScheduled = true
        return true
    }

    /// Takes what is to be written.
    mutating func takeBatch() -> Batch {
        isScheduled = false
        // What is written before the files are removed would be removed too.
        if isRemovingAll { return Batch() }
        var batch = Batch(used: used.sorted { $0.value < $1.value }.map(\.key))
        for key in changed {
            guard let (slot, cell) = cell(of: key), let number = cell.change else { continue }
            cells.update(slot) { $0.isQueued = false }
            batch.changes.append(
                Change(
                    key: key, name: cell.name, entries: cell.entries, base: cell.version,
                    number: number))
        }
        (changed, used, uses) = ([], [:], 0)
        return failure == nil ? batch : Batch()
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
            set(slot) {
                $0.version = written.version
                if isDone { $0.change = nil }
            }
            if isDone { cells.release(slot) }
        }
        if !evicted.isEmpty {
            // The next batch finds no file, though no other process has removed it.
            for key in changed {
                guard let (slot, cell) = cell(of: key), evicted.contains(cell.name) else {
                    continue
                }
                cells.update(slot) { $0.version = nil }
            }
        }
        return removed + shrink()
    }

    /// Forgets all responses, and takes all files as absent until ``endRemoval()``.
    mutating func beginRemoval() -> [CachedResponse] {
        past.begun += 1
        return forget()
    }

    /// Takes files as they are again.
    mutating func endRemoval() { past.ended += 1 }

    /// Ends the store: from now on all steps fail.
    mutating func fail(_ error: any Error) -> [CachedResponse] {
        failure = failure ?? error
        unwritten += cells.values.filter { $0.change != nil }.map(\.key)
        return forget()
    }

    /// Takes the keys whose files a failure has left out of date.
    mutating func takeUnwritten() -> [CacheKey] {
        defer { unwritten = [] }
        return unwritten
    }

    /// Forgets all responses, also those that are not written yet, but not the steps that wait for a file.
    private mutating func forget() -> [CachedResponse] {
        let all = cells.values
        cells = LRUTable()
        (bytes, unwrittenBytes, changed, used, uses) = (0, 0, [], [:], 0)
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

extension FileVersion {
    /// The version of a file that can't be read, which no file has.
    fileprivate static let unreadable = FileVersion(inode: 0, size: -1, modified: 0)
}

// MARK: - Listing

extension FolderCacheStore {
    /// Returns the keys whose responses fulfil a condition, after all earlier changes; reads all files.
    ///
    /// It also reads them if the store has failed. A file that somebody else has made counts as absent.
    func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]> {
        Future.make { resolver in
            loading {
                self.writes {
                    self.persist()
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
        let inMemory = table.withLock { $0.contents }
        var keys = Set(inMemory.filter { isIncluded($0.key, $0.entries) }.map(\.key))
        for listed in try urlFiles() {
            let file: (bytes: [UInt8], version: FileVersion)?
            do {
                file = try folder.read(listed.name, upTo: limit)
            } catch  where error.isOfForeignFile || error.isOfMissingFile {
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
            let entries = entries(in: bytes, of: key)
        else { return nil }
        return (key, entries)
    }
}

extension FolderCacheTable {
    /// The keys that are in memory, with their responses.
    var contents: [(key: CacheKey, entries: [CachedResponse])] {
        cells.values.map { ($0.key, $0.entries) }
    }
}

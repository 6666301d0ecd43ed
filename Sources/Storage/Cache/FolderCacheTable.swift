import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPNetworking
import PledgeServices

/// The responses that a ``FolderCacheStore`` has in memory, and the changes that it has yet to write.
///
/// It knows neither files nor threads. A key is absent, waits for its file, or has responses. A waiting key, and one
/// whose last change isn't written, stay. The others are dropped, the least recently used first, when they exceed the
/// limit. While the folder can't be written, changes are parked: they can be dropped like what is written, except for
/// removals whose file is still there.
struct FolderCacheTable: Sendable {
    let memory: Int
    let largest: Int
    /// The key of the files' names.
    var key: [UInt8]
    /// True after the folder's owner and key were found right.
    var isOpen = false
    var cells = LRUTable<CacheKey, Cell>()
    /// The bytes of all responses in memory.
    var bytes = 0
    /// The keys that changed since the last batch, in order.
    var changed: [CacheKey] = []
    /// The keys whose files were to be removed and couldn't be.
    var unremoved: [CacheKey] = []
    /// The files that were used since the last batch, with the number of their last use.
    var used: [String: Int] = [:]
    /// How many uses there were since the last batch.
    var uses = 0
    var lastChange = 0
    var isScheduled = false
    /// Why the last batch wasn't written; nil if it was.
    var failure: (any Error)?
    /// The pause after the last failure, and the instant when it ends.
    var pause = Duration.zero
    var end: SchedulerInstant?
    var past = Past()
    /// True if all files are to be removed as soon as they can be.
    var mustRemoveAll = false
    /// The bytes of all responses that aren't written yet.
    var unwrittenBytes = 0

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

    func cell(of key: CacheKey) -> (slot: Int, cell: Cell)? {
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
    mutating func changeEntries(
        _ key: CacheKey, _ name: String, at version: FileVersion?, _ past: Past,
        _ change: Step.Change?
    ) -> [CachedResponse]? {
        defer { shrink() }
        if let (slot, cell) = cell(of: key) {
            if cell.waiting != nil { return nil }
            if cell.change != nil || past.keys == self.past.keys && cell.version == version {
                if cell.change == nil { cells.use(slot) }
                return apply(change, at: slot)
            }
            // The file was written since, by this process or by another.
            remove(slot)
            return nil
        }
        guard version == nil, past == self.past else { return nil }
        return change == nil ? [] : apply(change, at: insert(Cell(key: key, name: name)))
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

    var isRemovingAll: Bool { past.begun > past.ended }

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
        let taken = steps.map { step in (step, apply(step.change, at: slot, isHeld: true)) }
        if cells[slot]?.value.isHeld == false { cells.release(slot) }
        shrink()
        return taken
    }

    /// Changes the responses in a slot.
    ///
    /// - Parameter isHeld: True if the slot is held even if all changes are written.
    /// - Returns: The responses before the change.
    mutating func apply(
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
    mutating func queue(_ slot: Int, _ change: (inout Cell) -> Void) {
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
    mutating func forget() -> [CachedResponse] {
        let all = cells.values
        cells = LRUTable()
        (bytes, unwrittenBytes, changed, unremoved, used, uses) = (0, 0, [], [], [:], 0)
        for cell in all where cell.waiting != nil { insert(cell) }
        return all.flatMap(\.entries)
    }

    @discardableResult
    mutating func insert(_ cell: Cell) -> Int {
        var cell = cell
        cell.bytes = Self.bytes(cell)
        bytes += cell.bytes
        return cells.insert(cell.key, cell, isHeld: cell.isHeld)
    }

    mutating func set(_ slot: Int, _ change: (inout Cell) -> Void) {
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
    mutating func shrink() -> [CachedResponse] {
        var removed: [CachedResponse] = []
        while bytes > memory, let oldest = cells.oldest { removed += remove(oldest) }
        return removed
    }

    @discardableResult
    mutating func remove(_ slot: Int) -> [CachedResponse] {
        guard let cell = cells.remove(slot)?.value else { return [] }
        bytes -= cell.bytes
        if cell.change != nil { unwrittenBytes -= cell.bytes }
        return cell.entries
    }

    static func bytes(_ cell: Cell) -> Int {
        cell.entries.reduce(cell.key.byteCount + 128) { $0 + $1.byteCount }
    }
}

extension FolderCacheTable {
    /// The keys that are in memory, with their responses.
    var contents: [(key: CacheKey, entries: [CachedResponse])] {
        cells.values.map { ($0.key, $0.entries) }
    }
}

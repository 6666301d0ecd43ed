import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// The responses that a ``FolderCacheStore`` has in memory, and its unwritten changes; without files and threads.
///
/// A key is absent, is being loaded, or has responses. A key that's being loaded, or has an unwritten change, stays in
/// memory. When the limit is exceeded, the least recently used others are dropped. While the folder can't be written,
/// changes are parked: they may be dropped like written ones, except removals whose file still exists.
struct FolderCacheTable: Sendable {
    let memory: Int
    let largest: Int
    /// The key of the hashes that make the files' names.
    var key: [UInt8]
    /// True once the folder's owner and key were checked.
    var isOpen = false
    var cells = LRUTable<CacheKey, Cell>()
    var bytes = 0
    /// The keys that have changed since the last batch, in order.
    var changed: [CacheKey] = []
    /// The keys whose files could not be removed.
    var unremoved: [CacheKey] = []
    /// The files used since the last batch, each with the number of its last use.
    var used: [String: Int] = [:]
    var uses = 0
    var lastChange = 0
    var isScheduled = false
    /// Why the last batch failed; nil if it didn't.
    var failure: (any Error)?
    /// The last pause after a failure, and when it ends.
    var pause = Duration.zero
    var end: SchedulerInstant?
    var past = Past()
    /// True if all files are to be removed as soon as possible.
    var mustRemoveAll = false
    var unwrittenBytes = 0

    /// `memory` is the most bytes of responses that could be dropped, `largest` the most bytes of one URL's responses,
    /// and `key` makes the files' names.
    init(memory: Int, largest: Int, key: [UInt8] = []) {
        self.memory = memory
        self.largest = largest
        self.key = key
    }

    /// True if no file may be read now.
    var isBlind: Bool { !isOpen || mustRemoveAll }

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

    /// The name of a key's file; nil if the key isn't in memory.
    func name(of key: CacheKey) -> String? { cell(of: key)?.cell.name }

    func cell(of key: CacheKey) -> (slot: Int, cell: Cell)? {
        guard let slot = cells.slot(of: key), let cell = cells[slot]?.value else { return nil }
        return (slot, cell)
    }

    /// Reads or changes a key's responses, if those in memory are of the file's version.
    ///
    /// - Parameters:
    ///   - version: The version of the key's file; nil if there is none.
    ///   - past: What had happened when the version was looked up.
    ///   - change: Nil to read only.
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
            // This or another process has written the file since.
            remove(slot)
            return nil
        }
        guard version == nil, past == self.past else { return nil }
        return change == nil ? [] : apply(change, at: insert(Cell(key: key, name: name)))
    }

    /// Adds a file's responses that a caller has read, unless the key is being loaded or has changed.
    ///
    /// - Returns: Responses to free outside the lock.
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

    /// Makes a step wait until a key's file is loaded.
    ///
    /// - Returns: True if the caller has to load it, because no step was waiting.
    mutating func wait(for key: CacheKey, _ step: Step) -> Bool {
        if let (slot, cell) = cell(of: key), cell.waiting != nil {
            cells.update(slot) { $0.waiting?.append(step) }
            return false
        }
        let name = FolderCacheStore.fileName(of: key, self.key)
        insert(Cell(key: key, name: name, waiting: [step]))
        return true
    }

    /// The keys that are being loaded.
    var waiting: [CacheKey] { cells.values.compactMap { $0.waiting != nil ? $0.key : nil } }

    /// Adds a file's responses, and performs the steps that waited for them.
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
            // All files were being removed while this one was read, so it counts as absent.
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
    /// - Parameter isHeld: True if the slot is held even without unwritten changes.
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
        // A URL's responses are one file, which each change writes anew.
        var size = entries.reduce(0) { $0 + $1.byteCount }
        while size > largest { size -= entries.removeFirst().byteCount }
        // If the disk is too slow to write them in time, the responses aren't kept.
        if unwrittenBytes + size - largest > memory { entries = [] }
        // Even a file whose responses couldn't be read has to be removed.
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

    /// Changes a cell, and marks it to be written.
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

    /// Marks a key's file to be removed unread, unless the key is in memory.
    mutating func removeUnread(_ key: CacheKey) {
        if cell(of: key) != nil { return }
        let name = FolderCacheStore.fileName(of: key, self.key)
        let slot = insert(Cell(key: key, name: name, version: .unreadable))
        cells.hold(slot)
        queue(slot) { $0.removes = true }
    }

    /// Changes the key of the files' names and the users.
    ///
    /// Unwritten responses stay, except those of users who have other hashes under the new key.
    ///
    /// - Returns: Responses to free outside the lock.
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

    /// Forgets all responses, even unwritten ones; the steps that wait for a file stay.
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
    var contents: [(key: CacheKey, entries: [CachedResponse])] {
        cells.values.map { ($0.key, $0.entries) }
    }
}

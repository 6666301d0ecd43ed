import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPTransportKit
import PledgeServices

// The changes that a folder's cache has yet to write, and the outcome of writing them.

extension FolderCacheTable {
    /// A key whose responses are to be written.
    struct Change: Sendable {
        let key: CacheKey
        let name: String
        let entries: [CachedResponse]
        /// The version of the file on which the change is based; nil if there was no file.
        let base: FileVersion?
        /// The lineage of `base`.
        let lineage: UInt64?
        /// The variants that have changed.
        let changed: [CacheVariant]
        let removes: Bool
        let number: Int
    }

    /// What one batch writes.
    struct Batch: Sendable {
        var changes: [Change] = []
        /// The files read or written since the last batch, least recently used first.
        var used: [String] = []

        var isEmpty: Bool { changes.isEmpty && used.isEmpty }
    }

    /// A change that was written.
    struct Written: Sendable {
        let change: Change
        /// The new file's version; nil if there is no file.
        var version: FileVersion?
        var lineage: UInt64?
        /// The file's responses, if another process's were merged into it.
        var merged: [CachedResponse]?
        /// False if the file was removed, because another process had changed it.
        var isKept = true
    }

    /// A change that couldn't be written.
    struct Parked: Sendable {
        let change: Change
        let isRemoved: Bool
        /// The version of the file on the disk; nil if there is none.
        let version: FileVersion?
    }

    /// What a batch has to do.
    enum Task { case nothing, write, park }
}

extension FolderCacheTable {
    /// Returns whether to enqueue a batch: there are changes, many uses, or a retry is due, and none is enqueued yet.
    mutating func schedule(at now: () -> SchedulerInstant) -> Bool {
        guard !isScheduled else { return false }
        guard !changed.isEmpty || uses >= 1_000 || failure != nil && isDue(now()) else {
            return false
        }
        isScheduled = true
        return true
    }

    func isDue(_ now: SchedulerInstant) -> Bool { end.map { now >= $0 } ?? true }

    /// Begins a batch.
    ///
    /// - Parameter isNow: True to end the pause after a failure.
    mutating func begin(_ isNow: Bool, at now: () -> SchedulerInstant) -> Task {
        isScheduled = false
        guard failure != nil else {
            // What is written now would be removed with the other files.
            if isRemovingAll { return .nothing }
            return isOpen && changed.isEmpty && used.isEmpty ? .nothing : .write
        }
        // Without the folder's key, removing a file takes another try at opening the folder.
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

    /// Takes the next batch to write.
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

    /// Records that a batch was written.
    ///
    /// - Parameters:
    ///   - written: What was written.
    ///   - evicted: The names of the files that were removed to make room.
    /// - Returns: Responses to free outside the lock.
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
            // A later change doesn't know the merged file, so it will be merged in its turn.
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
            // The next batch finds no file, but it was this process that removed it.
            for key in changed {
                guard let (slot, cell) = cell(of: key), evicted.contains(cell.name) else {
                    continue
                }
                cells.update(slot) { ($0.version, $0.lineage) = (nil, nil) }
            }
        }
        return removed + shrink()
    }

    /// Records changes that couldn't be written, and files that were removed instead.
    ///
    /// - Returns: Responses to free outside the lock.
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
                // As long as nobody changes the file, the memory answers for it.
                if $0.version == .unreadable, isOpen { $0.version = version }
            }
            if isDone {
                cells.release(slot)
                if cell.entries.isEmpty { removed += remove(slot) }
            }
        }
        if unwrittenBytes > memory, unwrittenBytes - memory > largest, !mustRemoveAll {
            // So many pending removals don't fit into memory, so all files are removed instead.
            past.begun += 1
            mustRemoveAll = true
            removed += forget()
        }
        return removed + shrink()
    }

    /// Forgets all responses; until ``endRemoval(isToRepeat:)``, all files count as absent.
    mutating func beginRemoval() -> [CachedResponse] {
        past.begun += 1
        return forget()
    }

    /// Ends the removal of all files; if it has failed and will be repeated, they still count as absent.
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

    /// Records that nothing can be written, and begins a pause: one second, then twice the last one, up to a minute.
    mutating func fail(_ error: any Error, at now: SchedulerInstant) {
        failure = error
        pause = min(max(pause * 2, .seconds(1)), .seconds(60))
        end = now.advanced(by: pause)
    }

    /// Records that the folder can be written again.
    mutating func recover() { (failure, pause, end) = (nil, .zero, nil) }
}

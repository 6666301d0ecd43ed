import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit

extension FolderCacheStore {
    func persistSoon() {
        guard table.withLock({ $0.schedule { self.scheduler.now } }) else { return }
        writes { self.persist() }
    }

    /// Writes all changes, unless the store pauses after a failure.
    ///
    /// - Parameter isNow: True to end the pause.
    func persist(now isNow: Bool = false) {
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
                // If somebody has removed the folder, the same batch is written a second time.
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

    /// Keeps changes that can't be written in memory, and deletes files whose responses were to be removed.
    ///
    /// Deleting works even if the disk is full.
    private func park(_ batch: FolderCacheTable.Batch) {
        if batch.changes.isEmpty { return }
        let (isOpen, key) = table.withLock { ($0.isOpen, $0.key) }
        // The names must be those that other processes use now.
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

    /// Does work under the folder's lock; if somebody has removed the folder, creates it and tries once more.
    func attempt(_ work: () throws(FileError) -> Void) throws(FileError) {
        do {
            try folder.checkOwner()
            try folder.withLock(work)
        } catch  where error.isOfMissingFile {
            try folder.create()
            try folder.checkOwner()
            try folder.withLock(work)
        }
    }

    /// Writes the key again if somebody has emptied or removed the folder; adopts another process's key.
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

    /// Adopts the folder's new key, and removes a URL's file under it.
    ///
    /// A change of this URL may have missed that file, because it looked for the old name.
    func beginAnew(for key: CacheKey) {
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
    /// - Returns: What was written, and the names of the files that were removed to make room.
    private func write(
        _ batch: FolderCacheTable.Batch
    ) throws(FileError) -> ([FolderCacheTable.Written], evicted: Set<String>) {
        var bytes = try notedBytes()
        for name in batch.used { folder.setLastUse(of: name, to: Self.now()) }
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
                        // Other processes may find a new URL before it's synced; if a crash damages its file, it's
                        // absent again.
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
                        bytes.subtract(old.space)
                    }
                    written.append(
                        .init(change: change, version: nil, isKept: old == change.base))
                }
            }
            for (name, one) in new {
                // The new file may have replaced nothing, because a folder has its name.
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
        if bytes.isKnown { try noteBytes(bytes) } else { mustCount.withLock { $0 = true } }
        return (written, evicted)
    }

    /// Renames a new file to its final name.
    ///
    /// If a folder or another user's file has that name, the responses stay in memory.
    private func place(
        _ part: String, _ written: FolderCacheTable.Written, _ bytes: inout Bytes
    ) throws(FileError) -> FolderCacheTable.Written {
        var written = written
        let name = written.change.name
        do {
            try folder.rename(part, to: name)
            bytes.subtract(written.version?.space ?? 0)
            written.version = folder.version(of: name)
            bytes.add(written.version?.space ?? 0)
        } catch  where error.isOfOneFile {
            try folder.remove(part)
        }
        return written
    }

    private enum Decision {
        /// Write these responses; the flag says whether another process's are merged into them.
        case write(FolderCacheTable.Content, isMerged: Bool)
        /// Keep the other process's file, whose responses are newer.
        case take(FolderCacheTable.Content)
        case remove
    }

    /// Decides what to do with a changed URL's file, which another process may have written meanwhile.
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
            // The file is damaged, or somebody else's.
            return own.isEmpty
                ? .remove : .write(.init(entries: own, lineage: .random), isMerged: false)
        }
        let isOfSameLineage =
            change.base == nil || isUnread || change.lineage == other.lineage
        guard isOfSameLineage else { return .remove }
        let merged = other.merged(with: own, changed: change.changed, upTo: limit / 8)
        return merged.map { .write($0, isMerged: true) } ?? .take(other)
    }
}

extension UInt64 {
    /// Two lineages are equal with a probability of 2⁻⁶⁴.
    fileprivate static var random: UInt64 { .random(in: .min ... .max) }
}

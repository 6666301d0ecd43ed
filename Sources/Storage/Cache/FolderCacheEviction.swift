import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit

extension FolderCacheStore {
    /// How much of the disk all files take.
    struct Bytes {
        var count: Int
        /// When they were counted, in nanoseconds since 1970.
        var time = FolderCacheStore.now()
        var isKnown = true

        mutating func add(_ bytes: Int) { count = min(count, .max - bytes) + bytes }
        mutating func subtract(_ bytes: Int) { count = max(0, count - bytes) }
    }

    /// What the last batch of any process has recorded.
    ///
    /// Unknown if there is no record, or if it's damaged, impossible, or based on a count of more than a day ago.
    func notedBytes() throws(FileError) -> Bytes {
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

    func noteBytes(_ bytes: Bytes) throws(FileError) {
        do {
            let part = try freePart(0)
            var writer = ByteWriter()
            writer.add(fixed: UInt64(bitPattern: Int64(bytes.count)))
            writer.add(fixed: UInt64(bitPattern: bytes.time))
            let file = CachedResponse.sealed(writer.bytes, as: Self.usageFormat)
            try folder.write(file, to: part, at: Self.now())
            try folder.rename(part, to: Self.usageName)
        } catch  where error.isOfOneFile {
            // Without this record, each batch is followed by a count.
        }
    }

    /// Removes the least recently used files until a tenth of the limit is free.
    ///
    /// - Returns: The remaining bytes, and the names of the removed files.
    func evict() throws(FileError) -> (bytes: Int, removed: Set<String>) {
        let now = Self.now()
        // A time in the future comes from a wrong clock, and is ignored.
        let files = try urlFiles().map { (used: $0.used > now ? .min : $0.used, file: $0) }
        var bytes = Bytes(count: Self.bytes(of: files.map(\.file)))
        var removed: Set<String> = []
        for (_, file) in files.sorted(by: { $0.used < $1.used }) {
            if bytes.count <= limit / 10 * 9 { break }
            guard try remove(file.name) else { continue }
            bytes.subtract(file.space)
            removed.insert(file.name)
        }
        return (bytes.count, removed)
    }

    func removeFiles() throws(FileError) {
        for file in try urlFiles() { _ = try remove(file.name) }
        try folder.syncFolder()
        try noteBytes(Bytes(count: 0))
    }

    /// The disk space that files take; the sum can't overflow.
    static func bytes(of files: [FileInFolder]) -> Int {
        var bytes = Bytes(count: 0)
        for file in files { bytes.add(file.space) }
        return bytes.count
    }

    /// Counts the files' space in the background, and removes what processes have left that ended while they wrote.
    func count() {
        guard mustCount.withLock({ $0.clear() }) else { return }
        // If this fails, there is no count, and the next batch has the files counted again.
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
            try self.noteBytes(bytes)
        }
    }
}

extension Bool {
    /// Returns the value, and sets it to false.
    fileprivate mutating func clear() -> Bool {
        defer { self = false }
        return self
    }
}

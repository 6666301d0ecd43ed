import PledgeHTTPCaching
import PledgeHTTPNetworking

extension FolderCacheTable {
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
}

extension CachedResponse {
    /// Returns whether the response was asked for, or asked to be confirmed, later than another one.
    func isNewer(than other: CachedResponse) -> Bool {
        (requestTime, date, responseTime) > (other.requestTime, other.date, other.responseTime)
    }

    /// Returns whether nothing was changed since the other one was stored.
    func isSame(as other: CachedResponse) -> Bool {
        variant == other.variant && number == other.number && isDoubted == other.isDoubted
            && responseTime == other.responseTime && headers.count == other.headers.count
            && body.count == other.body.count
    }
}

extension FileVersion {
    /// The version of a file that can't be read, which no file has.
    static let unreadable = FileVersion(inode: 0, size: -1, modified: 0)
}

import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit

extension FolderCacheTable {
    struct Content: Sendable {
        var entries: [CachedResponse]
        /// A random number that a file keeps until a response is removed from it.
        var lineage: UInt64

        /// Merges another process's changes into this content; nil if none of them is newer.
        ///
        /// - Parameters:
        ///   - others: The other process's responses.
        ///   - changed: The variants that it has changed.
        ///   - limit: The most bytes of all responses.
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
                    // Within one second, nothing tells which response arrived first.
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
    /// Returns whether the response was requested, or confirmed, later than the other one.
    func isNewer(than other: CachedResponse) -> Bool {
        (requestTime, date, responseTime) > (other.requestTime, other.date, other.responseTime)
    }

    /// Returns whether nothing has changed since the other one was stored.
    func isSame(as other: CachedResponse) -> Bool {
        variant == other.variant && number == other.number && isDoubted == other.isDoubted
            && responseTime == other.responseTime && headers.count == other.headers.count
            && body.count == other.body.count
    }
}

extension FileVersion {
    /// Stands for a file that can't be read; no file has this version.
    static let unreadable = FileVersion(inode: 0, size: -1, modified: 0)
}

extension CacheVariant {
    /// True if a request of another process may match.
    var mayOutliveProcess: Bool { holders.allSatisfy(\.mayOutliveProcess) }

    /// True if a user is known by a hash with the cache's key.
    var isKeyed: Bool {
        holders.contains { if case .digest = $0 { true } else { false } }
    }

    private var holders: [Principal] {
        let users = (partition?.members ?? []).union(refused ?? []).map(\.principal)
        return users
            + fields.compactMap {
                if case .holder(let holder) = $0.value { holder } else { nil }
            }
    }
}

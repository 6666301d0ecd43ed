import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit

extension FolderCacheTable {
    /// A read or a change that waits until a file is loaded.
    struct Step: Sendable {
        typealias Change = @Sendable (inout [CachedResponse]) -> Void

        /// Nil to read only.
        let change: Change?
        /// Gets the responses from before the change.
        let resolver: Resolver<[CachedResponse]>
    }

    /// What the memory says about a key.
    struct Known {
        /// The name of the key's file; nil if the key isn't in memory.
        var name: String?
        var version: FileVersion?
        /// True if the memory is newer than the file.
        var isChanged = false
        /// True if no file may be read now.
        let isBlind: Bool
        /// The key of the hashes that make the files' names.
        let hashKey: [UInt8]
        let past: Past
    }

    /// Counts events that make earlier knowledge of files obsolete.
    struct Past: Equatable, Sendable {
        /// How often the removal of all files has begun, and ended.
        var (begun, ended) = (0, 0)
        var batches = 0
        /// How often the folder has got another key.
        var keys = 0
    }

    struct Cell {
        let key: CacheKey
        var name: String
        var entries: [CachedResponse] = []
        var bytes = 0
        /// The file's version on which the entries are based, and its lineage.
        var version: FileVersion?
        var lineage: UInt64?
        /// The number of the last change; nil if all changes are written.
        var change: Int?
        /// The variants that have changed since that version, and whether one was removed.
        var changed: [CacheVariant] = []
        var removes = false
        /// True if the key is in the table's `changed` or `unremoved`.
        var isQueued = false
        /// True if the entries are newer than the file, because writing has failed.
        var isParked = false
        /// What waits for the file to be loaded; nil if it isn't being loaded.
        var waiting: [Step]?

        /// True if the cell must stay in memory.
        var isHeld: Bool { change != nil || waiting != nil }
    }
}

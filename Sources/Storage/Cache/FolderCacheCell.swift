import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPNetworking

extension FolderCacheTable {
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
        /// True if no file may be read.
        let isBlind: Bool
        /// The key of the files' names.
        let hashKey: [UInt8]
        let past: Past
    }

    /// What has happened to files so far; what was seen of a file before may not be true after.
    struct Past: Equatable, Sendable {
        /// How many removals of all files have begun, and ended.
        var (begun, ended) = (0, 0)
        /// How many batches were written.
        var batches = 0
        /// How many keys the folder has had.
        var keys = 0
    }

    struct Cell {
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
}

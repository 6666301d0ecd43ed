import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPNetworking

extension FolderCacheStore {
    /// Locks a place in the folder's file of places.
    func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
        let (isBlind, hasFailed, key) = table.withLock { ($0.isBlind, $0.failure != nil, $0.key) }
        // Until another process has written the folder's key, it counts as the one with the lock.
        if isBlind { return Future(value: hasFailed ? NoLock() : nil) }
        let hash = SHA512_256.hash(key + Array(name.utf8)).prefix(8)
        // A file has no place beyond the largest Int64.
        let place = Int64(hash.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 2)
        switch places?.takePlace(place) {
        case true?: return Future(value: LockedPlace(place, in: self))
        case false?: return Future(value: nil)
        // This process has the place already, or there are none.
        case nil: return Future(value: NoLock())
        }
    }

    /// A place that is left when the object is released, as soon as the changes so far are in their files.
    private final class LockedPlace: Sendable {
        private let place: Int64
        private let store: FolderCacheStore

        init(_ place: Int64, in store: FolderCacheStore) {
            (self.place, self.store) = (place, store)
        }

        deinit { store.writes { [store, place] in store.places?.leave(place) } }
    }
}

import PledgeFutures
import PledgeHTTPCaching
import PledgeHTTPMessages
import PledgeHTTPTransportKit

extension FolderCacheStore {
    /// Locks a request's place in the folder's ".pledge-places".
    func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
        let (isBlind, hasFailed, key) = table.withLock { ($0.isBlind, $0.failure != nil, $0.key) }
        // Until another process has written the folder's key, that process counts as the holder of all locks.
        if isBlind { return Future(value: hasFailed ? NoLock() : nil) }
        let hash = SHA512_256.hash(key + Array(name.utf8)).prefix(8)
        // An offset in a file is at most Int64.max.
        let place = Int64(hash.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } >> 2)
        switch places?.takePlace(place) {
        case true?: return Future(value: LockedPlace(place, in: self))
        case false?: return Future(value: nil)
        // This process already has the place, or there are no places.
        case nil: return Future(value: NoLock())
        }
    }

    /// Gives the place back when it's released and all changes so far are written.
    private final class LockedPlace: Sendable {
        private let place: Int64
        private let store: FolderCacheStore

        init(_ place: Int64, in store: FolderCacheStore) {
            (self.place, self.store) = (place, store)
        }

        deinit { store.writes { [store, place] in store.places?.leave(place) } }
    }
}

/// When keys were last invalidated.
///
/// Only the keys that were invalidated last are known by themselves. All others count as invalidated together
/// with the last one that was forgotten, so they may be taken for newer than they are, but never for older.
struct Invalidations<Key: Hashable> {
    private let limit: Int
    private var eras = LRUTable<Key, Era>()
    /// When everything was last invalidated, or a key that was forgotten.
    private var all = Era.first

    init(limit: Int) { self.limit = limit }

    /// Whether nothing was invalidated.
    var isEmpty: Bool { eras.count == 0 && all == .first }

    /// The era that began when a key was last invalidated.
    func last(of key: Key) -> Era {
        guard let slot = eras.slot(of: key), let entry = eras[slot] else { return all }
        return max(entry.value, all)
    }

    /// Notes that a key is invalid.
    ///
    /// - Returns: The key that was forgotten.
    mutating func invalidate(_ key: Key, in era: Era) -> Key? {
        if let slot = eras.slot(of: key) {
            eras.update(slot) { $0 = max($0, era) }
            eras.use(slot)
            return nil
        }
        let forgotten = eras.count < limit ? nil : eras.oldest.flatMap { eras.remove($0) }
        if let forgotten { all = max(all, forgotten.value) }
        eras.insert(key, era)
        return forgotten?.key
    }

    /// Notes that everything is invalid.
    ///
    /// - Returns: The keys that were known, to be released.
    mutating func invalidateAll(in era: Era) -> LRUTable<Key, Era> {
        defer { eras = LRUTable() }
        all = max(all, era)
        return eras
    }
}

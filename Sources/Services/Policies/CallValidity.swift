internal import Synchronization

/// The calls in flight for each key, and whether their results may still be kept.
///
/// A call starts valid. It becomes invalid if its key, or everything, is invalidated before the call has ended.
package struct CallValidity<Key: Hashable> {
    /// The calls in flight for one key.
    @usableFromInline
    struct Calls: Sendable {
        @usableFromInline var count = 0
        /// The lowest valid number; calls with lower numbers started before the key was invalidated.
        @usableFromInline var first = 1

        @inlinable
        init() {}
    }

    @usableFromInline var calls: [Key: Calls] = [:]
    @usableFromInline var last = 0
    /// The highest number that was in use when everything was last invalidated.
    @usableFromInline var lastInvalid = 0

    /// Creates a counter without calls.
    @inlinable
    package init() {}

    /// The number of keys with calls in flight.
    @inlinable
    package var count: Int { calls.count }

    /// Returns a number that is higher than all earlier ones, of any counter in the process.
    package mutating func number() -> Int {
        last = lastCall.wrappingAdd(1, ordering: .relaxed).newValue
        return last
    }

    /// Returns the number up to which all calls of a key are invalid.
    @inlinable
    package func lastInvalid(of key: Key) -> Int {
        max(lastInvalid, (calls[key]?.first ?? 1) - 1)
    }

    /// Starts a call.
    ///
    /// - Returns: The call's number.
    @inlinable
    package mutating func start(_ key: Key) -> Int {
        calls[key, default: Calls()].count += 1
        return number()
    }

    /// Returns whether the result of a call in flight may be kept.
    @inlinable
    package func isValid(_ number: Int, _ key: Key) -> Bool { number > lastInvalid(of: key) }

    /// Ends a call.
    ///
    /// - Returns: The key as it was stored, if this was its last call in flight.
    @inlinable
    @discardableResult
    package mutating func endCall(_ key: Key) -> Key? {
        guard let index = calls.index(forKey: key) else { return nil }
        calls.values[index].count -= 1
        return calls.values[index].count == 0 ? calls.remove(at: index).key : nil
    }

    /// Makes a key's calls in flight invalid.
    @inlinable
    package mutating func invalidate(_ key: Key) { calls[key]?.first = last + 1 }

    /// Makes all calls in flight invalid.
    @inlinable
    package mutating func invalidateAll() { lastInvalid = last }
}

extension CallValidity: Sendable where Key: Sendable {}

/// The number of the process's last call, so that two caches over one store agree on which answer is newer.
private let lastCall = Atomic<Int>(0)

/// The era of each key's last invalidation.
///
/// An ``Era`` is the time between two invalidations. Only the most recently invalidated keys are stored, with their
/// eras, and older ones are forgotten. Every key that isn't stored gets the latest era of all forgotten keys. So a key
/// may seem to have been invalidated later than it was, but never earlier.
package struct Invalidations<Key: Hashable> {
    private let limit: Int
    private var eras = LRUTable<Key, Era>()
    /// The latest era that began with an invalidation of everything, or of a key that is now forgotten.
    private var all = Era.first

    package init(limit: Int) { self.limit = limit }

    /// True if nothing was ever invalidated.
    var isEmpty: Bool { eras.count == 0 && all == .first }

    /// Returns the era that began when a key was last invalidated.
    package func last(of key: Key) -> Era {
        guard let slot = eras.slot(of: key), let entry = eras[slot] else { return all }
        return max(entry.value, all)
    }

    /// Stores a key's invalidation.
    ///
    /// - Returns: The key that was forgotten to make room, if any.
    package mutating func invalidate(_ key: Key, in era: Era) -> Key? {
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

    /// Notes that everything was invalidated, and removes the entries of single keys.
    ///
    /// - Returns: The removed entries, which the holder of the lock releases after unlocking.
    mutating func invalidateAll(in era: Era) -> LRUTable<Key, Era> {
        defer { eras = LRUTable() }
        all = max(all, era)
        return eras
    }
}

/// The calls of a cache that are under way, and whether what they bring may still be stored.
///
/// A call is valid. Next: invalid, when its key, or everything, is invalidated; or ended.
struct CacheFlights: Sendable {
    /// The calls for one key that are under way.
    private struct Calls {
        var count = 0
        /// Calls with a lower number began before the key was invalidated.
        var first: UInt64 = 1
    }

    private var calls: [CacheKey: Calls] = [:]
    private var last: UInt64 = 0
    /// Calls up to this one began before everything was invalidated.
    private var lastInvalid: UInt64 = 0

    /// How many keys have calls under way.
    var count: Int { calls.count }

    /// A number higher than all before.
    mutating func number() -> UInt64 {
        last += 1
        return last
    }

    /// Up to which call all that were begun for a key are invalid.
    func lastInvalid(of key: CacheKey) -> UInt64 {
        max(lastInvalid, (calls[key]?.first ?? 1) - 1)
    }

    /// Begins a call.
    mutating func begin(_ key: CacheKey) -> UInt64 {
        calls[key, default: Calls()].count += 1
        return number()
    }

    /// Whether what a call that is under way brings may be stored.
    func isValid(_ number: UInt64, _ key: CacheKey) -> Bool {
        number > lastInvalid(of: key)
    }

    /// Ends a call.
    mutating func end(_ key: CacheKey) {
        guard let index = calls.index(forKey: key) else { return }
        calls.values[index].count -= 1
        if calls.values[index].count == 0 { calls.remove(at: index) }
    }

    /// Makes the calls for a key invalid.
    mutating func invalidate(_ key: CacheKey) { calls[key]?.first = last + 1 }

    /// Makes all calls invalid.
    mutating func invalidateAll() { lastInvalid = last }
}

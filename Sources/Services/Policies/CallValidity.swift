/// The calls under way for each key, and whether their results may still be kept.
///
/// A call is valid. Next: invalid, when its key, or everything, is invalidated; or ended.
package struct CallValidity<Key: Hashable> {
    /// The calls for one key that are under way.
    @usableFromInline
    struct Calls {
        @usableFromInline var count = 0
        /// Calls with a lower number started before the key was invalidated.
        @usableFromInline var first = 1

        @inlinable
        init() {}
    }

    @usableFromInline var calls: [Key: Calls] = [:]
    @usableFromInline var last = 0
    /// Calls up to this one started before everything was invalidated.
    @usableFromInline var lastInvalid = 0

    /// Makes a counter without calls.
    @inlinable
    package init() {}

    /// How many keys have calls under way.
    @inlinable
    package var count: Int { calls.count }

    /// A number higher than all before.
    @inlinable
    package mutating func number() -> Int {
        last += 1
        return last
    }

    /// The last invalid call of a key: all calls of the key up to it are invalid.
    @inlinable
    package func lastInvalid(of key: Key) -> Int {
        max(lastInvalid, (calls[key]?.first ?? 1) - 1)
    }

    /// Starts a call.
    ///
    /// - Returns: Its number.
    @inlinable
    package mutating func start(_ key: Key) -> Int {
        calls[key, default: Calls()].count += 1
        return number()
    }

    /// Whether the result of a call under way may be kept.
    @inlinable
    package func isValid(_ number: Int, _ key: Key) -> Bool { number > lastInvalid(of: key) }

    /// Ends a call.
    ///
    /// - Returns: The key as it was stored, if this was its last call.
    @inlinable
    @discardableResult
    package mutating func end(_ key: Key) -> Key? {
        guard let index = calls.index(forKey: key) else { return nil }
        calls.values[index].count -= 1
        return calls.values[index].count == 0 ? calls.remove(at: index).key : nil
    }

    /// Makes the calls for a key invalid.
    @inlinable
    package mutating func invalidate(_ key: Key) { calls[key]?.first = last + 1 }

    /// Makes all calls invalid.
    @inlinable
    package mutating func invalidateAll() { lastInvalid = last }
}

extension CallValidity: Sendable where Key: Sendable {}

extension CallValidity.Calls: Sendable {}

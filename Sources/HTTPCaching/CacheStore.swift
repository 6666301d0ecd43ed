public import PledgeFutures
import PledgeHTTPTransportKit
package import PledgeServices

/// A place where an ``HTTPCache`` keeps its responses.
///
/// ``MemoryCacheStore`` keeps them in memory. A store doesn't apply HTTP's rules: the ``HTTPCache`` decides which
/// responses to store, use and remove. A store may discard any response at any time, but must never return an
/// incomplete or removed one.
///
/// Calls for one key take effect in order, even if their futures settle later. Methods may be called from any thread,
/// and must not block.
public protocol CacheStore: Sendable {
    /// Returns the responses stored for a key, oldest first; empty if there are none.
    ///
    /// If the future fails, or doesn't settle within the cache's `storeTimeLimit`, the cache asks the origin.
    func responses(for key: CacheKey) -> Future<[CachedResponse]>

    /// Changes the stored responses of a key, as one step.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - change: Changes the stored responses in place, possibly within a lock of the store. Calls for one key don't
    ///     overlap. If another process has changed the responses before the result was written, call it again with
    ///     theirs: it then keeps what it must of both. After the future has settled, don't call it any more.
    /// - Returns: A future that settles when the change is made.
    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void>

    /// Removes all responses.
    func removeAll() -> Future<Void>

    /// Returns the keys whose stored responses meet a condition, in any order.
    ///
    /// The responses don't count as used. The cache calls this method to remove an account's responses, and for the
    /// other methods of ``HTTPCache`` that concern many URLs. The default implementation rejects. To
    /// remove some responses, the cache then removes all.
    ///
    /// - Parameter isIncluded: Returns whether a key is wanted, given its responses. It's called on any thread, at least
    ///   once for each key that has responses.
    func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]>

    /// Locks a response, so that no other process with this store asks the origin for it; never waits.
    ///
    /// If several processes miss a response at the same time, or find it stale, only one then asks the origin. If
    /// another process holds the lock, the cache tries again every few milliseconds, and then looks for the other
    /// process's answer. It waits for `storeTimeLimit` at most, and for a quarter of the call's deadline. After waiting
    /// in vain, or after removing the response itself, it doesn't ask for that response's lock for a minute. By
    /// default, nothing is locked: each process asks the origin.
    ///
    /// - Parameter name: A hash of the response's URL and users, of 32 hexadecimal digits. With one `partitionKey`, all
    ///   processes have the same name for it.
    /// - Returns: A future of an object that keeps the lock until it's released, on any thread. End the lock only when
    ///   all changes before the release are in the store. If the process dies, the lock must end by itself. The future's
    ///   value is nil if another process has the lock. If the future fails, or doesn't settle within `storeTimeLimit`,
    ///   the cache asks the origin without a lock, and asks for no lock for a minute.
    func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?>

    /// Returns how much is stored.
    func usage() -> Future<CacheUsage>

    /// Waits until all earlier changes are durable.
    ///
    /// The default implementation settles at once, which is right for a store that writes before it settles an update.
    func flush() -> Future<Void>
}

extension CacheStore {
    /// Settles at once.
    public func flush() -> Future<Void> { Future(value: ()) }

    /// Locks nothing, at once.
    public func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
        Future(value: NoLock())
    }

    /// Rejects, with an error that says what to implement.
    public func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]> { Future(error: CacheStoreListsNothing()) }
}

/// A store whose responses outlive the process, for all caches over it.
package protocol LastingCacheStore: CacheStore {
    /// Shared by all caches over the store.
    var calls: Locked<CallValidity<CacheKey>> { get }

    /// Shared by all caches over the store.
    var turns: Locked<CacheTurns> { get }

    /// The key of the hashes that stand for users; another process may replace it.
    var key: [UInt8] { get }

    /// The error that keeps responses in memory only; nil if they are written.
    var failure: (any Error)? { get }
}

/// The error of a ``CacheStore`` that doesn't implement ``CacheStore/keys(where:)``.
package struct CacheStoreListsNothing: Error, CustomStringConvertible {
    /// A text that says what to implement.
    package var description: String {
        "the cache's store can't list its responses: implement keys(where:)"
    }
}

/// The amount that a ``CacheStore`` holds.
public struct CacheUsage: Hashable, Sendable {
    /// The number of responses; for `HTTPCache(folder:)`, the number of their URLs.
    public var count: Int

    /// The size of the responses and their URLs, in bytes.
    public var bytes: Int

    /// Creates a usage.
    public init(count: Int, bytes: Int) {
        self.count = count
        self.bytes = bytes
    }
}

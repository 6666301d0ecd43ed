public import PledgeHTTPAuthentication
import PledgeHTTPTransportKit

/// A place where a `TokenRefresher` keeps the token, across runs of the process.
///
/// ``AccessTokenFile`` is a file, and on Apple's systems there's `AccessTokenKeychain`. Methods may block for as long
/// as the disk takes, and are called one at a time, on any thread.
///
/// Several processes may share a store. Before each refresh, a refresher loads the token again, and uses it if another
/// process has stored a new one. Store the token as its `Codable` encodes it. The encoded token includes the name of
/// its sign-in, without which another process's token counts as another user's.
public protocol AccessTokenStore: Sendable {
    /// Returns the stored token; nil if there is none.
    func load() throws -> AccessToken?

    /// Stores a token in place of the last one; nil removes it.
    ///
    /// If this fails for the token of a new sign-in, the refresher calls it again with nil, so that the next run doesn't
    /// continue the last sign-in.
    ///
    /// The token must be durable when this returns: the server may already have replaced the refresh token, so there's
    /// no other copy of it.
    func save(_ token: AccessToken?) throws

    /// Locks the store, so that no other process refreshes the token; never waits.
    ///
    /// By default, nothing is locked. Two processes may then refresh at the same time. If the server accepts each
    /// refresh token only once, it refuses one of them, which then loads the token that the other one has stored.
    ///
    /// - Returns: An object that keeps the lock until it's released; nil if another process has the lock. The refresher
    ///   then asks again, every 50 ms, until the refresh's timeout.
    /// - Throws: An error of the lock. The refresher passes it on to `onStoreError`, and refreshes without a lock.
    func lockForRefresh() throws -> (any AnyObject & Sendable)?
}

extension AccessTokenStore {
    /// Locks nothing, and returns at once.
    public func lockForRefresh() throws -> (any AnyObject & Sendable)? { NoLock() }
}

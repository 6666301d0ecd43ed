public import PledgeHTTPAuthentication
import PledgeHTTPTransportKit

/// A token in a file that only the current user may read.
///
/// The file is always replaced as a whole, and the new one is on the disk before the old one goes away. It contains the
/// date on which the token expires, so it stays correct however long it's stored.
///
/// Several processes may use the same file. They refresh one after another, under a lock on a second file, named with
/// ".lock" at the end, which is never removed. The lock ends with its process, however that ends.
public struct AccessTokenFile: AccessTokenStore {
    private let file: SecretFile
    /// The path of the lock's file; nil for no lock.
    private let lock: String?

    /// A token in a file, which is created when a token is saved, with its folder.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - lockingRefreshes: True if the processes that use the file refresh one after another. By default, false on
    ///     iOS, tvOS, watchOS and visionOS, and true elsewhere: those systems end an app that is suspended while it
    ///     holds a lock in an app group's folder. Pass true for an app group's file if your app keeps running in the
    ///     background until its refresh ends.
    public init(_ url: URL, lockingRefreshes: Bool? = nil) {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        let locks = lockingRefreshes ?? false
        #else
        let locks = lockingRefreshes ?? true
        #endif
        file = SecretFile(url)
        lock = locks && url.isFileURL ? url.path + ".lock" : nil
    }

    /// Reads the token.
    ///
    /// - Throws: A `FileError`, or a `DecodingError` if the file holds no token.
    public func load() throws -> AccessToken? {
        try file.read().map { try JSONDecoder().decode(AccessToken.self, from: $0) }
    }

    /// Writes the token, with the permissions 0600, or removes the file.
    ///
    /// - Throws: A `FileError`; the old token then stays. A `TokenRefresher` removes it, unless the new token is of the
    ///   same sign-in.
    public func save(_ token: AccessToken?) throws {
        try file.write(token.map { try JSONEncoder().encode($0) })
    }

    /// Locks the file for a refresh, in this process or another one.
    ///
    /// - Returns: The lock, which ends when it's released or its process ends; nil if another process has it.
    /// - Throws: A `FileError`, also if the lock's file belongs to somebody else.
    public func lockForRefresh() throws -> (any AnyObject & Sendable)? {
        guard let lock else { return NoLock() }
        try file.createFolder()
        return try FileLock.attempt(lock)
    }
}

extension AccessTokenFile: CustomStringConvertible {
    /// A constant text, without the token.
    public var description: String { "a token's file" }
}

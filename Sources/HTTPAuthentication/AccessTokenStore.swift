public import PledgeHTTPNetworking

#if canImport(Security)
import Security
#endif

/// A place where a ``TokenRefresher`` keeps the token, across runs of the process.
///
/// ``AccessTokenFile`` is a file, and on Apple's systems there's `AccessTokenKeychain`. Methods may block for as long
/// as the disk takes, and are called one at a time, on any thread.
///
/// Several processes may share a store. Before a refresh, a refresher loads the token again; if another process has
/// stored another one, it takes that one. Keep the token as its `Codable` encodes it. That includes the name of its
/// sign-in, without which another process's token counts as another user's.
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

    /// Lets this process refresh the token while no other process does, without waiting.
    ///
    /// By default, nothing is locked. A server that accepts each refresh token once then refuses one of two processes
    /// that refresh at the same time, and the refused one loads the token that the other one has stored.
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

/// A token in a file that only the current user may read.
///
/// The file is replaced as a whole, and synced to the disk before the old one goes away. The token has the date on
/// which it ends, not the time that is left.
///
/// Several processes may use the same file. They refresh one after another, under a lock on a second file with the same
/// name and ".lock", which stays. The lock ends with its process, however that ends.
public struct AccessTokenFile: AccessTokenStore {
    private let file: SecretFile
    /// The path of the lock's file; nil for no lock.
    private let lock: String?

    /// A token in a file, which is created when a token is saved, with its folder.
    ///
    /// - Parameters:
    ///   - url: The file.
    ///   - lockingRefreshes: True if the processes that use the file refresh one after another. On iOS, tvOS, watchOS
    ///     and visionOS, the system ends an app that is suspended while it has a lock in the folder of an app group, so
    ///     nil means false there, and true elsewhere. Pass true for an app group's file if your app keeps running in the
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
    /// - Throws: A `FileError`; the old token then stays. A ``TokenRefresher`` removes it, unless the new token is of the
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

#if canImport(Security)
/// A token in the Keychain of Apple's systems, as a generic password of this device.
public struct AccessTokenKeychain: AccessTokenStore {
    /// A refusal of the Keychain.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The Keychain's code, such as `errSecInteractionNotAllowed` before the first unlock.
        public let status: Int32

        /// The code, without the token.
        public var description: String { "the Keychain failed: \(status)" }
    }

    private let service: String
    private let account: String
    private let accessGroup: String?

    /// A token in the Keychain.
    ///
    /// - Parameters:
    ///   - service: Names the server, such as "com.example.api".
    ///   - account: Names the account, if the app has several.
    ///   - accessGroup: The group of apps that share the token; nil for this app only.
    public init(service: String, account: String = "", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    private var query: [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    /// Reads the token.
    ///
    /// - Throws: A ``Failure``, or a `DecodingError` if the item holds no token.
    public func load() throws -> AccessToken? {
        var item: CFTypeRef?
        var query = query
        query[kSecReturnData as String] = true
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = item as? Data else {
            throw Failure(status: status)
        }
        return try JSONDecoder().decode(AccessToken.self, from: data)
    }

    /// Adds, replaces or removes the token; the app may read it after the first unlock of the device.
    ///
    /// - Throws: A ``Failure``.
    public func save(_ token: AccessToken?) throws {
        guard let token else {
            let status = SecItemDelete(query as CFDictionary)
            guard [errSecSuccess, errSecItemNotFound].contains(status) else {
                throw Failure(status: status)
            }
            return
        }
        let values: [String: Any] = [
            kSecValueData as String: try JSONEncoder().encode(token),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
        if status == errSecItemNotFound {
            status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Failure(status: status) }
    }
}
#endif

/// A file that only the current user may read, and that is replaced as a whole.
struct SecretFile: Sendable {
    private let folder: any FileFolder
    private let name: String

    init(_ url: URL) {
        self.init(url.lastPathComponent, in: SystemFolder(url.deletingLastPathComponent()))
    }

    init(_ name: String, in folder: any FileFolder) {
        self.folder = folder
        self.name = name
    }

    /// The largest content, in bytes: several times as much as a jar with all the cookies that it may have.
    private static let limit = 64 << 20

    /// Returns the file's content; nil if there is no file.
    ///
    /// - Throws: An error that names the file if somebody else has made it, or could change it.
    func read() throws(FileError) -> Data? {
        try folder.read(name, upTo: Self.limit).map { Data($0.bytes) }
    }

    /// Creates the file's folder if there is none.
    func createFolder() throws(FileError) { try folder.create() }

    /// Replaces the file, or removes it; the change is on the disk when this returns.
    ///
    /// Both also remove the parts of processes that ended while they wrote the file.
    func write(_ data: Data?) throws(FileError) {
        guard let data else { return try remove() }
        try folder.create()
        let now = Date.now.secondsSince1970
        // Another process may still be writing a newer part.
        try? removeParts(usedBefore: (now - 60) * 1_000_000_000)
        // Two processes, which may have the same number in two containers, don't write the same part.
        let part = "\(name).\(UInt64.random(in: 0 ... .max)).part"
        try folder.replace(name, with: Array(data), by: part, at: now * 1_000_000_000)
    }

    private func remove() throws(FileError) {
        do {
            try folder.remove(name)
            // A process that is just writing a part fails: the secret is gone for it too.
            try removeParts(usedBefore: .max)
            try folder.syncFolder()
        } catch {
            // Without its folder, there's nothing to remove.
            if !error.isOfMissingFile { throw error }
        }
    }

    private func removeParts(usedBefore end: Int64) throws(FileError) {
        for file in try folder.files() where isPart(file.name) && file.used < end {
            try folder.remove(file.name)
        }
    }

    /// Returns whether a name is the file's, a number, and "part", separated by dots.
    private func isPart(_ other: String) -> Bool {
        guard other.hasPrefix(name + "."), other.hasSuffix(".part") else { return false }
        let number = other.utf8.dropFirst(name.utf8.count + 1).dropLast(5)
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }
}

public import PledgeFutures
public import PledgeHTTPNetworking

#if canImport(Security)
import Security
#endif

/// A place where a ``TokenRefresher`` keeps the token, across runs of the process.
///
/// ``AccessTokenFile`` is a file, and on Apple's systems there's `AccessTokenKeychain`. Methods may block for as long
/// as the disk takes, and are called one at a time, on any thread.
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
}

/// A token in a file that only the current user may read.
///
/// The file is replaced as a whole, and synced to the disk before the old one goes away. The token has the date on
/// which it ends, not the time that is left.
public struct AccessTokenFile: AccessTokenStore {
    private let file: SecretFile

    /// A token in a file, which is created when a token is saved, with its folder.
    public init(_ url: URL) { file = SecretFile(url) }

    /// Reads the token.
    ///
    /// - Throws: A `FileError`, or a `DecodingError` if the file holds no token.
    public func load() throws -> AccessToken? {
        try file.read().map { try JSONDecoder().decode(StoredToken.self, from: $0).token }
    }

    /// Writes the token, with the permissions 0600, or removes the file.
    ///
    /// - Throws: A `FileError`; the old token then stays. A ``TokenRefresher`` removes it, unless the new token is of the
    ///   same sign-in.
    public func save(_ token: AccessToken?) throws {
        try file.write(token.map { try JSONEncoder().encode(StoredToken(token: $0)) })
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
        return try JSONDecoder().decode(StoredToken.self, from: data).token
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
            kSecValueData as String: try JSONEncoder().encode(StoredToken(token: token)),
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

extension TokenRefresher {
    /// Creates a refresher whose token is kept in a store: loaded now, and saved after each change.
    ///
    /// ```swift
    /// let refresher = TokenRefresher(storedIn: AccessTokenFile(file)) { token in
    ///     try await signIn.post("/token", form: ["refresh_token": token.refreshToken])
    /// }
    /// ```
    ///
    /// A request that waits for a refresh is sent after the new token is saved, unless another thread is just saving an
    /// earlier change. A request that begins during the save may be sent with the new token before the store has it.
    ///
    /// If the store fails, the refresher works on without it. If it can't save the token of a new sign-in, the stored
    /// token is removed, so that the next run doesn't continue another sign-in. With ``AccessTokenFile`` or the
    /// Keychain, the next run continues the sign-in: a cache in a folder finds its responses again. A store of your own
    /// keeps the token without the name of its sign-in, unless it's made of one of these.
    ///
    /// - Parameters:
    ///   - store: The store. It's read on the caller's thread.
    ///   - name: The name in the refresher's events and errors; nil for none. It must hold no secrets.
    ///   - leeway: A request renews a token that expires within this time, but not in the first half of the token's
    ///     lifetime. Less than zero is a programming error and traps.
    ///   - timeout: How long a refresh may take. Zero or less is a programming error and traps.
    ///   - grace: How long after a refresh a 401 doesn't count against the new token. Less than zero is a programming
    ///     error and traps.
    ///   - scheduler: The clock.
    ///   - onStoreError: Called with each error of the store.
    ///   - refresh: Gets a new token for an old one.
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) -> Future<AccessToken>
    ) {
        var token: AccessToken?
        do {
            token = try store.load()
            if token != nil, token?.signIn == nil {
                token?.signIn = Self.newName()
                try store.save(token)
            }
        } catch { onStoreError(error) }
        let stored = Locked(token?.signIn)
        self.init(
            token, named: name, leeway: leeway, timeout: timeout, grace: grace, on: scheduler,
            namingSignIns: true,
            onChange: { token in
                do {
                    try store.save(token)
                    stored.withLock { $0 = token?.signIn }
                } catch {
                    onStoreError(error)
                    // A full disk still removes the token of another sign-in.
                    if token != nil, token?.signIn != stored.withLock({ $0 }) {
                        try? store.save(nil)
                    }
                }
            }, refresh: refresh)
    }

    /// Creates a refresher with a store, whose refresh is an async closure; see the other initializer.
    @_disfavoredOverload
    public convenience init(
        storedIn store: some AccessTokenStore, named name: String? = nil,
        leeway: Duration = .seconds(60), timeout: Duration = .seconds(30),
        grace: Duration = .seconds(10), on scheduler: some FutureScheduler = .live,
        onStoreError: @escaping @Sendable (any Error) -> Void = { _ in },
        refresh: @escaping @Sendable (AccessToken) async throws -> AccessToken
    ) {
        self.init(
            storedIn: store, named: name, leeway: leeway, timeout: timeout, grace: grace,
            on: scheduler, onStoreError: onStoreError, refresh: asFuture(refresh))
    }
}

/// A token as a store keeps it: with the name of its sign-in, so that the next run finds the responses of the sign-in.
private struct StoredToken: Codable {
    private enum Key: String, CodingKey {
        case signIn = "sign_in"
    }

    var token: AccessToken

    init(token: AccessToken) { self.token = token }

    init(from decoder: any Decoder) throws {
        token = try AccessToken(from: decoder)
        token.signIn = try decoder.container(keyedBy: Key.self)
            .decodeIfPresent(String.self, forKey: .signIn)
    }

    func encode(to encoder: any Encoder) throws {
        try token.encode(to: encoder)
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encodeIfPresent(token.signIn, forKey: .signIn)
    }
}

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

    /// Replaces the file, or removes it; the change is on the disk when this returns.
    ///
    /// Both also remove the parts of processes that ended while they wrote the file.
    func write(_ data: Data?) throws(FileError) {
        guard let data else { return try remove() }
        try folder.create()
        let now = HTTPDate.now.secondsSince1970
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

#if canImport(Security)
public import PledgeHTTPAuthentication
import Security

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

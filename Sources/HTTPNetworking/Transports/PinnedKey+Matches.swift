extension PinnedKey {
    /// Whether a key is the pinned one.
    ///
    /// - Parameter key: The certificate's SubjectPublicKeyInfo in DER.
    package func matches(_ key: [UInt8]) -> Bool {
        Data(base64Encoded: sha256).map { Array($0) } == SHA256.hash(key)
    }
}

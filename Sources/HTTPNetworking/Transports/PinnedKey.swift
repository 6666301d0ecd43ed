/// The SHA-256 of the public key that a trusted server's certificate must have.
///
/// It is the hash of the certificate's SubjectPublicKeyInfo in DER, as RFC 7469 defines it:
///
/// ```
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
///     | openssl dgst -sha256 -binary | base64
/// ```
public struct PinnedKey {
    /// The 32 bytes of the hash in base64.
    public let sha256: String

    /// Makes a pin, or returns nil if the text is not 32 bytes in base64.
    public init?(sha256: String) {
        guard Data(base64Encoded: sha256)?.count == 32 else { return nil }
        self.sha256 = sha256
    }
}

extension PinnedKey: Hashable, Sendable {}

public import PledgeFutures
public import PledgeHTTPMessages

/// Settings of TLS, with the same meaning for each transport that supports them.
///
/// ```swift
/// var settings = ConnectionSettings()
/// settings.tls.authorities = .systemAnd(companyRoots)
/// settings.tls.minimumVersion = .tls13
/// let transport = try CurlTransport(connecting: settings)
/// ```
public struct TLSSettings: Hashable, Sendable {
    /// The certificate authorities to trust.
    public enum Authorities: Hashable, Sendable {
        /// The authorities of the system.
        case system
        /// The system's authorities, and the ones in a PEM file.
        case systemAnd(URL)
        /// Only the authorities in a PEM file.
        case only(URL)
    }

    /// The verification of a server's certificate.
    public enum Verification: Hashable, Sendable {
        /// Checks that a trusted authority has issued the certificate, and that it belongs to the host.
        case full
        /// Checks only that a trusted authority has issued the certificate.
        case authorityOnly
        /// Checks nothing, so that an attacker on the network can read and change everything.
        case none
    }

    /// A version of TLS.
    public enum Version: Hashable, Sendable {
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The certificate authorities to trust.
    public var authorities = Authorities.system

    /// The verification of a server's certificate.
    public var verification = Verification.full

    /// The oldest allowed version of TLS.
    public var minimumVersion = Version.tls12

    /// The client certificate, for a server that requires one; nil for none.
    public var clientCertificate: ClientCertificate?

    /// The allowed keys of a server's certificate; if empty, any key is allowed.
    public var pinnedKeys: [PinnedKey] = []

    /// Creates the default settings.
    ///
    /// They verify certificates fully with the system's authorities, allow TLS 1.2 and later, and have no client
    /// certificate and no pinned keys.
    public init() {}
}

extension TLSSettings {
    /// A client certificate with its private key.
    ///
    /// Every transport that supports client certificates accepts ``init(pkcs12:password:)``. `SessionTransport` accepts
    /// no PEM, because Apple's systems read no private key in PEM.
    public struct ClientCertificate: Hashable, Sendable {
        /// A PEM file of certificates with the client's own first, or the PKCS#12 file.
        package var chain: URL

        /// A PEM file with the private key, or the PKCS#12 file.
        package var privateKey: URL

        /// The password of the private key, or of the PKCS#12 file; nil if it is not encrypted.
        package var password: String?

        /// True if both files are the same PKCS#12 file.
        package let isPKCS12: Bool

        /// Creates a certificate from two PEM files.
        public init(chain: URL, privateKey: URL, password: String? = nil) {
            self.chain = chain
            self.privateKey = privateKey
            self.password = password
            isPKCS12 = false
        }

        /// Creates a certificate from a PKCS#12 file, whose name often ends in ".p12" or ".pfx".
        ///
        /// ```
        /// openssl pkcs12 -export -in client.pem -inkey client-key.pem -out client.p12
        /// ```
        ///
        /// - Parameters:
        ///   - file: The file. It holds the certificate, its private key, and any intermediate certificates up to the
        ///     authority that the server trusts.
        ///   - password: The password of the file.
        public init(pkcs12 file: URL, password: String) {
            chain = file
            privateKey = file
            self.password = password
            isPKCS12 = true
        }
    }
}

extension TLSSettings.ClientCertificate: DescriptionOnly {
    /// The paths of the files, without the password.
    public var description: String {
        isPKCS12 ? chain.path : "\(chain.path), key \(privateKey.path)"
    }
}

/// The SHA-256 of the public key that a trusted server's certificate must have.
///
/// The hash is computed from the certificate's SubjectPublicKeyInfo in DER (RFC 7469):
///
/// ```
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \
///     | openssl dgst -sha256 -binary | base64
/// ```
public struct PinnedKey: Hashable, Sendable {
    /// The 32 bytes of the hash, in base64.
    package let sha256: String

    /// Creates a pin; nil unless the text is 32 bytes in base64.
    public init?(sha256: String) {
        guard Data(base64Encoded: sha256)?.count == 32 else { return nil }
        self.sha256 = sha256
    }
}

extension PinnedKey {
    /// Returns whether a key is the pinned one.
    ///
    /// - Parameter key: The certificate's SubjectPublicKeyInfo in DER.
    package func matches(_ key: [UInt8]) -> Bool {
        Data(base64Encoded: sha256).map { Array($0) } == SHA256.hash(key)
    }
}

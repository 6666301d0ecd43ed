/// The settings of TLS: plain values, with the same meaning for each transport that supports them.
///
/// ```swift
/// var settings = ConnectionSettings()
/// settings.tls.authorities = .systemAnd(companyRoots)
/// settings.tls.minimumVersion = .tls13
/// let transport = try CurlTransport(connecting: settings)
/// ```
public struct TLSSettings {
    /// The authorities whose certificates are trusted.
    public enum Authorities {
        /// The authorities of the system.
        case system
        /// Those of the system, and those of a file of certificates in PEM.
        case systemAnd(URL)
        /// Those of a file of certificates in PEM, and no others.
        case only(URL)
    }

    /// The verification of a server's certificate.
    public enum Verification {
        /// A trusted authority has issued it, and it is the host's certificate.
        case full
        /// A trusted authority has issued it.
        case authorityOnly
        /// No verification: an attacker on the network can read and change everything.
        case none
    }

    /// A version of TLS.
    public enum Version {
        /// TLS 1.2.
        case tls12
        /// TLS 1.3.
        case tls13
    }

    /// The authorities whose certificates are trusted.
    public var authorities = Authorities.system

    /// The verification of a server's certificate.
    public var verification = Verification.full

    /// The oldest version that is used.
    public var minimumVersion = Version.tls12

    /// The client certificate for a server that requires one; nil for none.
    public var clientCertificate: ClientCertificate?

    /// The allowed keys of a server's certificate; empty allows any key.
    public var pinnedKeys: [PinnedKey] = []

    /// Makes the default: full verification by the system's authorities, TLS 1.2 or later, no client
    /// certificate, no pinned key.
    public init() {}
}

extension TLSSettings {
    /// A client certificate with its private key.
    ///
    /// ``init(pkcs12:password:)`` is the form that every transport with client certificates takes:
    /// `SessionTransport` takes no PEM, since Apple's systems read no private key in PEM.
    public struct ClientCertificate {
        /// A file of certificates in PEM, the client's own first; or the PKCS#12 file.
        public var chain: URL

        /// A file with the private key in PEM; or the PKCS#12 file.
        public var privateKey: URL

        /// The password of the private key, or of the PKCS#12 file; nil if it is not encrypted.
        public var password: String?

        /// Whether the files are one PKCS#12 file.
        package let isPKCS12: Bool

        /// Makes a certificate from two files in PEM.
        public init(chain: URL, privateKey: URL, password: String? = nil) {
            self.chain = chain
            self.privateKey = privateKey
            self.password = password
            isPKCS12 = false
        }

        /// Makes a certificate from a PKCS#12 file, whose name often ends in ".p12" or ".pfx".
        ///
        /// ```
        /// openssl pkcs12 -export -in client.pem -inkey client-key.pem -out client.p12
        /// ```
        ///
        /// - Parameters:
        ///   - file: The file, with the certificate, its private key, and any certificates of authorities
        ///     between it and the one that the server trusts.
        ///   - password: The password of the file.
        public init(pkcs12 file: URL, password: String) {
            chain = file
            privateKey = file
            self.password = password
            isPKCS12 = true
        }
    }
}

extension TLSSettings.ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The files; never the password.
    public var description: String {
        isPKCS12 ? chain.path : "\(chain.path), key \(privateKey.path)"
    }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}

extension TLSSettings.ClientCertificate: Hashable, Sendable {}

extension TLSSettings.Authorities: Hashable, Sendable {}

extension TLSSettings.Verification: Hashable, Sendable {}

extension TLSSettings.Version: Hashable, Sendable {}

extension TLSSettings: Hashable, Sendable {}

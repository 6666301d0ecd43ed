/// How secure connections are made: plain values, the same for each transport that can keep them.
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
        /// Those of the system.
        case system
        /// Those of the system, and those of a file of certificates in PEM.
        case systemAnd(URL)
        /// Those of a file of certificates in PEM, and no others.
        case only(URL)
    }

    /// What is checked of a server's certificate.
    public enum Verification {
        /// That a trusted authority vouches for it, and that it is the host's.
        case full
        /// That a trusted authority vouches for it.
        case authorityOnly
        /// Nothing: whoever stands between can read and change everything.
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

    /// What is checked of a server's certificate.
    public var verification = Verification.full

    /// The oldest version that is spoken.
    public var minimumVersion = Version.tls12

    /// The client certificate for a server that asks for one; nil for none.
    public var clientCertificate: ClientCertificate?

    /// The keys of which a server's certificate must have one; empty for any.
    public var pinnedKeys: [PinnedKey] = []

    /// Makes the default: full verification by the system's authorities, TLS 1.2 or later, no certificate
    /// of our own, no pinned key.
    public init() {}
}

extension TLSSettings {
    /// A certificate of our own, with its private key.
    public struct ClientCertificate {
        /// A file of certificates in PEM, our own first.
        public var chain: URL

        /// A file with the private key in PEM.
        public var privateKey: URL

        /// The password of the private key; nil where it is not encrypted.
        public var password: String?

        /// Makes a certificate of two files.
        public init(chain: URL, privateKey: URL, password: String? = nil) {
            self.chain = chain
            self.privateKey = privateKey
            self.password = password
        }
    }
}

extension TLSSettings.ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// The files; never the password.
    public var description: String { "\(chain.path), key \(privateKey.path)" }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}

extension TLSSettings.ClientCertificate: Hashable, Sendable {}

extension TLSSettings.Authorities: Hashable, Sendable {}

extension TLSSettings.Verification: Hashable, Sendable {}

extension TLSSettings.Version: Hashable, Sendable {}

extension TLSSettings: Hashable, Sendable {}

#if AsyncHTTPClient
public import PledgeHTTPNetworking
import NIOSSL

extension AHCTransport {
    /// The settings of TLS.
    ///
    /// ```swift
    /// var configuration = AHCTransport.Configuration()
    /// try configuration.tls.trust(certificates: companyRoots)
    /// ```
    public struct TLS {
        /// How a server's certificate is verified, as for every transport.
        public typealias Verification = TLSSettings.Verification

        /// A version of TLS, as for every transport.
        public typealias Version = TLSSettings.Version

        /// How a server's certificate is verified.
        public var verification: Verification {
            get {
                switch configuration.certificateVerification {
                case .none: .none
                case .noHostnameVerification: .authorityOnly
                default: .full
                }
            }
            set {
                switch newValue {
                case .none: configuration.certificateVerification = .none
                case .authorityOnly: configuration.certificateVerification = .noHostnameVerification
                case .full: configuration.certificateVerification = .fullVerification
                }
            }
        }

        /// The oldest version of TLS that is accepted.
        public var minimumVersion: Version {
            get { configuration.minimumTLSVersion == .tlsv13 ? .tls13 : .tls12 }
            set { configuration.minimumTLSVersion = newValue == .tls13 ? .tlsv13 : .tlsv12 }
        }

        var configuration: TLSConfiguration { didSet { isUnchanged = false } }

        /// Whether nothing was set: two equal values of SwiftNIO's type cannot be told from different ones.
        private(set) var isUnchanged = true

        /// Makes the default: full verification by the system's authorities, TLS 1.2 or later, no
        /// certificate of our own.
        public init() {
            configuration = .makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
        }
    }
}

extension AHCTransport.TLS {
    /// Trusts authorities in addition to those of the system.
    ///
    /// - Parameter file: A file of certificates in PEM; read now.
    /// - Throws: ``Unreadable`` if the file holds none.
    public mutating func trust(certificatesIn file: URL) throws(Unreadable) {
        let certificates = try Unreadable.naming(file) {
            try NIOSSLCertificate.fromPEMFile(file.path)
        }
        configuration.additionalTrustRoots.append(.certificates(certificates))
    }

    /// Trusts only the authorities of a file.
    ///
    /// - Parameter file: A file of certificates in PEM; read now.
    /// - Throws: ``Unreadable`` if the file holds none.
    public mutating func trustOnly(certificatesIn file: URL) throws(Unreadable) {
        let certificates = try Unreadable.naming(file) {
            try NIOSSLCertificate.fromPEMFile(file.path)
        }
        configuration.trustRoots = .certificates(certificates)
        configuration.additionalTrustRoots = []
    }

    /// Sets the client certificate, which is sent to a server that asks for one.
    ///
    /// - Parameters:
    ///   - chain: A file of certificates in PEM, the client's own first; read now.
    ///   - key: A file with the private key of the client's certificate in PEM, not encrypted; read now.
    /// - Throws: ``Unreadable`` if one of the files does not hold what it should.
    public mutating func identify(
        byCertificatesIn chain: URL, privateKeyIn key: URL
    ) throws(Unreadable) {
        let privateKey = try Unreadable.naming(key) {
            try NIOSSLPrivateKey(file: key.path, format: .pem)
        }
        try identify(byCertificatesIn: chain, by: privateKey)
    }

    mutating func identify(
        byCertificatesIn chain: URL, by privateKey: NIOSSLPrivateKey
    ) throws(Unreadable) {
        let certificates = try Unreadable.naming(chain) {
            try NIOSSLCertificate.fromPEMFile(chain.path)
        }
        configuration.certificateChain = certificates.map { .certificate($0) }
        configuration.privateKey = .privateKey(privateKey)
    }
}

extension AHCTransport.TLS: Sendable {}
#endif

#if AsyncHTTPClient
import NIOSSL
public import PledgeHTTPNetworking

extension AHCTransport {
    /// The TLS settings of a transport.
    ///
    /// ```swift
    /// var configuration = AHCTransport.Configuration()
    /// try configuration.tls.trust(certificatesIn: companyRoots)
    /// ```
    public struct TLS: Sendable {
        /// The verification of a server's certificate, the same type as for every transport.
        public typealias Verification = TLSSettings.Verification

        /// A version of TLS, the same type as for every transport.
        public typealias Version = TLSSettings.Version

        /// The verification of a server's certificate.
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

        /// The oldest accepted version of TLS.
        public var minimumVersion: Version {
            get { configuration.minimumTLSVersion == .tlsv13 ? .tls13 : .tls12 }
            set { configuration.minimumTLSVersion = newValue == .tls13 ? .tlsv13 : .tlsv12 }
        }

        var configuration: TLSConfiguration { didSet { isUnchanged = false } }

        /// True until a setting is changed.
        ///
        /// This is stored, because a value of SwiftNIO's type cannot be compared with the default.
        private(set) var isUnchanged = true

        /// Creates the default settings.
        ///
        /// The default settings require TLS 1.2 or later, and full verification by the system's authorities. They have
        /// no client certificate.
        public init() {
            configuration = .makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
        }
    }
}

extension AHCTransport.TLS {
    /// Trusts the authorities in a file, in addition to the system's.
    ///
    /// - Parameter file: A file of certificates in PEM. It is read now.
    /// - Throws: ``Unreadable`` if the file has no certificates.
    public mutating func trust(certificatesIn file: URL) throws(Unreadable) {
        let certificates = try Unreadable.naming(file) {
            try NIOSSLCertificate.fromPEMFile(file.path)
        }
        configuration.additionalTrustRoots.append(.certificates(certificates))
    }

    /// Trusts only the authorities in a file.
    ///
    /// - Parameter file: A file of certificates in PEM. It is read now.
    /// - Throws: ``Unreadable`` if the file has no certificates.
    public mutating func trustOnly(certificatesIn file: URL) throws(Unreadable) {
        let certificates = try Unreadable.naming(file) {
            try NIOSSLCertificate.fromPEMFile(file.path)
        }
        configuration.trustRoots = .certificates(certificates)
        configuration.additionalTrustRoots = []
    }

    /// Sets the client certificate, which a server gets if it asks for one.
    ///
    /// - Parameters:
    ///   - chain: A file of certificates in PEM, beginning with the client's own. It is read now.
    ///   - key: A file with the private key of the client's certificate, in PEM and not encrypted. It is read now.
    /// - Throws: ``Unreadable`` if a file doesn't contain what it should.
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

extension AHCTransport.Configuration {
    /// Returns the configuration, with the TLS settings and the HTTP versions of `settings`.
    ///
    /// - Throws: `UnsupportedSetting` if AsyncHTTPClient cannot apply a setting, or if both the configuration and
    ///   `settings` set TLS.
    func keeping(_ settings: ConnectionSettings) throws(UnsupportedSetting) -> Self {
        var configuration = self
        try settings.checkNetworks(of: "AsyncHTTPClient")
        if settings.maxConnectionAge != nil {
            throw UnsupportedSetting(
                "maxConnectionAge", "AsyncHTTPClient has no setting for it: use CurlTransport")
        }
        switch settings.versions {
        case .automatic: break
        case .http1: configuration.httpVersion = .http1Only
        case .http2:
            throw UnsupportedSetting(
                "versions",
                "AsyncHTTPClient speaks HTTP/2 where TLS has agreed on it only: use .automatic, or"
                    + " CurlTransport")
        case .http3:
            throw UnsupportedSetting(
                "versions",
                "AsyncHTTPClient speaks no HTTP/3: CurlTransport does where libcurl has it")
        }
        if settings.tls == TLSSettings() { return configuration }
        guard tls.isUnchanged else {
            throw UnsupportedSetting(
                "tls", "the configuration's own `tls` is set as well: leave one of them as it is")
        }
        configuration.tls = try AHCTransport.TLS(settings.tls)
        return configuration
    }
}

extension AHCTransport.TLS {
    /// Creates the same settings in AsyncHTTPClient's terms, and reads their files now.
    fileprivate init(_ settings: TLSSettings) throws(UnsupportedSetting) {
        self.init()
        verification = settings.verification
        minimumVersion = settings.minimumVersion
        do throws(Unreadable) {
            switch settings.authorities {
            case .system: break
            case .systemAnd(let file): try trust(certificatesIn: file)
            case .only(let file): try trustOnly(certificatesIn: file)
            }
        } catch {
            throw UnsupportedSetting("tls.authorities", error.words())
        }
        do throws(Unreadable) {
            if let certificate = settings.clientCertificate { try identify(by: certificate) }
        } catch {
            let isPKCS12 = settings.clientCertificate?.isPKCS12 == true
            throw UnsupportedSetting(
                "tls.clientCertificate", isPKCS12 ? error.words(of: "PKCS#12") : error.words())
        }
    }

    private mutating func identify(
        by certificate: TLSSettings.ClientCertificate
    ) throws(Unreadable) {
        let file = certificate.privateKey
        if certificate.isPKCS12 {
            let password = certificate.password ?? ""
            let bundle = try Unreadable.naming(file) {
                try NIOSSLPKCS12Bundle(file: file.path, passphrase: Array(password.utf8))
            }
            configuration.certificateChain = bundle.certificateChain.map { .certificate($0) }
            configuration.privateKey = .privateKey(bundle.privateKey)
            return
        }
        guard let password = certificate.password else {
            return try identify(byCertificatesIn: certificate.chain, privateKeyIn: file)
        }
        try identify(
            byCertificatesIn: certificate.chain,
            by: Unreadable.naming(file) {
                try NIOSSLPrivateKey(file: file.path, format: .pem) { $0(password.utf8) }
            })
    }
}

extension AHCTransport.TLS.Unreadable {
    /// Returns words that name only the file, without the library's message about a key or its password.
    fileprivate func words(of form: String = "certificates or a key in PEM") -> String {
        "the file \(file.path) cannot be read as \(form)"
    }
}

extension AHCTransport.TLS {
    /// A file that doesn't contain the PEM certificates or key that it should.
    public struct Unreadable: Error {
        /// The file.
        public let file: URL

        /// The error of the code that read the file.
        public let cause: any Error

        /// Calls a function; if the function fails, throws an error that names the file.
        static func naming<Output>(
            _ file: URL, _ read: () throws -> Output
        ) throws(Unreadable) -> Output {
            do {
                return try read()
            } catch {
                throw Unreadable(file: file, cause: error)
            }
        }
    }
}

extension AHCTransport.TLS.Unreadable: CustomStringConvertible {
    /// The file, and what it should contain.
    public var description: String {
        "\(file.path) cannot be read as certificates or a key in PEM: \(cause)"
    }
}

extension AHCTransport.TLS.Unreadable: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}
#endif

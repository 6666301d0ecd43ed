#if AsyncHTTPClient
import PledgeHTTPNetworking
import NIOSSL

extension AHCTransport.Configuration {
    /// The same configuration with the TLS and the versions of the settings.
    ///
    /// - Throws: `UnsupportedSetting` if AsyncHTTPClient cannot apply one, or if both set TLS.
    func keeping(_ settings: ConnectionSettings) throws(UnsupportedSetting) -> Self {
        var configuration = self
        try settings.checkNetworks(of: "AsyncHTTPClient")
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
    /// The same settings in AsyncHTTPClient's terms; files are read now.
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
    /// Names the file only: the library's message about a key or its password is left out.
    fileprivate func words(of form: String = "certificates or a key in PEM") -> String {
        "the file \(file.path) cannot be read as \(form)"
    }
}
#endif

#if AsyncHTTPClient
import NIOSSL
import PledgeHTTPTransportKit

extension AHCTransport.Configuration {
    /// Applies the settings' TLS and HTTP versions, and reads their files.
    ///
    /// - Throws: `UnsupportedSetting` if AsyncHTTPClient can't apply a setting, or if a file can't be read.
    func applying(_ settings: ConnectionSettings) throws(UnsupportedSetting) -> Self {
        var configuration = self
        try settings.checkNetworks(of: "AsyncHTTPClient")
        if settings.maxConnectionAge != nil {
            throw UnsupportedSetting(
                "maxConnectionAge", "AsyncHTTPClient has no setting for it: use CurlTransport")
        }
        switch settings.versions {
        case .automatic: break
        case .http1: configuration.allowsHTTP2 = false
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
        configuration.tls = try TLSConfiguration(settings.tls)
        return configuration
    }
}

extension TLSConfiguration {
    /// Trusts the system's authorities, and shows no certificate.
    init(verification: TLSSettings.Verification, minimumVersion: TLSSettings.Version) {
        self = .makeClientConfiguration()
        minimumTLSVersion = minimumVersion == .tls13 ? .tlsv13 : .tlsv12
        certificateVerification =
            switch verification {
            case .none: .none
            case .authorityOnly: .noHostnameVerification
            case .full: .fullVerification
            }
    }

    /// Converts the settings, and reads their files.
    fileprivate init(_ settings: TLSSettings) throws(UnsupportedSetting) {
        self.init(verification: settings.verification, minimumVersion: settings.minimumVersion)
        switch settings.authorities {
        case .system: break
        case .systemAnd(let file):
            additionalTrustRoots = [
                .certificates(try certificates(in: file, for: "tls.authorities"))
            ]
        case .only(let file):
            trustRoots = .certificates(try certificates(in: file, for: "tls.authorities"))
        }
        guard let certificate = settings.clientCertificate else { return }
        let (setting, file) = ("tls.clientCertificate", certificate.privateKey)
        let password = certificate.password ?? ""
        if certificate.isPKCS12 {
            let bundle = try read(file, as: "PKCS#12", for: setting) {
                try NIOSSLPKCS12Bundle(file: file.path, passphrase: Array(password.utf8))
            }
            certificateChain = bundle.certificateChain.map { .certificate($0) }
            privateKey = .privateKey(bundle.privateKey)
            return
        }
        let key = try read(file, for: setting) {
            certificate.password == nil
                ? try NIOSSLPrivateKey(file: file.path, format: .pem)
                : try NIOSSLPrivateKey(file: file.path, format: .pem) { $0(password.utf8) }
        }
        certificateChain = try certificates(in: certificate.chain, for: setting)
            .map { .certificate($0) }
        privateKey = .privateKey(key)
    }
}

private func certificates(
    in file: URL, for setting: String
) throws(UnsupportedSetting) -> [NIOSSLCertificate] {
    try read(file, for: setting) { try NIOSSLCertificate.fromPEMFile(file.path) }
}

/// Reads a file; an error names only the file, and not what the library says about a key or its password.
private func read<Output>(
    _ file: URL, as form: String = "certificates or a key in PEM", for setting: String,
    _ read: () throws -> Output
) throws(UnsupportedSetting) -> Output {
    do { return try read() } catch {
        throw UnsupportedSetting(setting, "the file \(file.path) cannot be read as \(form)")
    }
}
#endif

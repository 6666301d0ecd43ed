import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking

extension ConnectionSettings {
    /// Checks that libcurl can apply the settings.
    func check(against library: CurlLibrary) throws(UnsupportedSetting) {
        try checkNetworks(of: "libcurl")
        if versions == .http3, !library.has(ccurl_feature_http3) {
            throw UnsupportedSetting(
                "versions", "libcurl \(library.version) here speaks no HTTP/3: use .automatic")
        }
        if versions == .http2, !library.has(ccurl_feature_http2) {
            throw UnsupportedSetting(
                "versions", "libcurl \(library.version) here speaks no HTTP/2: use .automatic")
        }
        if unixSocketPath != nil, !library.has(ccurl_feature_unix_sockets) {
            throw UnsupportedSetting(
                "unixSocketPath", "libcurl \(library.version) here knows no Unix domain sockets")
        }
        if let path = unixSocketPath, path.isEmpty || path.utf8.count > 103 {
            throw UnsupportedSetting("unixSocketPath", "a path has 1 to 103 bytes")
        }
        if let certificate = tls.clientCertificate {
            _ = try read(certificate.chain, "tls.clientCertificate")
            _ = try read(certificate.privateKey, "tls.clientCertificate")
        }
        for (host, addresses) in addresses
        where addresses.isEmpty || !addresses.allSatisfy({ ccurl_is_address($0) }) {
            throw UnsupportedSetting(
                "addresses", "\(host) needs addresses such as 10.0.0.7 or fd00::7")
        }
        try proxy.check(against: library)
    }
}

extension ProxySettings {
    fileprivate func check(against library: CurlLibrary) throws(UnsupportedSetting) {
        guard case .server(let server) = kind else { return }
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let scheme = URL(string: server.url)?.scheme?.lowercased() ?? ""
        guard schemes.contains(scheme) else {
            throw UnsupportedSetting("proxy", "its URL begins with http, https, socks5 or socks5h")
        }
        if scheme == "https", !library.has(ccurl_feature_https_proxy) {
            throw UnsupportedSetting(
                "proxy", "libcurl \(library.version) here speaks no TLS to a proxy: use http")
        }
    }
}

extension TLSSettings {
    /// The authorities' certificates in PEM; nil if only those of the system are trusted.
    func readAuthorities() throws(UnsupportedSetting) -> Data? {
        switch authorities {
        case .system: return nil
        case .only(let file): return try read(file, "tls.authorities")
        case .systemAnd(let file):
            let own = try read(file, "tls.authorities")
            guard let path = ccurl_default_ca_file() else {
                throw UnsupportedSetting(
                    "tls.authorities", "libcurl here names no file of the system's: use .only")
            }
            let system = try read(URL(fileURLWithPath: String(cString: path)), "tls.authorities")
            return system + Data("\n".utf8) + own
        }
    }
}

/// The bytes of a file that a setting names.
private func read(_ file: URL, _ setting: String) throws(UnsupportedSetting) -> Data {
    do {
        return try Data(contentsOf: file)
    } catch {
        throw UnsupportedSetting(setting, "the file \(file.path) cannot be read")
    }
}

import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension ConnectionSettings {
    /// Checks that URLSession can apply the settings.
    ///
    /// - Parameter environment: The environment variables.
    func checkForURLSession(in environment: [String: String]) throws(UnsupportedSetting) {
        try tls.checkForURLSession()
        try proxy.checkForURLSession(in: environment)
        let other = "CurlTransport or AHCTransport"
        if versions != .automatic {
            throw UnsupportedSetting(
                "versions",
                "URLSession chooses the version of HTTP itself: use .automatic, or"
                    + (versions == .http1 ? " \(other)" : " CurlTransport"))
        }
        if unixSocketPath != nil {
            throw UnsupportedSetting(
                "unixSocketPath", "URLSession knows no Unix domain sockets: use \(other)")
        }
        if !addresses.isEmpty {
            throw UnsupportedSetting(
                "addresses", "URLSession looks every name up: use \(other)")
        }
    }
}

extension TLSSettings {
    fileprivate func checkForURLSession() throws(UnsupportedSetting) {
        let other = "use CurlTransport or AHCTransport"
        if authorities != .system {
            throw UnsupportedSetting(
                "tls.authorities", "URLSession trusts those of the system: \(other)")
        }
        if verification != .full {
            throw UnsupportedSetting(
                "tls.verification", "URLSession checks a certificate fully: \(other)")
        }
        if clientCertificate != nil {
            throw UnsupportedSetting(
                "tls.clientCertificate", "SessionTransport shows no certificate: \(other)")
        }
        if !pinnedKeys.isEmpty {
            throw UnsupportedSetting(
                "tls.pinnedKeys", "SessionTransport compares no keys: \(other)")
        }
        #if canImport(FoundationNetworking)
        if minimumVersion != .tls12 {
            throw UnsupportedSetting(
                "tls.minimumVersion", "URLSession on Linux has no setting for it: \(other)")
        }
        #endif
    }
}

#if canImport(FoundationNetworking)
extension ProxySettings {
    /// URLSession on Linux has no proxy settings; its libcurl uses the proxies of the environment.
    fileprivate func checkForURLSession(
        in environment: [String: String]
    ) throws(UnsupportedSetting) {
        switch kind {
        case .environment: break
        case .none:
            if ProxyChoice(.environment, in: environment).isNone { return }
            throw UnsupportedSetting(
                "proxy",
                "URLSession on Linux goes by the proxy that the environment names: use CurlTransport or"
                    + " AHCTransport")
        case .server:
            throw UnsupportedSetting(
                "proxy",
                "URLSession on Linux goes by no proxy but the environment's: use CurlTransport or"
                    + " AHCTransport")
        }
    }
}

extension ConnectionSettings {
    /// Sets nothing: the settings that pass the check are URLSession's defaults.
    func configure(_ session: URLSessionConfiguration) {}
}
#else
extension ProxySettings {
    /// URLSession asks for a proxy's user by other means on Apple platforms, and excepts hosts on macOS only.
    fileprivate func checkForURLSession(
        in environment: [String: String]
    ) throws(UnsupportedSetting) {
        guard case .server(let server) = kind else { return }
        guard ["http", "socks5h"].contains(server.scheme), !server.host.isEmpty else {
            throw UnsupportedSetting(
                "proxy",
                "URLSession takes the URL of a proxy that begins with http or socks5h: CurlTransport"
                    + " takes others too")
        }
        if server.user != nil {
            throw UnsupportedSetting(
                "proxy", "SessionTransport shows a proxy no user: use CurlTransport or AHCTransport"
            )
        }
        #if !os(macOS)
        if !server.bypassed.isEmpty {
            throw UnsupportedSetting(
                "proxy", "URLSession excepts hosts on macOS only: use AHCTransport")
        }
        #endif
    }
}

extension ConnectionSettings {
    /// Sets the settings that URLSession has a property for.
    func configure(_ session: URLSessionConfiguration) {
        if tls.minimumVersion == .tls13 { session.tlsMinimumSupportedProtocolVersion = .TLSv13 }
        switch proxy.kind {
        case .environment: break
        case .none: session.connectionProxyDictionary = [:]
        case .server(let server): session.connectionProxyDictionary = server.dictionary
        }
    }
}

extension ProxySettings.Server {
    /// The settings under the names of CFNetwork's keys, since not every system declares constants for them.
    fileprivate var dictionary: [AnyHashable: Any] {
        var dictionary: [AnyHashable: Any] = ["ExceptionsList": bypassed]
        for kind in scheme == "http" ? ["HTTP", "HTTPS"] : ["SOCKS"] {
            dictionary["\(kind)Enable"] = 1
            dictionary["\(kind)Proxy"] = host
            dictionary["\(kind)Port"] = port
        }
        return dictionary
    }
}
#endif

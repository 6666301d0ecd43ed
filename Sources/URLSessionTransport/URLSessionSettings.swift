import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The systems whose URLSessions support different settings.
enum URLSessionSystem: CaseIterable {
    case linux
    case macOS
    /// iOS, and Apple's other systems except macOS.
    case iOS

    #if canImport(FoundationNetworking)
    static let here = linux
    #elseif os(macOS)
    static let here = macOS
    #else
    static let here = iOS
    #endif

    /// Says what to use instead of URLSession for a setting.
    fileprivate func alternative(_ transports: String = "CurlTransport or AHCTransport") -> String {
        self == .iOS ? "no transport on this system can" : "use \(transports)"
    }
}

extension ConnectionSettings {
    /// Throws if URLSession can't apply the settings.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - system: The system whose URLSession is used.
    func checkForURLSession(
        in environment: [String: String], on system: URLSessionSystem = .here
    ) throws(UnsupportedSetting) {
        try tls.checkForURLSession(on: system)
        try proxy.checkForURLSession(in: environment)
        try checkVersions(on: system)
        if system == .linux { try checkNetworks(of: "URLSession on Linux") }
        if unixSocketPath != nil {
            throw UnsupportedSetting(
                "unixSocketPath",
                "URLSession knows no Unix domain sockets: \(system.alternative())")
        }
        if !addresses.isEmpty {
            throw UnsupportedSetting(
                "addresses", "URLSession looks every name up: \(system.alternative())")
        }
        for (name, limit) in [
            ("addressLifetime", addressLifetime), ("maxConnectionAge", maxConnectionAge),
        ] where limit != nil {
            throw UnsupportedSetting(
                name, "URLSession has no setting for it: \(system.alternative("CurlTransport"))")
        }
    }

    private func checkVersions(on system: URLSessionSystem) throws(UnsupportedSetting) {
        let others = versions == .http1 ? "CurlTransport or AHCTransport" : "CurlTransport"
        let isKept = versions == .automatic || versions == .http3 && system != .linux
        if isKept { return }
        let words = "URLSession chooses the version of HTTP itself: use .automatic"
        throw UnsupportedSetting("versions", system == .iOS ? words : "\(words), or \(others)")
    }
}

extension TLSSettings {
    fileprivate func checkForURLSession(
        on system: URLSessionSystem
    ) throws(UnsupportedSetting) {
        guard system == .linux else { return try checkForSecurity() }
        let other = system.alternative()
        if authorities != .system {
            throw UnsupportedSetting(
                "tls.authorities", "URLSession on Linux trusts those of the system: \(other)")
        }
        if verification != .full {
            throw UnsupportedSetting(
                "tls.verification", "URLSession on Linux checks a certificate fully: \(other)")
        }
        if clientCertificate != nil {
            throw UnsupportedSetting(
                "tls.clientCertificate", "URLSession on Linux shows no certificate: \(other)")
        }
        if !pinnedKeys.isEmpty {
            throw UnsupportedSetting(
                "tls.pinnedKeys", "URLSession on Linux shows no server's key: \(other)")
        }
        if minimumVersion != .tls12 {
            throw UnsupportedSetting(
                "tls.minimumVersion", "URLSession on Linux has no setting for it: \(other)")
        }
    }

    /// Refuses a client certificate that Apple's Security can't read: without a keychain, it reads only PKCS#12.
    private func checkForSecurity() throws(UnsupportedSetting) {
        guard let clientCertificate, !clientCertificate.isPKCS12 else { return }
        throw UnsupportedSetting(
            "tls.clientCertificate",
            "Apple's systems read no private key in PEM: use ClientCertificate(pkcs12:password:) with a"
                + " file of `openssl pkcs12 -export`")
    }
}

#if canImport(FoundationNetworking)
extension ProxySettings {
    /// Refuses proxy settings.
    ///
    /// On Linux, URLSession's libcurl uses the environment's proxies.
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
    /// Nothing to do: the settings that pass the check are URLSession's defaults.
    func configure(_ session: URLSessionConfiguration) {}
}
#else
extension ProxySettings {
    /// Refuses a proxy with a user and, except on macOS, one with excepted hosts.
    ///
    /// Apple's URLSession asks for a proxy's user instead of taking it from the settings.
    fileprivate func checkForURLSession(
        in environment: [String: String]
    ) throws(UnsupportedSetting) {
        guard case .server(let server) = kind else { return }
        guard ["http", "socks5h"].contains(server.scheme), !server.host.isEmpty else {
            throw UnsupportedSetting(
                "proxy",
                "URLSession takes the URL of a proxy that begins with http or socks5h: for another, "
                    + URLSessionSystem.here.alternative("CurlTransport"))
        }
        if server.user != nil {
            throw UnsupportedSetting(
                "proxy",
                "SessionTransport shows a proxy no user: \(URLSessionSystem.here.alternative())")
        }
        #if !os(macOS)
        if !server.bypassed.isEmpty {
            throw UnsupportedSetting(
                "proxy", "URLSession excepts hosts from a proxy on macOS only")
        }
        #endif
    }
}

extension ConnectionSettings {
    /// Applies the settings that URLSession has properties for.
    func configure(_ session: URLSessionConfiguration) {
        session.waitsForConnectivity = waitsForConnectivity
        session.allowsExpensiveNetworkAccess = allowsExpensiveNetworks
        session.allowsConstrainedNetworkAccess = allowsConstrainedNetworks
        if tls.minimumVersion == .tls13 { session.tlsMinimumSupportedProtocolVersion = .TLSv13 }
        switch proxy.kind {
        case .environment: break
        case .none: session.connectionProxyDictionary = [:]
        case .server(let server): session.connectionProxyDictionary = server.dictionary
        }
    }
}

extension ProxySettings.Server {
    /// The proxy under CFNetwork's keys, for which some systems declare no constants.
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

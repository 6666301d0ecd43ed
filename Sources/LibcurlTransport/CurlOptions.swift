import CPledgeCurl
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// The options of each handle, and the limits that the transport itself enforces.
final class CurlOptions: Sendable {
    let maxHeadSize: Int
    let maxUnreadBytes: Int
    let connectTimeout: Duration
    let keepAlive: Duration
    let mayReuseHandles: Bool
    private let mayKeepPlainHTTP2: Bool
    private let keepsEarlyAnswers: Bool
    private let tellsRefusals: Bool
    let waitsForFirstAnswer: Bool
    private let libraryName: String
    private let hasTLS: Bool
    let scheduler: any FutureScheduler
    private let configuration: CurlTransport.Configuration
    private let connecting: ConnectionSettings
    /// Fixed addresses by host, in lower case.
    private let addresses: [String: [String]]
    /// Trusted certificates in PEM; nil if only the system's are trusted.
    private let authorities: Data?

    /// Checks the settings, and reads the files that they name.
    ///
    /// - Throws: `UnsupportedSetting` if libcurl can't apply a setting, or if a file can't be read.
    init(
        _ configuration: CurlTransport.Configuration, _ connecting: ConnectionSettings,
        _ library: CurlLibrary, on scheduler: any FutureScheduler
    ) throws(UnsupportedSetting) {
        self.configuration = configuration
        self.connecting = connecting
        maxHeadSize = configuration.maxHeadSize
        maxUnreadBytes = configuration.maxUnreadBytes
        connectTimeout = configuration.connectTimeout
        keepAlive = configuration.keepAlive
        mayReuseHandles = library.mayReuseHandles
        mayKeepPlainHTTP2 = library.mayKeepPlainHTTP2
        keepsEarlyAnswers = library.keepsEarlyAnswers
        tellsRefusals = library.tellsRefusals
        waitsForFirstAnswer = library.waitsForFirstAnswer
        libraryName = library.name
        hasTLS = library.has(ccurl_feature_tls)
        self.scheduler = scheduler
        addresses = Dictionary(
            connecting.addresses.map { ($0.lowercased(), $1) }, uniquingKeysWith: +)
        try connecting.check(against: library)
        authorities = try connecting.tls.readAuthorities()
        try tryOut()
    }

    /// After how many seconds without a byte keepalive probes begin, and how far apart they are.
    private static let probeSeconds = 15

    /// After how many milliseconds the kernel ends a connection on which nothing is acknowledged; nil for the system's
    /// limit.
    var userTimeout: Int? { configuration.idleTimeout?.wholeMilliseconds }

    /// Sets all options on a spare handle, to learn whether libcurl accepts them.
    private func tryOut() throws(UnsupportedSetting) {
        guard ccurl_look_up() == ccurl_available, let easy = ccurl_easy_make() else { return }
        defer { ccurl_easy_free(easy) }
        try configure(easy)
        try setVersions(easy, keepingToHTTP1: false)
    }

    /// The limits that all exchanges share.
    ///
    /// - Parameter hand: Runs the functions of a body's reader.
    func limits(
        handing hand: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> TransportExchange.Limits {
        TransportExchange.Limits(
            maxBodySize: configuration.maxBodySize, maxUnreadBytes: maxUnreadBytes,
            idle: configuration.idleTimeout.map { IdleWatches($0, on: scheduler) },
            connectionWait: configuration.connectionWaitTimeout.map {
                IdleWatches($0, on: scheduler)
            }, hand: hand)
    }

    /// An entry for libcurl's list of addresses; nil if the host has no fixed addresses.
    func addresses(for request: HTTPRequest) -> String? {
        if addresses.isEmpty { return nil }
        guard let origin = request.origin, let addresses = addresses[origin.host] else {
            return nil
        }
        return "\(origin.host):\(origin.port):\(addresses.joined(separator: ","))"
    }

    /// The host and port to look up for a request; nil if its addresses are fixed.
    func lookedUpName(for request: HTTPRequest) -> String? {
        guard connecting.unixSocketPath == nil, let origin = request.origin else { return nil }
        if let proxy = proxy(for: origin) {
            guard let url = URL(string: proxy.url), let host = url.host, let port = url.port else {
                return nil
            }
            return "\(host):\(port)"
        }
        if addresses[origin.host] != nil || ccurl_is_address(origin.host) { return nil }
        return "\(origin.host):\(origin.port)"
    }

    /// The proxy for an origin.
    ///
    /// The environment is read for each request, as libcurl does for each transfer.
    private func proxy(for origin: HTTPOrigin) -> ProxySettings.Server? {
        let choice = ProxyChoice(connecting.proxy, in: ProcessInfo.processInfo.environment)
        if choice.bypass.covers(origin.host) { return nil }
        return origin.scheme == "https" ? choice.https : choice.http
    }

    var maxConnectionsPerHost: Int {
        min(configuration.maxConnectionsPerHost, configuration.maxConnections ?? .max)
    }

    /// How many silent connections don't count towards the limits of their hosts.
    var maxSilent: Int { configuration.countsSilentConnections ? 0 : TransferLanes.silentLimit() }

    /// True to ask the kernel when a connection's last byte arrived.
    var asksKernel: Bool { configuration.asksKernel }

    /// Sets the connection limits of all transfers.
    ///
    /// - Parameter more: How many connections don't count, because they are silent.
    func limitConnections(of multi: OpaquePointer, more: Int = 0) {
        let perHost = configuration.maxConnectionsPerHost.addingReportingOverflow(more)
        ccurl_multi_set(
            multi, ccurl_max_host_connections, perHost.overflow ? .max : perHost.partialValue)
        ccurl_multi_set(multi, ccurl_max_total_connections, configuration.maxConnections ?? 0)
        ccurl_multi_set(multi, ccurl_max_kept_connections, configuration.maxConnections ?? 256)
    }

    /// Returns whether a request has to use HTTP/1.1, because over HTTP/2, libcurl would break a promise of the
    /// transport.
    ///
    /// - Parameter isStreamed: True if the response is streamed. Over HTTP/2, libcurl receives up to 32 MiB (10 MiB in
    ///   8.x) before the body is read, and has no option to limit that.
    func keepsToHTTP1(_ request: HTTPRequest, isStreamed: Bool) -> Bool {
        guard connecting.versions == .automatic, request.url.scheme?.utf8.count == 5 else {
            return false
        }
        if isStreamed || !keepsEarlyAnswers && !request.body.isEmpty { return true }
        return !tellsRefusals && !request.isReplayable
    }

    /// Returns whether a request may use HTTP/2.
    ///
    /// If so, further calls to the origin wait until the first connection is made, because it may carry all of them.
    /// Over TLS, the handshake decides that. Without TLS, they would wait for the first answer's head, however long
    /// that takes; so then only settings that require HTTP/2 allow it.
    func mayUseHTTP2(_ request: HTTPRequest) -> Bool {
        switch connecting.versions {
        case .http1: false
        case .automatic, .http3: request.url.scheme?.utf8.count == 5
        case .http2: true
        }
    }

    /// Returns whether a request must not reach a private address.
    ///
    /// The check is of the peer's address. If the peer is a proxy, or a Unix domain socket that the app has chosen, its
    /// address says nothing about the server.
    func refusesPrivateAddresses(_ request: HTTPRequest) -> Bool {
        guard request.context.refusesPrivateAddresses, connecting.unixSocketPath == nil,
            let origin = request.origin
        else { return false }
        return proxy(for: origin) == nil
    }

    /// Returns whether a request would fail on a kept connection.
    func needsOwnConnection(_ request: HTTPRequest) -> Bool {
        connecting.versions == .http2 && !mayKeepPlainHTTP2 && request.url.scheme?.utf8.count == 4
    }

    /// Sets the options that all transfers share.
    ///
    /// - Throws: `UnsupportedSetting` if libcurl rejects an option that a setting needs.
    func configure(_ easy: OpaquePointer) throws(UnsupportedSetting) {
        let http = 1
        let https = 2
        // Every libcurl accepts these, except `ccurl_quick_exit`, which isn't needed. So the results are ignored.
        let kept = max(1, configuration.keepAlive.wholeMilliseconds / 1_000)
        let common = [
            (ccurl_no_signal, 1), (ccurl_protocols, http | https), (ccurl_path_as_is, 1),
            (ccurl_buffer_size, 65_536), (ccurl_max_idle_seconds, kept),
            (ccurl_connect_timeout_ms, connectTimeout.wholeMilliseconds), (ccurl_quick_exit, 1),
            (ccurl_tcp_keep_alive, 1), (ccurl_tcp_keep_idle, Self.probeSeconds),
            (ccurl_tcp_keep_interval, Self.probeSeconds),
        ]
        for (option, value) in common { _ = ccurl_set_long(easy, option, value) }
        if let lifetime = connecting.addressLifetime {
            try require(
                ccurl_set_long(easy, ccurl_address_seconds, lifetime.fullSeconds),
                "addressLifetime")
        }
        if let age = connecting.maxConnectionAge {
            // Zero would mean no limit.
            try require(
                ccurl_set_long(easy, ccurl_max_age_seconds, max(1, age.fullSeconds)),
                "maxConnectionAge")
        }
        try configureTLS(easy)
        try configureProxy(easy)
        if let path = connecting.unixSocketPath {
            try require(ccurl_set_text(easy, ccurl_unix_socket_path, path), "unixSocketPath")
        }
    }

    /// Sets the versions of HTTP for the next transfer.
    ///
    /// - Parameter isHTTP1: True for HTTP/1.1 only; false for the settings' versions.
    /// - Throws: `UnsupportedSetting` if libcurl rejects them.
    func setVersions(
        _ easy: OpaquePointer, keepingToHTTP1 isHTTP1: Bool
    ) throws(UnsupportedSetting) {
        let version =
            switch connecting.versions {
            case _ where isHTTP1: 2
            case .automatic: 4
            case .http1: 2
            case .http2: 5
            case .http3: 30
            }
        let code = ccurl_set_long(easy, ccurl_http_version, version)
        // With automatic versions, a libcurl without HTTP/2 may refuse this option, and uses HTTP/1.1.
        if isHTTP1 || connecting.versions != .automatic { try require(code, "versions") }
        // TLS 1.3 is the newest version anyway, but naming it makes the settings differ. libcurl reuses a connection
        // only for equal settings, so a call that may use HTTP/2 gets none that was made for HTTP/1.1.
        let newest = isHTTP1 ? 7 << 16 : 0
        let isStrict = connecting.tls.minimumVersion == .tls13
        let oldest = ccurl_set_long(easy, ccurl_ssl_version, newest | (isStrict ? 7 : 6))
        if hasTLS { try require(oldest, "tls.minimumVersion") }
    }

    private func configureTLS(_ easy: OpaquePointer) throws(UnsupportedSetting) {
        let tls = connecting.tls
        let verifiesPeer = tls.verification == .none ? 0 : 1
        let verifiesHost = tls.verification == .full ? 2 : 0
        try require(ccurl_set_long(easy, ccurl_verify_peer, verifiesPeer), "tls.verification")
        try require(ccurl_set_long(easy, ccurl_verify_host, verifiesHost), "tls.verification")
        // A libcurl that doesn't know this option has no folder of authorities, so the result is ignored.
        if case .only = tls.authorities { _ = ccurl_set_text(easy, ccurl_ca_folder, nil) }
        if let authorities {
            let code = authorities.withUnsafeBytes { bytes in
                // An empty file has no authority.
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return Int32(ccurl_bad_argument.rawValue)
                }
                return ccurl_set_authorities(easy, start, bytes.count)
            }
            try require(code, "tls.authorities")
        }
        if let certificate = tls.clientCertificate {
            var texts: [(ccurl_text_option, String?)] = [
                (ccurl_certificate_file, certificate.chain.path),
                (ccurl_key_password, certificate.password),
            ]
            texts.append(
                certificate.isPKCS12
                    ? (ccurl_certificate_type, "P12")
                    : (ccurl_key_file, certificate.privateKey.path))
            for (option, text) in texts {
                try require(ccurl_set_text(easy, option, text), "tls.clientCertificate")
            }
        }
        if !tls.pinnedKeys.isEmpty {
            let pins = tls.pinnedKeys.map { "sha256//\($0.sha256)" }.joined(separator: ";")
            try require(ccurl_set_text(easy, ccurl_pinned_public_key, pins), "tls.pinnedKeys")
        }
    }

    private func configureProxy(_ easy: OpaquePointer) throws(UnsupportedSetting) {
        // Without these, a proxy would get the headers for the server, and its answer's head would be taken for the
        // server's. A libcurl that was built without proxies may refuse them.
        let separates = ccurl_set_long(easy, ccurl_header_separation, 1)
        let suppresses = ccurl_set_long(easy, ccurl_suppress_connect_headers, 1)
        switch connecting.proxy.kind {
        case .environment: break
        case .none: _ = ccurl_set_text(easy, ccurl_proxy, "")
        case .server(let server):
            for code in [separates, suppresses] { try require(code, "proxy") }
            let texts: [(ccurl_text_option, String?)] = [
                (ccurl_proxy, server.url), (ccurl_no_proxy, server.bypassed.joined(separator: ",")),
                (ccurl_proxy_user, server.user), (ccurl_proxy_password, server.password),
            ]
            for (option, text) in texts {
                try require(ccurl_set_text(easy, option, text), "proxy")
            }
        }
    }

    private func require(_ code: Int32, _ setting: String) throws(UnsupportedSetting) {
        if code == ccurl_ok.rawValue { return }
        throw UnsupportedSetting(
            setting, "\(libraryName) here does not take it: use another libcurl, or AHCTransport")
    }
}

extension Duration {
    /// Rounded down.
    fileprivate var fullSeconds: Int { Int(min(components.seconds, Int64(Int32.max))) }

    /// Rounded up, and at least one.
    var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflow { return seconds > 0 ? Int(Int32.max) : 1 }
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int(min(max(1, whole + rest), Int64(Int32.max)))
    }
}

extension ConnectionSettings {
    /// Throws if libcurl can't apply the settings.
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
        for (name, time) in [
            ("addressLifetime", addressLifetime), ("maxConnectionAge", maxConnectionAge),
        ] where time ?? .zero < .zero {
            throw UnsupportedSetting(name, "a time is zero or more")
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
    /// The authorities' certificates in PEM; nil if only the system's are trusted.
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

private func read(_ file: URL, _ setting: String) throws(UnsupportedSetting) -> Data {
    do {
        return try Data(contentsOf: file)
    } catch {
        throw UnsupportedSetting(setting, "the file \(file.path) cannot be read")
    }
}

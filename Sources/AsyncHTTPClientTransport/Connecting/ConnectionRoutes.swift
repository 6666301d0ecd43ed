#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking
import NIOCore

/// Where connections go, of what `ConnectionSettings` say: what AsyncHTTPClient can keep.
struct ConnectionRoutes: Sendable {
    /// The proxy to which http requests are sent as they are.
    let forwarding: ForwardingProxy?
    /// The proxy that opens tunnels for http requests.
    let http: HTTPClient.Configuration.Proxy?
    /// The proxy of https requests.
    let https: HTTPClient.Configuration.Proxy?
    /// The hosts to which requests go without it.
    let bypass: ProxyBypass
    /// The path of a Unix domain socket by which every request goes.
    let unixSocketPath: String?
    /// The address of each host that is not looked up.
    let addresses: [String: String]
    let pinnedKeys: [PinnedKey]
    /// Why no call can be made; nil where calls can.
    let refusal: UnsupportedSetting?

    /// - Throws: `UnsupportedSetting` where AsyncHTTPClient cannot keep one.
    init(
        _ settings: ConnectionSettings, in environment: [String: String]
    ) throws(UnsupportedSetting) {
        unixSocketPath = try settings.checkedSocketPath()
        addresses = try settings.singleAddresses()
        pinnedKeys = settings.tls.pinnedKeys
        // Nothing is between us and a socket of this machine.
        let choice = ProxyChoice(
            settings.unixSocketPath == nil ? settings.proxy : .none, in: environment)
        let http = try choice.http.map(HTTPClient.Configuration.Proxy.init(_:))
        forwarding = choice.http.flatMap { $0.scheme == "http" ? ForwardingProxy($0) : nil }
        self.http = forwarding == nil ? http : nil
        https = try choice.https.map(HTTPClient.Configuration.Proxy.init(_:))
        bypass = choice.bypass
        refusal = nil
    }

    private init(refusal: UnsupportedSetting? = nil) {
        self.refusal = refusal
        forwarding = nil
        http = nil
        https = nil
        bypass = ProxyBypass([])
        unixSocketPath = nil
        addresses = [:]
        pinnedKeys = []
    }

    /// Each request to the host of its URL, by no proxy.
    static let straight = ConnectionRoutes()

    /// No way at all.
    static func none(_ refusal: UnsupportedSetting) -> ConnectionRoutes {
        ConnectionRoutes(refusal: refusal)
    }

    /// Whether there is a proxy.
    var hasProxy: Bool { forwarding != nil || http != nil || https != nil }

    /// Whether a request goes without the proxy that there is.
    func bypasses(_ request: HTTPRequest) -> Bool {
        request.origin.map { bypass.covers($0.host) } ?? true
    }

    /// What AsyncHTTPClient is to ask for, and by which name of the server, where that is not what it takes
    /// from the URL.
    func lowered(_ url: URL) -> (url: URL, host: String)? {
        guard unixSocketPath != nil || forwarding != nil, let origin = HTTPOrigin(url),
            let target = url.requestTarget
        else { return nil }
        let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
        let host = isDefault ? origin.host : "\(origin.host):\(origin.port)"
        let lowered: URL?
        if let unixSocketPath {
            lowered = URL(
                string: "\(origin.scheme)+unix://\(unixSocketPath.percentEncodedWhole)\(target)")
        } else if origin.scheme == "http", !bypass.covers(origin.host) {
            lowered = forwarding?.lowered(target, of: host)
        } else {
            lowered = nil
        }
        return lowered.map { ($0, host) }
    }
}

extension String {
    /// Each byte as three, so that no byte means anything in a URL.
    fileprivate var percentEncodedWhole: String {
        utf8.map { "%\($0 < 16 ? "0" : "")\(String($0, radix: 16, uppercase: true))" }.joined()
    }
}

extension ConnectionSettings {
    fileprivate func checkedSocketPath() throws(UnsupportedSetting) -> String? {
        guard let path = unixSocketPath else { return nil }
        if path.isEmpty || path.utf8.count > 103 {
            throw UnsupportedSetting("unixSocketPath", "a path has 1 to 103 bytes")
        }
        if case .server = proxy.kind {
            throw UnsupportedSetting(
                "proxy", "requests go by the Unix domain socket: set one of the two")
        }
        return path
    }

    fileprivate func singleAddresses() throws(UnsupportedSetting) -> [String: String] {
        var single: [String: String] = [:]
        for (host, addresses) in addresses.sorted(by: { $0.key < $1.key }) {
            guard addresses.count == 1, let address = addresses.first else {
                throw UnsupportedSetting(
                    "addresses",
                    "AsyncHTTPClient takes one address for a host, not \(addresses.count) for"
                        + " \(SafeText.escaped(host)): CurlTransport takes several")
            }
            guard (try? SocketAddress(ipAddress: address, port: 0)) != nil else {
                throw UnsupportedSetting("addresses", "\(SafeText.escaped(address)) is no address")
            }
            single[host] = address
        }
        return single
    }
}

extension HTTPClient.Configuration.Proxy {
    /// Lowers a proxy; its URL may hold anything.
    fileprivate init(_ server: ProxySettings.Server) throws(UnsupportedSetting) {
        let (scheme, host) = (server.scheme, server.host)
        guard ["http", "socks5h"].contains(scheme), !host.isEmpty else {
            throw UnsupportedSetting(
                "proxy",
                "AsyncHTTPClient takes the URL of a proxy that begins with http or socks5h:"
                    + " CurlTransport takes https, socks4, socks4a and socks5 too")
        }
        if scheme == "http" {
            let authorization = server.user.map { user in
                HTTPClient.Authorization.basic(username: user, password: server.password ?? "")
            }
            self = .server(host: host, port: server.port, authorization: authorization)
        } else if server.user == nil {
            self = .socksServer(host: host, port: server.port)
        } else {
            throw UnsupportedSetting(
                "proxy", "AsyncHTTPClient shows a SOCKS proxy no user: CurlTransport does")
        }
    }
}
#endif

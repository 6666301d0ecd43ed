public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPText

/// The proxy that a transport uses for requests.
public struct ProxySettings: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case environment
        case none
        case server(Server)
    }

    package struct Server: Hashable, Sendable {
        /// The URL without user and password.
        package var url: String
        package var user: String?
        package var password: String?
        package var bypassed: [String]
    }

    package let kind: Kind

    /// The proxy of the environment, as in most tools.
    ///
    /// The variables are `http_proxy`, `https_proxy` and `all_proxy`; hosts in `no_proxy` use no proxy.
    public static let environment = ProxySettings(kind: .environment)

    /// No proxy, whatever the environment says.
    public static let none = ProxySettings(kind: .none)

    /// Returns settings with a given proxy.
    ///
    /// - Parameters:
    ///   - url: The URL of the proxy: `http://host:port`, `https://host:port` or `socks5h://host:port`. Requests to
    ///     https servers go through a tunnel (CONNECT).
    ///   - user: The user, if the proxy requires one; nil for none.
    ///   - password: The user's password.
    ///   - bypassed: The hosts that requests reach without the proxy, such as "localhost" or "example.com". A name
    ///     includes its subdomains.
    public static func server(
        _ url: URL, user: String? = nil, password: String? = nil, bypassing bypassed: [String] = []
    ) -> ProxySettings {
        let own = URLComponents(url: url, resolvingAgainstBaseURL: false)
        var bare = own
        bare?.user = nil
        bare?.password = nil
        return ProxySettings(
            kind: .server(
                Server(
                    url: bare?.string ?? url.absoluteString, user: user ?? own?.user,
                    password: password ?? own?.password, bypassed: bypassed)))
    }
}

extension ProxySettings: DescriptionOnly {
    /// The URL of the proxy, without user and password.
    public var description: String {
        switch kind {
        case .environment: "the proxy of the environment"
        case .none: "no proxy"
        case .server(let server): "the proxy \(SafeText.escaped(server.url))"
        }
    }
}

/// The proxies for requests: one for each scheme, and none for some hosts.
package struct ProxyChoice: Hashable, Sendable {
    package let http: ProxySettings.Server?

    package let https: ProxySettings.Server?

    /// The hosts that requests reach without a proxy.
    package let bypass: ProxyBypass

    /// Creates the choice from settings.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - environment: The variables for ``ProxySettings/environment``. As in curl, `http_proxy` is read only in lower
    ///     case. For `https_proxy`, `all_proxy` and `no_proxy`, the name in upper case is read if the variable in lower
    ///     case is missing. An empty variable counts as missing.
    package init(_ settings: ProxySettings, in environment: [String: String]) {
        switch settings.kind {
        case .none:
            self.init(http: nil, https: nil, bypass: ProxyBypass([]))
        case .server(let server):
            self.init(http: server, https: server, bypass: ProxyBypass(server.bypassed))
        case .environment:
            let first = { (names: [String]) in
                names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
            }
            let proxy = { (names: [String]) in
                first(names + ["all_proxy", "ALL_PROXY"]).map(ProxySettings.Server.init(variable:))
            }
            // HTTP_PROXY is not read, because in a CGI program it comes from the request's header Proxy.
            self.init(
                http: proxy(["http_proxy"]), https: proxy(["https_proxy", "HTTPS_PROXY"]),
                bypass: ProxyBypass(text: first(["no_proxy", "NO_PROXY"]) ?? ""))
        }
    }

    private init(http: ProxySettings.Server?, https: ProxySettings.Server?, bypass: ProxyBypass) {
        self.http = http
        self.https = https
        self.bypass = bypass
    }

    /// True if no request uses a proxy.
    package var isNone: Bool { http == nil && https == nil }
}

extension ProxySettings.Server {
    /// Reads a proxy's URL from the text of an environment variable; without a scheme, the URL is http.
    ///
    /// An invalid URL creates a server without a URL, which every transport refuses.
    fileprivate init(variable text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            case .server(let server) = ProxySettings.server(url).kind
        else {
            self.init(url: "", user: nil, password: nil, bypassed: [])
            return
        }
        self = server
    }

    /// The scheme of the URL in lower case; empty if it has none.
    package var scheme: String { components?.scheme?.lowercased() ?? "" }

    package var host: String { (components?.host ?? "").withoutBrackets }

    /// The port; 1080 if the URL has none, as in curl.
    package var port: Int { components?.port ?? 1_080 }

    private var components: URLComponents? { URLComponents(string: url) }
}

/// The hosts that requests reach without a proxy, by curl's rules (`NO_PROXY`).
package struct ProxyBypass: Hashable, Sendable {
    private let entries: [String]

    /// Creates a bypass from a list of entries.
    ///
    /// An entry is a name (with its subdomains), an address, a block of addresses such as "10.0.0.0/8", or "*" for
    /// every host.
    package init(_ entries: [String]) {
        self.entries = entries.compactMap { entry in
            var entry = entry.lowercased()
            if entry.hasSuffix(".") { entry.removeLast() }
            if entry.hasPrefix(".") { entry.removeFirst() }
            if entry.hasPrefix("["), entry.hasSuffix("]") {
                entry = String(entry.dropFirst().dropLast())
            }
            return entry.isEmpty ? nil : entry
        }
    }

    /// Creates a bypass from the text of a variable, with commas or spaces between the entries.
    package init(text: String) {
        self.init(text.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init))
    }

    package var isEmpty: Bool { entries.isEmpty }

    /// Returns whether requests to a host use no proxy.
    ///
    /// - Parameter host: The host in the form of `HTTPOrigin.host`.
    package func covers(_ host: String) -> Bool {
        if entries.isEmpty { return false }
        if entries == ["*"] { return true }
        var host = host[...]
        if host.hasSuffix(".") { host.removeLast() }
        let address = IPAddress(literal: host)
        return entries.contains { entry in
            address.map { $0.isIn(block: entry[...]) }
                ?? (host == entry || host.hasSuffix(".\(entry)"))
        }
    }
}

extension IPAddress {
    /// Reads an address in a URL: four numbers with dots between them, or an IPv6 address in brackets.
    fileprivate init?(literal text: Substring) {
        if text.hasPrefix("["), text.hasSuffix("]") {
            self.init(v6: text.dropFirst().dropLast())
        } else {
            guard text.split(separator: ".", omittingEmptySubsequences: false).count == 4 else {
                return nil
            }
            self.init(v4: text)
        }
    }

    /// The bytes of the address, in network order.
    private var bytes: [UInt8] {
        switch self {
        case .v4(let bits): bits.bigEndianBytes
        case .v6(let groups): groups.flatMap(\.bigEndianBytes)
        }
    }

    /// Returns whether the address equals an entry, or is in a block such as "10.0.0.0/8".
    fileprivate func isIn(block text: Substring) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first,
            let start = IPAddress(v6: first) ?? IPAddress(literal: first),
            start.bytes.count == bytes.count
        else { return false }
        guard parts.count == 2 else { return self == start }
        guard let length = Int(parts[1]), (1...8 * bytes.count).contains(length) else {
            return false
        }
        return zip(bytes, start.bytes).enumerated().allSatisfy { index, pair in
            let count = min(8, max(0, length - 8 * index))
            return (pair.0 ^ pair.1) >> (8 - count) == 0
        }
    }
}

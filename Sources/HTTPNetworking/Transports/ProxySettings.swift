/// The proxy of requests.
public struct ProxySettings {
    package enum Kind: Hashable, Sendable {
        case environment
        case none
        case server(Server)
    }

    package struct Server: Hashable, Sendable {
        /// Without user and password.
        package var url: String
        package var user: String?
        package var password: String?
        package var bypassed: [String]
    }

    package let kind: Kind

    /// The proxy of the environment's variables, as in most tools: `http_proxy`, `https_proxy`, `all_proxy`,
    /// and none for the hosts of `no_proxy`.
    public static let environment = ProxySettings(kind: .environment)

    /// No proxy, independent of the environment.
    public static let none = ProxySettings(kind: .none)

    /// A given proxy.
    ///
    /// - Parameters:
    ///   - url: Its URL: `http://host:port`, `https://host:port` or `socks5h://host:port`. Requests
    ///     to https servers go through a tunnel (CONNECT).
    ///   - user: The user, if the proxy requires one; nil for none.
    ///   - password: The user's password.
    ///   - bypassed: The hosts whose requests do not use it, such as "localhost" or "example.com", which
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

extension ProxySettings: CustomStringConvertible, CustomReflectable {
    /// The URL of the proxy, without user and password.
    public var description: String {
        switch kind {
        case .environment: "the proxy of the environment"
        case .none: "no proxy"
        case .server(let server): "the proxy \(SafeText.escaped(server.url))"
        }
    }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}

extension ProxySettings: Hashable, Sendable {}

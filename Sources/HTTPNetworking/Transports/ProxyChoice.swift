/// The choice of a request's proxy: one for each scheme, and none for some hosts.
package struct ProxyChoice {
    /// The proxy of http requests.
    package let http: ProxySettings.Server?

    /// The proxy of https requests.
    package let https: ProxySettings.Server?

    /// The hosts whose requests use no proxy.
    package let bypass: ProxyBypass

    /// Makes the choice from settings.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - environment: The variables that ``ProxySettings/environment`` reads, as curl does: `http_proxy`, in
    ///     lower case only; `https_proxy`, `all_proxy` and `no_proxy`, in upper case if there is none in
    ///     lower case. An empty variable counts as none.
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
            // In a CGI program, HTTP_PROXY is a header of the request.
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

    /// Whether no request uses a proxy.
    package var isNone: Bool { http == nil && https == nil }
}

extension ProxySettings.Server {
    /// Reads a variable of the environment, in which the scheme "http" may be left out.
    ///
    /// An invalid URL makes a server without a URL, which every transport refuses.
    fileprivate init(variable text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            case .server(let server) = ProxySettings.server(url).kind
        else {
            self.init(url: "", user: nil, password: nil, bypassed: [])
            return
        }
        self = server
    }

    /// The scheme of its URL in lower case; empty if it has none.
    package var scheme: String { components?.scheme?.lowercased() ?? "" }

    /// The host, without the brackets of an IPv6 address; empty if there is none.
    package var host: String { (components?.host ?? "").withoutBrackets }

    /// The port; 1080 if there is none, as with curl.
    package var port: Int { components?.port ?? 1_080 }

    private var components: URLComponents? { URLComponents(string: url) }
}

extension ProxyChoice: Hashable {}

extension ProxyChoice: Sendable {}

/// The settings of connections, with the same meaning for every transport.
///
/// If a transport does not support one of them, its initializer throws an ``UnsupportedSetting``.
public struct ConnectionSettings {
    /// The versions of HTTP that are used.
    public enum Versions {
        /// HTTP/2 over TLS if the server supports it, HTTP/1.1 otherwise.
        ///
        /// A transport may send a request by HTTP/1.1 to any server, if it would break a promise over HTTP/2.
        case automatic
        /// HTTP/1.1.
        case http1
        /// HTTP/2 for every request, also without TLS, for a server that is known to support it.
        case http2
        /// HTTP/3.
        case http3
    }

    /// How secure connections are made.
    public var tls = TLSSettings()

    /// The proxy of requests.
    public var proxy = ProxySettings.environment

    /// The versions of HTTP that are used.
    public var versions = Versions.automatic

    /// The path of a Unix domain socket for every request, whatever its host; nil for none.
    public var unixSocketPath: String?

    /// The addresses of hosts that are not looked up: "api.example.com" to ["10.0.0.7"].
    public var addresses: [String: [String]] = [:]

    /// Makes the default: the system's authorities, the environment's proxy, HTTP/2 if the server supports it
    /// over TLS.
    public init() {}
}

extension ConnectionSettings.Versions: Hashable, Sendable {}

extension ConnectionSettings: Hashable, Sendable {}

/// How connections are made: the settings that mean the same to every transport.
///
/// A transport that cannot keep one of them fails when it is made, with an ``UnsupportedSetting``.
public struct ConnectionSettings {
    /// Which versions of HTTP are spoken.
    public enum Versions {
        /// HTTP/2 over TLS where the server speaks it, HTTP/1.1 otherwise.
        case automatic
        /// HTTP/1.1.
        case http1
        /// HTTP/2, also without TLS, where the server is known to speak it.
        case http2
        /// HTTP/3.
        case http3
    }

    /// How secure connections are made.
    public var tls = TLSSettings()

    /// By which proxy requests go.
    public var proxy = ProxySettings.environment

    /// Which versions of HTTP are spoken.
    public var versions = Versions.automatic

    /// The path of a Unix domain socket by which every request goes, whatever its host; nil for none.
    public var unixSocketPath: String?

    /// The addresses of hosts that are not looked up: "api.example.com" to ["10.0.0.7"].
    public var addresses: [String: [String]] = [:]

    /// Makes the default: the system's authorities, the environment's proxy, HTTP/2 where the server speaks
    /// it over TLS.
    public init() {}
}

extension ConnectionSettings.Versions: Hashable, Sendable {}

extension ConnectionSettings: Hashable, Sendable {}

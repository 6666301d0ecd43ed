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
        /// HTTP/3 if the server supports it, an older version otherwise.
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

    /// Whether a call waits for a network when there is none, rather than fail with
    /// `HTTPError.Code.notConnected`.
    ///
    /// A call that waits ends by its deadline, not by an idle timeout.
    public var waitsForConnectivity = false

    /// Whether calls may use a network that the system calls expensive, such as a cellular one or a phone's
    /// hotspot.
    public var allowsExpensiveNetworks = true

    /// Whether calls may use a network in Low Data Mode.
    public var allowsConstrainedNetworks = true

    /// Makes the default: the system's authorities, the environment's proxy, HTTP/2 if the server supports it
    /// over TLS, and any network that is there.
    public init() {}
}

extension ConnectionSettings {
    /// Checks that the settings leave the choice of a network to the system.
    ///
    /// - Parameter library: What sends the requests, and knows one kind of network only.
    package func checkNetworks(of library: String) throws(UnsupportedSetting) {
        let names: [(String, isDefault: Bool)] = [
            ("waitsForConnectivity", !waitsForConnectivity),
            ("allowsExpensiveNetworks", allowsExpensiveNetworks),
            ("allowsConstrainedNetworks", allowsConstrainedNetworks),
        ]
        for (name, isDefault) in names where !isDefault {
            throw UnsupportedSetting(
                name,
                "\(library) does not choose between networks: SessionTransport does on Apple's"
                    + " systems")
        }
    }
}

extension ConnectionSettings.Versions: Hashable, Sendable {}

extension ConnectionSettings: Hashable, Sendable {}

public import PledgeHTTPText
public import PledgeServices

/// Settings of connections, with the same meaning for every transport.
///
/// If a transport does not support one of them, its initializer throws an ``UnsupportedSetting``.
public struct ConnectionSettings: Hashable, Sendable {
    /// The versions of HTTP that a transport may use.
    public enum Versions: Hashable, Sendable {
        /// HTTP/2 over TLS if the server supports it; otherwise HTTP/1.1.
        ///
        /// A transport may still send a request over HTTP/1.1 if it would handle the request wrongly over HTTP/2.
        case automatic
        /// HTTP/1.1.
        case http1
        /// HTTP/2 for every request, even without TLS, for servers known to support it.
        case http2
        /// HTTP/3 if the server supports it; otherwise an older version.
        case http3
    }

    /// The settings of TLS.
    public var tls = TLSSettings()

    /// The proxy for requests.
    public var proxy = ProxySettings.environment

    /// The versions of HTTP that the transport may use.
    public var versions = Versions.automatic

    /// The path of a Unix domain socket for every request, whatever the URL's host; nil for none.
    public var unixSocketPath: String?

    /// The addresses to use instead of a name lookup, by host, such as ["10.0.0.7"] for "api.example.com".
    public var addresses: [String: [String]] = [:]

    /// The longest time that the addresses of a name are kept; nil for the transport's own time.
    ///
    /// `CurlTransport` keeps them for 60 seconds by default, and counts whole seconds. `AHCTransport` keeps none, so it
    /// accepts any time. `SessionTransport` refuses this setting.
    public var addressLifetime: Duration?

    /// The largest age of a connection that gets a further request; nil for no limit.
    ///
    /// With a limit, clients notice in time that a name has got other addresses. `CurlTransport` counts whole seconds,
    /// at least one. It closes an old connection when it has no request, so calls that overlap over HTTP/2 keep their
    /// connection open. The other transports refuse this setting.
    public var maxConnectionAge: Duration?

    /// Lets a call wait for a network, instead of failing with `HTTPError.Code.notConnected`.
    ///
    /// A waiting call ends at its deadline; the idle timeout does not apply to it.
    public var waitsForConnectivity = false

    /// Allows networks that the system calls expensive, such as a cellular network or a phone's hotspot.
    public var allowsExpensiveNetworks = true

    /// Allows networks in Low Data Mode.
    public var allowsConstrainedNetworks = true

    /// Creates the default settings.
    ///
    /// They trust the system's authorities and use the environment's proxy, HTTP/2 over TLS if the server supports it,
    /// and any available network.
    public init() {}
}

extension ConnectionSettings {
    /// Checks that the settings leave the choice of a network to the system.
    ///
    /// - Parameter library: The library that sends the requests, and cannot choose between networks.
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

/// The error of a transport's initializer for a setting that it does not support.
public struct UnsupportedSetting: Error, Hashable {
    /// The setting, as named in ``ConnectionSettings``, such as "tls.pinnedKeys".
    public let setting: String

    /// The reason why the transport does not support the setting, and an alternative.
    public let reason: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - setting: The setting, as named in ``ConnectionSettings``.
    ///   - reason: The reason why the transport does not support the setting, and an alternative.
    public init(_ setting: String, _ reason: String) {
        self.setting = setting
        self.reason = reason
    }
}

extension UnsupportedSetting: CustomStringConvertible {
    /// The setting and the reason.
    public var description: String { "\(setting): \(reason)" }
}

extension UnsupportedSetting: DescribedError {
}

extension UnsupportedSetting: CallerError {
    /// True, because the request was not sent.
    package var isCertainlyUnsent: Bool { true }
}

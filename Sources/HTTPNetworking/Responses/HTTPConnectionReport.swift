/// By what connection a response came, and how long each step took, as the transport saw it.
///
/// Each time counts from the moment at which the transport began with the call. nil stands for what a
/// transport cannot tell, and for a step that a reused connection does not need.
public struct HTTPConnectionReport {
    /// The version of HTTP: "HTTP/1.1", "HTTP/2", "HTTP/3".
    public var protocolVersion: String?

    /// Whether the connection was made by an earlier call.
    public var isReused: Bool?

    /// The address and the port of the server, or of the proxy: "127.0.0.1:8080", "[::1]:8080".
    public var remoteAddress: String?

    /// Until the host's name was looked up.
    public var untilNameLookup: Duration?

    /// Until the connection was made.
    public var untilConnected: Duration?

    /// Until TLS was agreed on.
    public var untilSecure: Duration?

    /// Until the first byte of the response came.
    public var untilFirstByte: Duration?

    /// Makes a report that says nothing.
    public init() {}
}

extension HTTPConnectionReport: Hashable, Sendable {}

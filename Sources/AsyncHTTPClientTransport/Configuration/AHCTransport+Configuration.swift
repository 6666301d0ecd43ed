#if AsyncHTTPClient
extension AHCTransport {
    /// The connections and limits of a transport.
    public struct Configuration {
        /// The settings of TLS.
        ///
        /// `ConnectionSettings/tls` is the same for every transport. A transport uses the one of the two that
        /// is not the default; if both are set, making the transport fails.
        public var tls = TLS()

        /// The versions of HTTP that may be used.
        ///
        /// HTTP/2 is off if this or `ConnectionSettings/versions` excludes it.
        public var httpVersion = HTTPVersion.automatic

        /// How long it may take to make a connection, including TLS.
        public var connectTimeout: Duration = .seconds(10)

        /// How long a call may wait for one of ``maxConnectionsPerHost`` to be free, before it fails with the
        /// code `timedOut`; nil for no limit.
        ///
        /// Counted separately from ``idleTimeout``, which begins when the call has a connection. Over TLS, if
        /// HTTP/2 may be used, AsyncHTTPClient queues the waiting calls; then the time is rounded up to a
        /// multiple of ``connectTimeout``.
        public var connectionWaitTimeout: Duration? = .seconds(60)

        /// How long no byte may arrive or leave before a call fails with the code `timedOut`; nil for no
        /// limit.
        ///
        /// Counted from when the call has a connection, and again from each piece of a body, in either
        /// direction. It does not count while the reader of a streamed body asks for nothing, nor while the
        /// source of a request's body has no bytes.
        public var idleTimeout: Duration?

        /// How long a connection that is not in use is kept.
        public var keepAlive: Duration = .seconds(60)

        /// How many connections of HTTP/1.1 may be open to one host; more calls wait for one.
        public var maxConnectionsPerHost = 8

        /// How many bytes the fields of a response's head may have, over HTTP/1.1.
        ///
        /// A larger head fails the call with the code `badResponse`. The number of fields is limited as well,
        /// to one for each 32 bytes, but at least 256. A head with its status line and all interim heads may
        /// have twice as many bytes plus 16 KiB.
        public var maxHeadSize = 256 << 10

        /// How many bytes the body of a whole response may have.
        ///
        /// A larger body fails with the code `bodyTooLarge`. A streamed body may have any number of bytes.
        public var maxBodySize: Int

        /// 64 MiB.
        public static let defaultMaxBodySize = 64 << 20

        /// Makes a configuration.
        public init(idleTimeout: Duration? = .seconds(60), maxBodySize: Int = defaultMaxBodySize) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
        }
    }
}

extension AHCTransport.Configuration {
    /// The versions of HTTP that may be used.
    public enum HTTPVersion {
        /// HTTP/2 over TLS if the server supports it, HTTP/1.1 otherwise.
        case automatic
        /// HTTP/1.1.
        case http1Only
    }
}

extension AHCTransport.Configuration.HTTPVersion: Hashable {}

extension AHCTransport.Configuration.HTTPVersion: Sendable {}

extension AHCTransport.Configuration: Sendable {}
#endif

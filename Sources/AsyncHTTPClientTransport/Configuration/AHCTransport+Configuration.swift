#if AsyncHTTPClient
extension AHCTransport {
    /// How a transport connects, and how much it keeps.
    public struct Configuration {
        /// How secure connections are made.
        ///
        /// `ConnectionSettings/tls` says the same for every transport. A transport takes the one of the two that
        /// is not the default, and refuses to be made where both are set.
        public var tls = TLS()

        /// Which versions of HTTP are spoken.
        ///
        /// Of this and `ConnectionSettings/versions` either holds back HTTP/2.
        public var httpVersion = HTTPVersion.automatic

        /// How long a connection may take to be made, TLS included.
        public var connectTimeout: Duration = .seconds(10)

        /// How long a call may wait for one of ``maxConnectionsPerHost`` to be free, before it fails with the
        /// code `timedOut`; nil forever.
        ///
        /// Counted apart from ``idleTimeout``, which begins when the call has a connection. Over
        /// TLS, where the server may speak HTTP/2, AsyncHTTPClient keeps the waiting calls; there
        /// the time is rounded up to a multiple of ``connectTimeout``.
        public var connectionWaitTimeout: Duration? = .seconds(60)

        /// How long nothing may come or go before a call fails with the code `timedOut`, nil forever.
        ///
        /// Counted from when the call has a connection, and anew with each piece of a body, either way; not
        /// while a reader of a streamed body asks for nothing, nor while the source of a body to be sent
        /// gives nothing.
        public var idleTimeout: Duration?

        /// How long a connection that is not in use is kept.
        public var keepAlive: Duration = .seconds(60)

        /// How many connections of HTTP/1.1 there may be to one host; more calls wait for one.
        public var maxConnectionsPerHost = 8

        /// How many bytes the fields of a response's head may have, over HTTP/1.1.
        ///
        /// A head that has more fails the call with the code `badResponse`. It may have a field for each 32
        /// bytes, and 256 at least. With its status line and all interim heads it may have twice as many bytes
        /// and 16 KiB.
        public var maxHeadSize = 256 << 10

        /// How many bytes the body of a whole response may have.
        ///
        /// One that has more fails with the code `bodyTooLarge`. A streamed body may have any number.
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
    /// Which versions of HTTP are spoken.
    public enum HTTPVersion {
        /// HTTP/2 over TLS where the server speaks it, HTTP/1.1 otherwise.
        case automatic
        /// HTTP/1.1.
        case http1Only
    }
}

extension AHCTransport.Configuration.HTTPVersion: Hashable {}

extension AHCTransport.Configuration.HTTPVersion: Sendable {}

extension AHCTransport.Configuration: Sendable {}
#endif

public import Dispatch

extension CurlTransport {
    /// The limits of a transport.
    public struct Configuration {
        /// How long it may take to make a connection, including name look-up and TLS.
        ///
        /// After that the call fails with `HTTPError.Code.timedOut`. libcurl measures it, in real time.
        public var connectTimeout: Duration

        /// How long a call may wait while the maximum number of connections is busy; nil for no limit.
        ///
        /// After that it fails with `HTTPError.Code.timedOut`. ``idleTimeout`` does not count meanwhile.
        public var connectionWaitTimeout: Duration?

        /// How long no byte may arrive or leave before a call fails with `HTTPError.Code.timedOut`; nil for
        /// no limit.
        ///
        /// Counted again from each piece of a body, in either direction. It does not count while the reader
        /// of a body, or the source of one, pauses.
        public var idleTimeout: Duration?

        /// How many bytes the body of a whole response may have; a larger body fails the call with
        /// `HTTPError.Code.bodyTooLarge`.
        public var maxBodySize: Int

        /// How many bytes the head of a response may have, including interim responses and trailers; a larger
        /// head fails the call with `HTTPError.Code.badResponse`.
        public var maxHeadSize: Int

        /// How many bytes of a streamed response's body may wait for its reader before no more is received.
        ///
        /// It holds over HTTP/1.1. With `ConnectionSettings.Versions.http2` and `.http3` libcurl has a window for
        /// each stream, which is larger: 32 MiB in 7.88, 10 MiB in 8.x.
        public var maxUnreadBytes: Int

        /// How many connections to one host may be open at once; further calls wait for a free one.
        public var maxConnectionsPerHost: Int

        /// How many connections may be open at once in total; nil for no limit.
        public var maxConnections: Int?

        /// How long a connection is kept for the next call.
        public var keepAlive: Duration

        /// Makes limits.
        ///
        /// Numbers below one, and sizes below zero, are programming errors and trap when a transport is made.
        public init(
            connectTimeout: Duration = .seconds(10),
            connectionWaitTimeout: Duration? = .seconds(60),
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxHeadSize: Int = 128 << 10, maxUnreadBytes: Int = 1 << 20,
            maxConnectionsPerHost: Int = 8, maxConnections: Int? = nil,
            keepAlive: Duration = .seconds(60)
        ) {
            self.connectTimeout = connectTimeout
            self.connectionWaitTimeout = connectionWaitTimeout
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxHeadSize = maxHeadSize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxConnections = maxConnections
            self.keepAlive = keepAlive
        }

        /// The same limits; traps if one is out of range.
        func checked() -> Self {
            precondition(
                maxConnectionsPerHost > 0, "at least 1 connection, not \(maxConnectionsPerHost)")
            precondition(maxConnections ?? 1 > 0, "at least 1 connection in all")
            precondition(maxUnreadBytes > 0, "room for at least 1 byte, not \(maxUnreadBytes)")
            precondition(maxHeadSize > 0, "room for at least 1 byte, not \(maxHeadSize)")
            precondition(maxBodySize >= 0, "a size is zero or more")
            precondition(idleTimeout ?? .zero >= .zero, "a time is zero or more")
            return self
        }
    }

    /// Where futures settle.
    public enum Delivery {
        /// On Dispatch's threads, several at a time. An observer may block: it delays no other call.
        case concurrent
        /// On a queue, in the order in which the responses arrived.
        case serial(DispatchQueue)
        /// On the transport's I/O thread, without a change of thread. An observer that blocks delays every
        /// call of the transport.
        case inline
    }
}

extension CurlTransport.Configuration: Hashable, Sendable {}

extension CurlTransport.Delivery: Sendable {}

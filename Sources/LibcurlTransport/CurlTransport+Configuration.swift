public import Dispatch

extension CurlTransport {
    /// The limits of a transport.
    public struct Configuration {
        /// How long a connection may take to be made, name look-up and TLS included.
        ///
        /// Then the call fails with `HTTPError.Code.timedOut`. libcurl counts it, in real time.
        public var connectTimeout: Duration

        /// How long a call may wait while as many connections as there may be are busy; nil forever.
        ///
        /// Then it fails with `HTTPError.Code.timedOut`. ``idleTimeout`` is not counted meanwhile.
        public var connectionWaitTimeout: Duration?

        /// How long nothing may come or go before a call fails with `HTTPError.Code.timedOut`; nil forever.
        ///
        /// Counted anew with each piece of a body, either way. While a reader of a body pauses, or a source
        /// of one, it is not counted.
        public var idleTimeout: Duration?

        /// How many bytes the body of a whole response may have; more fail the call with
        /// `HTTPError.Code.bodyTooLarge`.
        public var maxBodySize: Int

        /// How many bytes the head of a response may have, interim responses and trailers included; more
        /// fail the call with `HTTPError.Code.badResponse`.
        public var maxHeadSize: Int

        /// How many bytes of a streamed response's body may wait for its reader before the server is held
        /// back.
        public var maxUnreadBytes: Int

        /// How many connections to one host are open at once; further calls wait for a free one.
        public var maxConnectionsPerHost: Int

        /// How many connections are open at once in all; nil for any number.
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

        /// The same limits; traps where one makes no sense.
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
        /// On Dispatch's threads, several at a time. An observer may block: it holds up no other call.
        case concurrent
        /// On a queue, in the order in which the responses came.
        case serial(DispatchQueue)
        /// On the transport's I/O thread, with no change of thread. An observer that blocks holds up every
        /// call of the transport.
        case inline
    }
}

extension CurlTransport.Configuration: Hashable, Sendable {}

extension CurlTransport.Delivery: Sendable {}

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTransport {
    /// The limits of a transport.
    public struct Configuration {
        /// How long nothing may come or go before a call fails with `HTTPError.Code.timedOut`; nil
        /// forever.
        ///
        /// Counted from the beginning of the call, its wait for a free connection included, and anew
        /// with each piece of a body, either way.
        public var idleTimeout: Duration?

        /// How many bytes the body of a whole response may have, decoded; more fail the call with
        /// `HTTPError.Code.bodyTooLarge` and cancel it.
        public var maxBodySize: Int

        /// How many bytes of a streamed response's body may wait in memory for its reader.
        ///
        /// On Linux nothing holds URLSession back: more bytes wait in a temporary file without a name, whose
        /// room is given back when all of it has been read; where it cannot be written, the body fails with
        /// `HTTPError.Code.fileUnwritable`. On Apple platforms the task is suspended meanwhile.
        public var maxUnreadBytes: Int

        /// Where that file is made.
        var spoolFolder = FileManager.default.temporaryDirectory

        /// How many bytes a streamed request's body may have.
        ///
        /// It is read to its end before anything is sent; beyond 1 MiB, into a temporary file.
        public var maxSpooledBodySize: Int

        /// How many connections to one host are open at once; further requests wait for a free one.
        public var maxConnectionsPerHost: Int

        /// Makes limits.
        ///
        /// - Parameters:
        ///   - idleTimeout: How long nothing may come or go; nil forever.
        ///   - maxBodySize: How many bytes the body of a whole response may have.
        ///   - maxUnreadBytes: How many bytes of a streamed response may wait in memory for their reader.
        ///   - maxSpooledBodySize: How many bytes a streamed request may have.
        ///   - maxConnectionsPerHost: How many connections to one host are open at once.
        ///
        /// Numbers below one, of sizes below zero, are programming errors and trap when a transport is made.
        public init(
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxUnreadBytes: Int = 16 << 20, maxSpooledBodySize: Int = 1 << 30,
            maxConnectionsPerHost: Int = 6
        ) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxSpooledBodySize = maxSpooledBodySize
            self.maxConnectionsPerHost = maxConnectionsPerHost
        }

        /// What the session is configured with.
        func ofSession(_ adjust: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
            let session = URLSessionConfiguration.ephemeral
            session.httpMaximumConnectionsPerHost = maxConnectionsPerHost
            adjust(session)
            // On Linux a task of a session with a cache can end the process when it is cancelled.
            session.urlCache = nil
            session.requestCachePolicy = .reloadIgnoringLocalCacheData
            session.httpCookieStorage = nil
            session.httpShouldSetCookies = false
            session.httpCookieAcceptPolicy = .never
            session.urlCredentialStorage = nil
            session.leaveTimeToTransport()
            return session
        }

        /// The limits for a session of the app's: the defaults, but for its own limit of idle time.
        init(of session: URLSessionConfiguration) {
            let seconds = session.timeoutIntervalForRequest
            self.init(idleTimeout: seconds > 0 ? .seconds(min(seconds, 2_592_000)) : nil)
        }

        /// The same limits; traps where one makes no sense.
        func checked() -> Self {
            precondition(
                maxConnectionsPerHost > 0, "at least 1 connection, not \(maxConnectionsPerHost)")
            precondition(maxUnreadBytes > 0, "room for at least 1 byte, not \(maxUnreadBytes)")
            precondition(min(maxBodySize, maxSpooledBodySize) >= 0, "a size is zero or more")
            precondition(idleTimeout ?? .zero >= .zero, "a time is zero or more")
            return self
        }
    }
}

extension URLSessionConfiguration {
    /// Has the session set no limit of time.
    ///
    /// They are cut to whole seconds on Linux, and multiplied there: 30 days are long, and no overflow.
    func leaveTimeToTransport() {
        timeoutIntervalForRequest = 2_592_000
        timeoutIntervalForResource = 2_592_000
    }
}

extension SessionTransport.Configuration: Hashable {}

extension SessionTransport.Configuration: Sendable {}

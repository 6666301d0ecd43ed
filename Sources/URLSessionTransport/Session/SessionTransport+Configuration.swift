#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension SessionTransport {
    /// The limits of a transport.
    public struct Configuration {
        /// How long no byte may arrive or leave before a call fails with `HTTPError.Code.timedOut`; nil for
        /// no limit.
        ///
        /// Counted from the beginning of the call, including its wait for a free connection, and again from
        /// each piece of a body, in either direction.
        public var idleTimeout: Duration?

        /// How many decoded bytes the body of a whole response may have; a larger body cancels the call,
        /// which fails with `HTTPError.Code.bodyTooLarge`.
        public var maxBodySize: Int

        /// How many bytes of a streamed response's body may wait in memory for its reader.
        ///
        /// On Linux URLSession has no backpressure: more bytes wait in a temporary file without a name, whose
        /// space is freed after all of it has been read. If the file cannot be written, the body fails with
        /// `HTTPError.Code.fileUnwritable`. On Apple platforms the task is suspended meanwhile.
        public var maxUnreadBytes: Int

        /// The folder of that file.
        var spoolFolder = FileManager.default.temporaryDirectory

        /// How many bytes a streamed request's body may have.
        ///
        /// The stream is read to its end before anything is sent; if it is longer than 1 MiB, into a
        /// temporary file.
        public var maxSpooledBodySize: Int64

        /// How many connections to one host are open at once; further requests wait for a free one.
        public var maxConnectionsPerHost: Int

        /// Makes limits.
        ///
        /// - Parameters:
        ///   - idleTimeout: How long no byte may arrive or leave; nil for no limit.
        ///   - maxBodySize: How many bytes the body of a whole response may have.
        ///   - maxUnreadBytes: How many bytes of a streamed response may wait in memory for their reader.
        ///   - maxSpooledBodySize: How many bytes a streamed request may have.
        ///   - maxConnectionsPerHost: How many connections to one host are open at once.
        ///
        /// Numbers below one, and sizes below zero, are programming errors and trap when a transport is made.
        public init(
            idleTimeout: Duration? = .seconds(60), maxBodySize: Int = 64 << 20,
            maxUnreadBytes: Int = 16 << 20, maxSpooledBodySize: Int64 = 1 << 30,
            maxConnectionsPerHost: Int = 6
        ) {
            self.idleTimeout = idleTimeout
            self.maxBodySize = maxBodySize
            self.maxUnreadBytes = maxUnreadBytes
            self.maxSpooledBodySize = maxSpooledBodySize
            self.maxConnectionsPerHost = maxConnectionsPerHost
        }

        /// The configuration of the session.
        func ofSession(_ adjust: (URLSessionConfiguration) -> Void) -> URLSessionConfiguration {
            let session = URLSessionConfiguration.ephemeral
            session.httpMaximumConnectionsPerHost = maxConnectionsPerHost
            adjust(session)
            // On Linux, to cancel a task of a session with a cache can end the process.
            session.urlCache = nil
            session.requestCachePolicy = .reloadIgnoringLocalCacheData
            session.httpCookieStorage = nil
            session.httpShouldSetCookies = false
            session.httpCookieAcceptPolicy = .never
            session.urlCredentialStorage = nil
            session.leaveTimeToTransport()
            return session
        }

        /// The limits for a session of the app: the defaults, except for the session's own idle timeout.
        init(of session: URLSessionConfiguration) {
            let seconds = session.timeoutIntervalForRequest
            self.init(idleTimeout: seconds > 0 ? .seconds(min(seconds, 2_592_000)) : nil)
        }

        /// The same limits; traps if one is out of range.
        func checked() -> Self {
            precondition(
                maxConnectionsPerHost > 0, "at least 1 connection, not \(maxConnectionsPerHost)")
            precondition(maxUnreadBytes > 0, "room for at least 1 byte, not \(maxUnreadBytes)")
            precondition(maxBodySize >= 0 && maxSpooledBodySize >= 0, "a size is zero or more")
            precondition(idleTimeout ?? .zero >= .zero, "a time is zero or more")
            return self
        }
    }
}

extension URLSessionConfiguration {
    /// Why a session of the app cannot be used; nil if it can be.
    var refusal: String? { Self.refusal(ofSessionNamed: identifier) }

    /// - Parameter identifier: The name of a background session; nil for any other session.
    static func refusal(ofSessionNamed identifier: String?) -> String? {
        if identifier == nil { return nil }
        return "a background session runs only uploads and downloads of files: give"
            + " SessionTransport a session with the configuration .default or .ephemeral"
    }

    /// Makes the session set no time limit.
    ///
    /// On Linux, URLSession truncates limits to whole seconds and multiplies them: 30 days are long and do
    /// not overflow.
    func leaveTimeToTransport() {
        timeoutIntervalForRequest = 2_592_000
        timeoutIntervalForResource = 2_592_000
    }
}

extension SessionTransport.Configuration: Hashable {}

extension SessionTransport.Configuration: Sendable {}

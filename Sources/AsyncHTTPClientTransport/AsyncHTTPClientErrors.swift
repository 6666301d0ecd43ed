#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#endif

extension HTTPError.Code {
    /// The code for an error of AsyncHTTPClient, or of SwiftNIO below it.
    init(asyncHTTPClient error: any Error) {
        switch error {
        case is UnprocessedRequest: self = .connectionLost
        case let error as HTTPClientError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError: self.init(systemError: error.errnoCode)
        case let error as HTTPParserError: self.init(error)
        case NIOSSLError.uncleanShutdown: self = .connectionLost
        case is PinnedKeyMismatch, is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .insecureConnection
        case let error as NIOHTTP2Errors.StreamError: self.init(asyncHTTPClient: error.baseError)
        // A reset, a GOAWAY or the end of the connection closes a stream.
        case is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.IOOnClosedConnection,
            is NIOHTTP2Errors.CreatedStreamAfterGoaway:
            self = .connectionLost
        case is any NIOHTTP2Error: self = .badResponse
        case ChannelError.connectTimeout: self = .timedOut
        case is ChannelError: self = .connectionLost
        default: self = .other
        }
    }

    /// The reason in a few words; nil if the code says everything.
    func reason(of error: any Error, limits: ClientLease.Limits?) -> String? {
        switch self {
        case .insecureConnection: return TLSFailureReason.reason(in: "\(error)")
        case .timedOut where error as? HTTPClientError != .deadlineExceeded:
            return limits.map { TimeLimit.connect($0.connect).words }
        case .badResponse where error as? HTTPParserError == .headerOverflow:
            return "the head has too many bytes"
        case .proxyRefused: return "the proxy answered 407"
        case .connectionLost:
            guard let error = error as? UnprocessedRequest else { return nil }
            return error.reason == .unsent
                ? "its connection ended before it was sent"
                : "the server ended it without processing the request"
        default: return nil
        }
    }

    private init(_ error: HTTPClientError) {
        switch error {
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded,
            .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
            .socksHandshakeTimeout:
            self = .timedOut
        case .remoteConnectionClosed, .requestStreamCancelled, .cancelled: self = .connectionLost
        case .bodyLengthMismatch: self = .bodyLengthMismatch
        case .proxyAuthenticationRequired: self = .proxyRefused
        // The proxy answered with another status, which the error doesn't tell.
        case .invalidProxyResponse: self = .cannotConnect
        default: self = .other
        }
    }

    /// The code for a host with no address, or with none that accepts a connection.
    private init(_ error: NIOConnectionError) {
        let codes = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        if error.connectionErrors.isEmpty {
            self = .cannotFindHost
        } else if let code = codes.first, codes.count == error.connectionErrors.count {
            self.init(systemError: code)
        } else {
            self =
                error.connectionErrors.allSatisfy { Self(asyncHTTPClient: $0.error) == .timedOut }
                ? .timedOut : .cannotConnect
        }
    }

    /// The code for an error of the HTTP parser.
    ///
    /// A connection that ends within a message is lost; any other error means that the response isn't HTTP.
    private init(_ error: HTTPParserError) {
        self = error == .invalidEOFState ? .connectionLost : .badResponse
    }

    private init(systemError code: CInt) {
        switch code {
        case ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, EADDRNOTAVAIL, ENOENT: self = .cannotConnect
        case ENETUNREACH, ENETDOWN: self = .notConnected
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: self = .connectionLost
        case ETIMEDOUT: self = .timedOut
        default: self = .other
        }
    }
}

/// The error of a request that the server hasn't processed, or that wasn't sent.
struct UnprocessedRequest: Error {
    enum Reason {
        case leaving
        case refused
        /// The connection ended before the request was sent.
        case unsent
    }

    let cause: any Error
    let reason: Reason
}

extension UnprocessedRequest: CustomStringConvertible {
    var description: String { "\(cause)" }
}

extension UnprocessedRequest: AdvisingError {
    var outcome: Outcome { .retryable(after: nil) }
    var isCertainlyUnsent: Bool { true }
}
#endif

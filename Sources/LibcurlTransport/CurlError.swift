import CPledgeCurl
package import PledgeHTTPMessages
public import PledgeHTTPText
import PledgeHTTPTransportKit
package import PledgeServices

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#endif

/// A failure as libcurl describes it.
package struct CurlError: Error, ShownCause {
    /// libcurl's code, such as 7 (CURLE_COULDNT_CONNECT).
    package let code: Int

    /// libcurl's words for the code.
    package let words: String

    /// `errno`; zero for none.
    let systemError: Int32

    /// libcurl's message.
    ///
    /// It may contain anything, so it's never shown.
    let details: String

    /// The status with which a proxy answered CONNECT; zero for none.
    let proxyStatus: Int

    /// libcurl's number for a SOCKS proxy's refusal; zero for none.
    let proxyError: Int

    /// True if the server has said that it didn't process the request.
    let isRefused: Bool

    /// Reads the details from the handle.
    ///
    /// - Parameter isAnswered: True if part of an answer has arrived. Then the server has processed the request,
    ///   whatever it says later.
    init(_ code: Int32, _ handle: EasyHandle, isAnswered: Bool = false) {
        self.code = Int(code)
        words = String(cString: ccurl_words(code))
        systemError = Int32(truncatingIfNeeded: ccurl_get_long(handle.easy, ccurl_info_os_error))
        details = handle.errorText
        isRefused = handle.isRefused && !isAnswered
        proxyStatus = ccurl_get_long(handle.easy, ccurl_info_connect_code)
        proxyError = ccurl_get_long(handle.easy, ccurl_info_proxy_error)
    }
}

extension CurlError: DescribedError {
    /// libcurl's words and its code.
    package var description: String { "\(words) (libcurl \(code))" }
}

extension CurlError: AdvisingError {
    /// Retryable, because another call may succeed.
    ///
    /// The `HTTPError` that has this error as its cause usually knows more.
    package var outcome: Outcome { .retryable(after: nil) }

    /// True if the server said over HTTP/2 that it did not process the request.
    ///
    /// It says so with REFUSED_STREAM, or with a GOAWAY whose last stream is lower than the request's.
    package var isCertainlyUnsent: Bool { isRefused }
}

extension HTTPError {
    init(_ error: CurlError, of request: HTTPRequest, _ options: CurlOptions) {
        let code = Code(error)
        self.init(
            code: code, request: request, cause: error, reason: code.reason(of: error, options))
    }
}

extension HTTPError.Code {
    init(_ error: CurlError) {
        switch ccurl_code(UInt32(error.code)) {
        case ccurl_cannot_resolve_host: self = .cannotFindHost
        case ccurl_proxy_handshake where error.isRefusedBySOCKS: self = .proxyRefused
        case ccurl_receive_error where error.isTunnelRefused,
            ccurl_cannot_connect where error.isTunnelRefused:
            self = .refusal(byProxy: error.proxyStatus)
        case ccurl_cannot_resolve_proxy, ccurl_proxy_handshake: self = .cannotConnect
        case ccurl_cannot_connect: self = Self.connecting(error.systemError)
        case ccurl_timed_out: self = .timedOut
        case ccurl_ssl_connect_error:
            let isLost = error.details.contains("reset by peer")
            self = isLost ? .connectionLost : .insecureConnection
        case ccurl_ssl_certificate_problem, ccurl_ssl_cipher, ccurl_peer_failed_verification,
            ccurl_ssl_ca_unreadable, ccurl_pinned_key_mismatch, ccurl_ssl_client_certificate:
            self = .insecureConnection
        case ccurl_receive_error where error.hasMalformedChunks,
            ccurl_unsupported_protocol, ccurl_weird_server_reply, ccurl_bad_content_encoding,
            ccurl_too_large, ccurl_out_of_memory, ccurl_bad_argument:
            self = .badResponse
        // What nghttp2 says if the server doesn't speak HTTP/2.
        case ccurl_http2_error where error.details.contains("returned unexpected data"):
            self = .badResponse
        case ccurl_receive_error where error.details.contains("alert"): self = .insecureConnection
        // `ccurl_ok` too: libcurl reports success if a connection ends within a head.
        case ccurl_ok, ccurl_partial_file, ccurl_got_nothing, ccurl_send_error, ccurl_receive_error,
            ccurl_rewind_failed, ccurl_http2_error, ccurl_http2_stream, ccurl_again,
            ccurl_http3_error, ccurl_quic_connect_error:
            self = .connectionLost
        case ccurl_not_built_in: self = .unsupported
        default: self = .other
        }
    }

    private static func connecting(_ systemError: Int32) -> Self {
        [ENETUNREACH, ENETDOWN].contains(systemError) ? .notConnected : .cannotConnect
    }

    /// The reason in a few words; nil if the code says everything.
    fileprivate func reason(of error: CurlError, _ options: CurlOptions) -> String? {
        switch self {
        case .timedOut: return TimeLimit.connect(options.connectTimeout).words
        case .insecureConnection:
            if error.code == Int(ccurl_pinned_key_mismatch.rawValue) {
                return "the server's key is none of those that are pinned"
            }
            return TLSFailureReason.reason(in: error.details)
                ?? TLSFailureReason.reason(in: error.words)
        case .cannotConnect where error.code == Int(ccurl_cannot_resolve_proxy.rawValue):
            return "the proxy's host was not found"
        case .cannotConnect where error.isTunnelRefused,
            .proxyRefused where error.isTunnelRefused:
            return "the proxy answered \(error.proxyStatus)"
        case .connectionLost where error.isRefused:
            return "the server ended it without processing the request"
        case .connectionLost where error.code == Int(ccurl_ok.rawValue):
            return "it ended within the head of the answer"
        case .badResponse: return error.reasonOfBadResponse
        default: return nil
        }
    }
}

extension CurlError {
    /// What is wrong with an answer; nil unless libcurl's words mislead.
    fileprivate var reasonOfBadResponse: String? {
        switch ccurl_code(UInt32(code)) {
        case ccurl_unsupported_protocol: "its first line is no status line"
        case ccurl_receive_error: "its chunks are malformed"
        // Up to 8.5, libcurl reports a too long header line as a lack of memory.
        case ccurl_out_of_memory, ccurl_too_large:
            "a line of its head has more than \(Self.longestLine) bytes, which is libcurl's limit"
        // libcurl reads the chunk size "0x3" as zero, and the chunk as a trailer.
        case ccurl_bad_argument where details.contains("chunked-encoded"):
            "a chunk's size or a trailer is malformed"
        case ccurl_bad_argument: HeadReader.foldsFirst
        case ccurl_weird_server_reply: reasonOfWeirdReply
        default: nil
        }
    }

    private var reasonOfWeirdReply: String? {
        switch details {
        case "Header without colon": "a line of its head has no colon"
        case "Invalid Content-Length: value": HTTPError.invalidLength
        case "Carriage return found in header": "a line of its head has a bare carriage return"
        case "NUL byte in header": "a line of its head has a NUL byte"
        default: nil
        }
    }

    /// True if an answer's chunks are malformed, and not just cut off.
    fileprivate var hasMalformedChunks: Bool {
        details.contains("chunked-encoding") || details.hasPrefix("chunk hex-length")
    }

    /// True if an HTTP/2 connection has ended, for example because a GOAWAY has excluded the request.
    var isEndOfConnection: Bool {
        switch ccurl_code(UInt32(code)) {
        case ccurl_http2_error, ccurl_partial_file: HTTPError.Code(self) == .connectionLost
        // libcurl has tried five kept connections, all of which were about to end.
        case ccurl_receive_error, ccurl_send_error: details.hasPrefix("Connection died")
        default: false
        }
    }

    /// The longest line of a head, which libcurl's build fixes (CURL_MAX_HTTP_HEADER).
    private static let longestLine = 102_400

    fileprivate var isTunnelRefused: Bool { proxyStatus != 0 && !(200...299).contains(proxyStatus) }

    /// True if a SOCKS proxy rejects the user, or forbids the host.
    fileprivate var isRefusedBySOCKS: Bool {
        [ccurl_proxy_no_method, ccurl_proxy_not_allowed, ccurl_proxy_user_rejected].contains {
            Int($0.rawValue) == proxyError
        }
    }
}

import CPledgeCurl
import PledgeHTTPNetworking
public import PledgeServices

/// libcurl's description of a failure.
public struct CurlError: Error {
    /// The code, such as 7 (CURLE_COULDNT_CONNECT).
    public let code: Int

    /// libcurl's words for the code.
    public let words: String

    /// The system's error; zero if there is none.
    let systemError: Int32

    /// libcurl's further message.
    ///
    /// It may contain anything, and is not shown.
    let details: String

    /// The status of the proxy's answer to CONNECT; zero if there is none.
    let proxyStatus: Int

    /// How a proxy that speaks SOCKS refused; zero if it did not.
    let proxyError: Int

    /// Whether the server has excluded the request, which it did not process.
    let isRefused: Bool

    /// - Parameter isAnswered: Whether an answer has begun: then the server has processed the request, whatever it
    ///   says afterwards.
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

extension CurlError: CustomStringConvertible {
    /// The words and the code.
    public var description: String { "\(words) (libcurl \(code))" }
}

extension CurlError: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension CurlError: ShownCause {}

extension CurlError: OutcomeAdvising {
    /// Another call may succeed; the code of the `HTTPError` usually says more.
    public var advisedOutcome: Outcome { .retryable(after: nil) }

    /// Whether the server has said that it did not process the request: over HTTP/2 by REFUSED_STREAM, or by
    /// a GOAWAY with a lower stream.
    public var isCertainlyUnsent: Bool { isRefused }
}

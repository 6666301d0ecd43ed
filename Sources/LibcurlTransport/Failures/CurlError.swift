import CCurl
import HTTPNetworking

/// What libcurl says of a failure.
public struct CurlError: Error {
    /// The code, such as 7 (CURLE_COULDNT_CONNECT).
    public let code: Int

    /// The code in libcurl's words.
    public let words: String

    /// The system's error, zero where there is none.
    let systemError: Int32

    /// What libcurl says beyond that.
    ///
    /// It may hold anything, and is not shown.
    let details: String

    /// Whether the proxy refused a tunnel.
    let proxyStatus: Int

    init(_ code: Int32, _ handle: EasyHandle) {
        self.code = Int(code)
        words = String(cString: ccurl_words(code))
        systemError = Int32(truncatingIfNeeded: ccurl_get_long(handle.easy, ccurl_info_os_error))
        details = handle.errorText
        proxyStatus = ccurl_get_long(handle.easy, ccurl_info_connect_code)
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

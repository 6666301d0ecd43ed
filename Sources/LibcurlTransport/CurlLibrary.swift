import CPledgeCurl
package import PledgeHTTPMessages
public import PledgeHTTPText
package import PledgeServices

/// The libcurl that was found on this machine.
package struct CurlLibrary: Hashable, Sendable {
    /// The version, such as "7.88.1".
    package let version: String

    /// The TLS library that libcurl uses, with its version, such as "OpenSSL/3.0.19"; nil if libcurl has no TLS.
    package let tlsLibrary: String?

    let features: UInt32

    /// True if a handle can be used for several transfers.
    ///
    /// From 7.83.0 to 8.1.0, a reused handle reads freed memory if a head's first field is a folded line (curl issue
    /// 11101).
    let mayReuseHandles: Bool

    /// True if an HTTP/2 connection without TLS can be kept.
    ///
    /// In 7.88.1, the second and all later requests on it fail with code 16.
    var mayKeepPlainHTTP2 = true

    /// True if libcurl keeps an HTTP/2 answer that arrives before the server has read the request's body.
    ///
    /// The server then ends the stream with RST_STREAM(NO_ERROR), at which older versions discard the answer, against
    /// RFC 9113, section 8.1. Of the versions that were tried, 8.11.1 is the oldest that loses none; 7.88.1 loses every
    /// one if the body is large.
    var keepsEarlyAnswers = true

    /// True if libcurl, before it sends a request again, says whether the server has excluded that request.
    ///
    /// A server excludes a request by REFUSED_STREAM, or by a GOAWAY with a lower last stream. Up to 8.18, both look
    /// like a connection that ended after the server had processed the request.
    var tellsRefusals = true

    /// True if a transfer that waits to share a host's first connection waits until the first answer, even after the
    /// server has chosen HTTP/1.1.
    ///
    /// In older versions, it looks for a connection as soon as the first one is made.
    var waitsForFirstAnswer = true

    /// Finds the libcurl of this machine, on first use.
    ///
    /// - Throws: ``Unavailable`` if no usable libcurl is found.
    package static func lookUp() throws(Unavailable) -> CurlLibrary { try found.get() }

    private static let found: Result<CurlLibrary, Unavailable> = {
        let availability = ccurl_look_up()
        let number = ccurl_version_number()
        if let reason = Unavailable(availability, version: number) { return .failure(reason) }
        return .success(
            CurlLibrary(
                version: words(ofVersion: number),
                tlsLibrary: ccurl_tls_library().map { String(cString: $0) },
                features: ccurl_features(),
                mayReuseHandles: !(0x075300...0x080100).contains(number),
                mayKeepPlainHTTP2: number > 0x080100,
                keepsEarlyAnswers: number >= 0x080b01,
                tellsRefusals: number >= 0x081300,
                waitsForFirstAnswer: number >= 0x080a00))
    }()

    /// libcurl's version and TLS library, for messages.
    var name: String { "libcurl \(version)" + (tlsLibrary.map { " with \($0)" } ?? "") }

    func has(_ feature: ccurl_feature) -> Bool { features & feature.rawValue != 0 }

    static func words(ofVersion number: UInt32) -> String {
        "\(number >> 16 & 0xff).\(number >> 8 & 0xff).\(number & 0xff)"
    }
}

extension CurlLibrary {
    /// The reason why libcurl cannot be used on this machine, and what to do about it.
    package struct Unavailable: DescribedError, ShownCause, Hashable {
        /// The reason and the remedy, in words.
        package let description: String

        /// Returns nil if libcurl can be used.
        init?(_ availability: ccurl_availability, version: UInt32) {
            switch availability {
            case ccurl_available: return nil
            case ccurl_missing:
                // No hint at SessionTransport: on Linux, FoundationNetworking needs the same libcurl.
                description =
                    "libcurl.so.4 is not on this machine: install the package libcurl4 (Debian, Ubuntu)"
                    + " or libcurl (Fedora, Amazon Linux), or use AHCTransport"
            case ccurl_too_old:
                let found = CurlLibrary.words(ofVersion: version)
                let needed = CurlLibrary.words(ofVersion: UInt32(CCURL_MIN_VERSION))
                description =
                    "libcurl \(found) is too old: install \(needed) or later, or use SessionTransport"
            case ccurl_incomplete:
                description = "libcurl.so.4 lacks functions of libcurl's: install the system's own"
            case ccurl_cannot_start: description = "libcurl does not start"
            default:
                description =
                    "libcurl cannot be looked up on this system: use SessionTransport or AHCTransport"
            }
        }
    }
}

extension CurlLibrary.Unavailable: CallerError {
    /// True, because nothing was sent.
    package var isCertainlyUnsent: Bool { true }
}

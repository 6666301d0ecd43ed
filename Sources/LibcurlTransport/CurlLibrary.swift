import CPledgeCurl
import PledgeHTTPNetworking
public import PledgeServices

/// The system's libcurl, as it was found.
public struct CurlLibrary: Hashable, Sendable {
    /// The version, such as "7.88.1".
    public let version: String

    /// The TLS library that it uses and its version, such as "OpenSSL/3.0.19"; nil if it has none.
    public let tlsLibrary: String?

    let features: UInt32

    /// Whether a handle may be used for one transfer after the other.
    ///
    /// From 7.83.0 to 8.1.0, a handle that is used again reads freed memory if the first field of a head is a
    /// folded line (issue 11101 of curl).
    let mayReuseHandles: Bool

    /// Whether a connection over HTTP/2 without TLS may be kept.
    ///
    /// With 7.88.1 each request on it after the first fails with code 16.
    var mayKeepPlainHTTP2 = true

    /// Whether an answer that the server gives before it has read the body is kept over HTTP/2.
    ///
    /// Such a server then ends the stream with RST_STREAM(NO_ERROR), with which earlier versions discard the
    /// answer (RFC 9113, section 8.1, forbids that). 8.11.1 is the oldest of the released versions that were
    /// tried and lost none; 7.88.1 loses all where the body is large.
    var keepsEarlyAnswers = true

    /// Whether libcurl says that the server has excluded a request that it is about to send again.
    ///
    /// By REFUSED_STREAM, or by a GOAWAY with a lower stream. Up to 8.18, that looks like a connection that
    /// ended after the request had been processed.
    var tellsRefusals = true

    /// The libcurl of this machine; it is looked up on first use.
    ///
    /// - Throws: ``Unavailable`` if there is none that can be used.
    public static func lookUp() throws(Unavailable) -> CurlLibrary { try found.get() }

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
                tellsRefusals: number >= 0x081300))
    }()

    /// Its version and its TLS library.
    var name: String { "libcurl \(version)" + (tlsLibrary.map { " with \($0)" } ?? "") }

    /// Whether it was built with a feature.
    func has(_ feature: ccurl_feature) -> Bool { features & feature.rawValue != 0 }

    static func words(ofVersion number: UInt32) -> String {
        "\(number >> 16 & 0xff).\(number >> 8 & 0xff).\(number & 0xff)"
    }
}

extension CurlLibrary {
    /// Why libcurl cannot be used on this machine, and what to do.
    public struct Unavailable: Error, CustomStringConvertible, ShownCause, Hashable {
        /// The reason and the remedy, in words.
        public let description: String

        /// Makes an error from the result of a look-up; nil if libcurl can be used.
        init?(_ availability: ccurl_availability, version: UInt32) {
            switch availability {
            case ccurl_available: return nil
            case ccurl_missing:
                // On Linux SessionTransport needs it as well: FoundationNetworking is linked with it.
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

extension CurlLibrary.Unavailable: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension CurlLibrary.Unavailable: CallerError {
    /// Nothing was sent.
    public var isCertainlyUnsent: Bool { true }
}

import CPledgeCurl
import PledgeHTTPNetworking
public import PledgeServices

extension CurlLibrary {
    /// Why libcurl cannot be used on this machine, and what to do.
    public struct Unavailable: Error {
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

extension CurlLibrary.Unavailable: CustomStringConvertible {}

extension CurlLibrary.Unavailable: LocalizedError {
    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension CurlLibrary.Unavailable: ShownCause {}

extension CurlLibrary.Unavailable: CallerError {
    /// Nothing was sent.
    public var isCertainlyUnsent: Bool { true }
}

extension CurlLibrary.Unavailable: Hashable {}

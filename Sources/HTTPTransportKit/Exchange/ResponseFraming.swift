package import PledgeHTTPMessages
import PledgeHTTPText

extension HTTPResponse {
    /// Returns whether the response has no body, whatever its fields say (RFC 9112, section 6.3).
    ///
    /// - Parameter method: The method of the request.
    package func isBodyless(for method: HTTPMethod) -> Bool {
        method == .head || status == 204 || status == 304
    }

    /// Returns the announced length of the body, in bytes; nil if there is none, or if it is not a number.
    ///
    /// It is zero for a response that has no body, whatever its fields say.
    ///
    /// - Parameter method: The method of the request.
    package func announcedLength(for method: HTTPMethod) -> Int64? {
        isBodyless(for: method) ? 0 : headers["Content-Length"].flatMap { Int64($0) }
    }

    /// Returns whether the fields fail to say where the body ends.
    ///
    /// They fail to do so if there is no Transfer-Encoding, and Content-Length is not a number or has two different
    /// values. A client must not use such a response (RFC 9112, section 6.3).
    ///
    /// - Parameter method: The method of the request.
    package func hasInvalidLength(for method: HTTPMethod) -> Bool {
        guard let joined = headers["Content-Length"], headers["Transfer-Encoding"] == nil,
            !isBodyless(for: method)
        else { return false }
        if Self.isLength(joined) { return false }
        let lengths = joined.utf8.split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false
        ).map { Substring($0.trimmed) }
        return lengths.contains { $0 != lengths[0] || !Self.isLength($0) }
    }

    private static func isLength(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy(\.isDigit) && Int64(text) != nil
    }
}

extension HTTPError {
    package static let invalidLength = "its Content-Length is not one number"

    package static func tooLarge(_ limit: Int) -> String {
        "its body has more than \(limit) bytes"
    }
}

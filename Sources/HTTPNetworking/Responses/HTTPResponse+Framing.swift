extension HTTPResponse {
    /// Whether it has no body, whatever its fields say (RFC 9112, section 6.3).
    ///
    /// - Parameter method: The method of the request.
    package func isBodyless(for method: HTTPMethod) -> Bool {
        method == .head || status == 204 || status == 304
    }

    /// The announced number of bytes of its body; nil if there is none, or if it is not a number.
    ///
    /// - Parameter method: The method of the request.
    package func announcedLength(for method: HTTPMethod) -> Int64? {
        isBodyless(for: method) ? 0 : headers["Content-Length"].flatMap { Int64($0) }
    }

    /// Whether its fields do not say where its body ends: without Transfer-Encoding, a Content-Length that is
    /// not a number, or two different ones.
    ///
    /// A client must not use such a response (RFC 9112, section 6.3).
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
    /// The reason for a response whose length is invalid.
    package static let invalidLength = "its Content-Length is not one number"

    /// The reason for a response whose body is too large.
    package static func tooLarge(_ limit: Int) -> String {
        "its body has more than \(limit) bytes"
    }
}

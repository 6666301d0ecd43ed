/// The reason why no secure connection could be made, in this package's own words.
package enum TLSFailureReason {
    /// The reason in the error text of a TLS library: OpenSSL, BoringSSL, libcurl, or SwiftNIO.
    ///
    /// - Returns: Nil if the reason is not known. The library's text is not shown, because it may contain
    ///   secrets.
    package static func reason(in text: String) -> String? {
        let text = text.lowercased()
        return reasons.first { words, _ in words.contains { text.contains($0) } }?.reason
    }

    /// The first match is used, so the least specific words are last.
    private static let reasons: [(words: [String], reason: String)] = [
        (["pinned"], "the server has none of the pinned keys"),
        (["not yet valid"], "the certificate is not valid yet"),
        (["expired"], "the certificate has expired"),
        (
            [
                "hostname", "subject name", "does not match", "doesn't match",
                "no alternative cert",
            ], "the certificate is for another host"
        ),
        (
            ["self-signed", "self signed", "issuer", "unknown_ca", "unknown ca"],
            "the certificate's authority is unknown"
        ),
        (
            ["certificate_required", "certificate required", "bad_certificate", "bad certificate"],
            "the server asks for a client's certificate, or refuses it"
        ),
        (
            [
                "certificate_verify_failed", "unabletovalidate", "certificate verif",
                "certificate problem",
            ],
            "the certificate is not trusted: its authority is unknown, or its time is over"
        ),
        (
            ["wrong_version_number", "wrong version", "unsupported_protocol", "protocol_version"],
            "the server speaks no TLS, or no version of it that is accepted"
        ),
        (["handshake", "eof"], "the handshake failed"),
    ]
}

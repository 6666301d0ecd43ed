import PledgeHTTPNetworking

/// libcurl's message for a failure that FoundationNetworking calls "unknown".
///
/// The message is interpreted, and never shown: it may contain anything.
struct LibcurlWords {
    private let words: String

    init(_ words: String) { self.words = words.lowercased() }

    /// The status by which a proxy refused a tunnel; nil if the message is about something else.
    var proxyStatus: Int? {
        let status = words.firstMatch(
            of: /^(?:connect tunnel failed, response|received http code) ([0-9]{3})\b/)
        return status.flatMap { Int($0.1) }
    }

    /// What the message means; nil if that is not known.
    ///
    /// The first match counts: a connection may be lost while TLS reads, and a certificate's name may contain
    /// any words.
    var meaning: HTTPError.Code? {
        if let proxyStatus { return .refusal(byProxy: proxyStatus) }
        return Self.meanings.first { phrases, _ in phrases.contains { words.contains($0) } }?.code
    }

    private static let meanings: [(phrases: [String], code: HTTPError.Code)] = [
        (
            [
                "connection reset", "broken pipe", "transfer closed", "connection died",
                "unexpected eof", "ssl_error_syscall", "close_notify", "closed abruptly",
                "not closed cleanly", "goaway", "server closed", "empty reply",
                "http2 framing layer", "failure when receiving data", "failed sending data",
                "closed cleanly, but before",
            ], .connectionLost
        ),
        (
            [
                "certificate", "ssl routines", "ssl:", "ssl_connect", "tls alert", "handshake",
                "ssl peer", "gnutls", "mbedtls", "public key", "alert internal error",
            ], .insecureConnection
        ),
        (
            [
                // FoundationNetworking refuses a head that is not UTF-8 while libcurl writes it, libcurl reports
                // a field of more than 100 KiB as a lack of memory, and bytes after a coded body as bytes that
                // it cannot write.
                "writing header", "writing received data", "out of memory", "response headers",
                "header without colon",
                "header line", "content-length", "chunked-encoding", "chunk", "content encoding",
                "content unencoding", "hexadecimal", "transfer-encoding", "http version",
                "http/0.9",
                "status line", "weird server reply", "nul", "excess found",
            ], .badResponse
        ),
    ]
}

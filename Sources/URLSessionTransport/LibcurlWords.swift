import PledgeHTTPMessages

/// libcurl's message about a failure that FoundationNetworking calls "unknown".
///
/// It may contain anything, so it's interpreted, but never shown.
struct LibcurlWords {
    private let words: String

    init(_ words: String) { self.words = words.lowercased() }

    /// The status with which a proxy refused a tunnel.
    var proxyStatus: Int? {
        let status = words.firstMatch(
            of: /^(?:connect tunnel failed, response|received http code) ([0-9]{3})\b/)
        return status.flatMap { Int($0.1) }
    }

    /// The message's code; nil if the message is unknown.
    ///
    /// The first match wins. Lost connections come first, because the message also mentions TLS if TLS was reading just
    /// then. TLS comes next, because a message that names a certificate may contain any other words.
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
                "closed cleanly, but before", "bytes missing",
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
                // libcurl fails to write a header that FoundationNetworking refuses, because the head isn't UTF-8;
                // fails to write data that follows an encoded body; and reports a field of more than 100 KiB as a lack
                // of memory.
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

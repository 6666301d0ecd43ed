import HTTPNetworking

/// What libcurl says of a failure that FoundationNetworking calls "unknown".
///
/// They are read, and never shown: they may hold anything.
struct LibcurlWords {
    private let words: String

    init(_ words: String) { self.words = words.lowercased() }

    /// What they mean, nil where that is not known.
    ///
    /// The first that fits is taken: a connection may be lost while TLS reads, and a certificate may
    /// have any words in its name.
    var meaning: HTTPError.Code? {
        Self.meanings.first { phrases, _ in phrases.contains { words.contains($0) } }?.code
    }

    private static let meanings: [(phrases: [String], code: HTTPError.Code)] = [
        (
            [
                "connection reset", "broken pipe", "transfer closed", "connection died",
                "unexpected eof", "ssl_error_syscall", "close_notify", "closed abruptly",
                "not closed cleanly", "goaway", "server closed", "empty reply",
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
                // FoundationNetworking refuses a head that is not UTF-8 in the middle of libcurl's
                // writing, and a field of more than 100 KiB is libcurl's lack of memory.
                "writing header", "out of memory", "response headers", "header without colon",
                "header line", "content-length", "chunked-encoding", "chunk", "content encoding",
                "content unencoding", "hexadecimal", "transfer-encoding", "http version",
                "http/0.9",
                "status line", "weird server reply", "nul", "excess found",
            ], .badResponse
        ),
    ]
}

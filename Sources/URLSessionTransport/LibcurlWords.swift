import PledgeHTTPNetworking

/// libcurl's message about a failure that FoundationNetworking calls "unknown".
///
/// The message may contain anything. So it is interpreted, but never shown.
struct LibcurlWords {
    private let words: String

    init(_ words: String) { self.words = words.lowercased() }

    /// The status with which a proxy refused a tunnel; nil if the message is about something else.
    var proxyStatus: Int? {
        let status = words.firstMatch(
            of: /^(?:connect tunnel failed, response|received http code) ([0-9]{3})\b/)
        return status.flatMap { Int($0.1) }
    }

    /// The code that the message stands for; nil if the message is unknown.
    ///
    /// The first match wins. The words for a lost connection come first: if TLS was reading when the connection was
    /// lost, the message has words about TLS too. The words about TLS come next, because a message that names a
    /// certificate may contain any other words too.
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
                // If a head is not UTF-8, FoundationNetworking refuses it, and libcurl reports that it failed to write
                // the header. libcurl reports a field of more than 100 KiB as a lack of memory. If bytes follow an
                // encoded body, libcurl reports that it failed to write received data.
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

extension HTTPHeaders {
    /// When a caller may not set a field.
    enum Reservation: Sendable {
        /// Never: it is about the connection or the framing, which are the transport's.
        case always
        /// Where there are several, or it names no host.
        case host
        /// Where the body has another length.
        case length
    }

    /// Whether a field is the transport's to set; nil where it is the caller's.
    static func reservation(of name: String) -> Reservation? {
        // Most names are told apart by their length, without a copy in lower case.
        switch name.utf8.count {
        case 2, 4, 6, 7, 10, 14, 16, 17: reserved[name.lowercased()]
        default: nil
        }
    }

    /// The same without what is about the connection on which it came: what may be handed on.
    package var withoutConnection: HTTPHeaders {
        HTTPHeaders(
            lazy.filter { Self.reservation(of: $0.name) != .always }.map { ($0.name, $0.value) })
    }

    private static let reserved: [String: Reservation] = [
        "host": .host, "content-length": .length,
        // RFC 9110, section 7.6.1, and RFC 9113, section 8.2.2.
        "connection": .always, "keep-alive": .always, "proxy-connection": .always, "te": .always,
        "trailer": .always, "transfer-encoding": .always, "upgrade": .always,
        // The sender has to wait for the answer to it.
        "expect": .always,
    ]
}

extension HTTPHeaders {
    /// The condition under which a caller may not set a field.
    enum Reservation: Sendable {
        /// Always: it concerns the connection, the framing or the proxy, which belong to the transport.
        case always
        /// If there are several, or if it names no host.
        case host
        /// If the body has another length.
        case length
    }

    /// The reservation of a field; nil if the caller may set it.
    static func reservation(of name: String) -> Reservation? {
        // The length distinguishes most names, without a copy in lower case.
        switch name.utf8.count {
        case 2, 4, 6, 7, 10, 14, 16, 17, 19: reserved[name.lowercased()]
        default: nil
        }
    }

    /// The same without the fields of its connection: the fields that may be forwarded.
    package var withoutConnection: HTTPHeaders {
        var headers = HTTPHeaders()
        headers.add(self) { Self.reservation(of: $0) != .always }
        return headers
    }

    private static let reserved: [String: Reservation] = [
        "host": .host, "content-length": .length,
        // RFC 9110, section 7.6.1, and RFC 9113, section 8.2.2.
        "connection": .always, "keep-alive": .always, "proxy-connection": .always, "te": .always,
        "trailer": .always, "transfer-encoding": .always, "upgrade": .always,
        // The sender has to wait for the answer to it.
        "expect": .always,
        // Within a tunnel it would arrive at the origin.
        "proxy-authorization": .always,
    ]
}

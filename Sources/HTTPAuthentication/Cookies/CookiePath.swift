/// The paths that a cookie's path matches.
enum CookiePath {
    /// The default path of a cookie: the request's path without its last segment (RFC 6265, section 5.1.4).
    static func standard(for request: String) -> String {
        guard request.utf8.first == UInt8(ascii: "/"),
            let last = request.utf8.lastIndex(of: UInt8(ascii: "/")),
            last != request.startIndex
        else { return "/" }
        return String(request[..<last])
    }

    /// Whether a request's path is a cookie's path, or is below it (the same section).
    static func matches(request: String, cookie: String) -> Bool {
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        let rest = request.utf8.dropFirst(cookie.utf8.count)
        return rest.isEmpty || cookie.utf8.last == UInt8(ascii: "/")
            || rest.first == UInt8(ascii: "/")
    }
}

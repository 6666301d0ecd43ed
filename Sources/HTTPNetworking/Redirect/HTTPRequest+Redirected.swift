extension HTTPRequest {
    /// The request that follows a redirect, still with the old URL (RFC 9110, section 15.4).
    func redirected(with status: Int) -> HTTPRequest {
        let becomesGet =
            status == 303
            ? method != .head && method != .get
            : (status == 301 || status == 302) && method == .post
        guard becomesGet else { return self }
        var request = self
        request.method = .get
        request.body = .none
        request.context.idempotencyKey = nil
        for (name, _) in headers where Self.isOfBody(name) { request.headers.remove(name) }
        return request
    }

    /// Removes headers that may be secrets of the present origin and are not meant for another one.
    mutating func removeSecrets(_ rules: RedirectRules, leavingFor other: HTTPOrigin) {
        let meant = context.credentials.filter { $0.isFor(other) }.map { $0.header.lowercased() }
        for (name, _) in headers where !rules.mayLeave(name.lowercased(), meant) {
            headers.remove(name)
        }
        context.credentials.removeAll { headers[$0.header] == nil }
    }

    /// The request without the fragment, which is not sent.
    var withoutFragment: HTTPRequest {
        let text = url.absoluteString
        guard let end = text.utf8.firstIndex(of: UInt8(ascii: "#")),
            let url = URL(string: String(text[..<end]))
        else { return self }
        var request = self
        request.url = url
        return request
    }

    /// Whether a header describes a body, or is a precondition.
    private static func isOfBody(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-") || ofBody.contains(name)
    }

    private static let ofBody: Set<String> = [
        "transfer-encoding", "trailer", "expect", "digest", "repr-digest", "last-modified",
        "idempotency-key", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range",
    ]
}

extension Endpoint {
    /// The absolute URL; nil if there is no valid one.
    ///
    /// Path and query are appended to those of ``base``, and begin as ``Path`` and ``queryItems`` say.
    /// In a path that is a variable every character is percent-encoded as UTF-8 but letters, digits and
    /// `-._~!$&'()*,;=:@/` (RFC 3986, section 3.3, less "+", which some servers read as a space); in a
    /// value within a path "/" and ";" too; in a query's name or value every one but letters, digits
    /// and `-._~`. Any decoder of URIs or of forms decodes the same text. Empty segments are kept.
    ///
    /// It is nil if there is no absolute http or https base with a host, if the host is percent-encoded or
    /// the port is above 65535, if the path is a URL, if a segment of it is "." or "..", also between slashes
    /// or backslashes of a value, and if a value that is a whole segment is empty: clients and servers remove
    /// such segments, each in its own way, so "/products/.." would be another resource. Complexity: linear in
    /// the length of the path and the query.
    public var url: URL? {
        guard pathAndQuery.isValid, let base, let whole = AbsoluteURL(base) else { return nil }
        return URL(string: whole.text(appending: target))
    }

    /// The path and the whole query, percent-encoded.
    var target: String {
        if queryItems.isEmpty { return pathAndQuery.text }
        let items = queryItems.map { item in
            let name = PercentEncoding.query.encode(item.name)
            return item.value.map { "\(name)=\(PercentEncoding.query.encode($0))" } ?? name
        }
        let text = pathAndQuery.text
        let mark = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
        return text + mark + items.joined(separator: "&")
    }
}

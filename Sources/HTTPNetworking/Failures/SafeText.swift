/// Text for a log: no userinfo, no query values, no control characters.
package enum SafeText {
    /// A URL without userinfo, each value of its query replaced by "…".
    package static func redacted(_ url: URL) -> String {
        guard let parts = AbsoluteURL(url) else { return "an invalid URL" }
        let text = parts.schemeAndAuthority
        let shown =
            text.lastIndex(of: "@").map { at in
                "\(text.prefix { $0 != "/" })//…@\(text[text.index(after: at)...])"
            } ?? String(text)
        return shown + redacted(pathAndQuery: parts.path + (parts.query.map { "?" + $0 } ?? ""))
    }

    /// A path and a query, percent-encoded, each value of the query replaced by "…".
    static func redacted(pathAndQuery text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let query = text[mark...].dropFirst()
        return text[...mark] + (query.isEmpty ? "" : names(inQuery: query).joined(separator: "&"))
    }

    /// A text with each control character written as an escape, at most 100 characters of it.
    package static func escaped(_ text: String) -> String {
        let all = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\""
                ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return all.count > 100 ? all.prefix(100).joined() + "…" : all.joined()
    }

    /// The names of a query or a form, with "…" for each value.
    package static func names(inQuery query: Substring) -> [String] {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            item.firstIndex(of: "=").map { "\(item[..<$0])=…" } ?? "…"
        }
    }
}

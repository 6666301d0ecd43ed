#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Text that may stand in a log: no userinfo, no query values, no control characters.
package enum SafeText {
    /// A URL without userinfo, each value of its query replaced by "…".
    package static func redacted(_ url: URL) -> String {
        guard let parts = AbsoluteURL(url) else { return "an invalid URL" }
        let text = parts.schemeAndAuthority
        let shown =
            text.lastIndex(of: "@").map { at in
                "\(text.prefix { $0 != "/" })//…@\(text[text.index(after: at)...])"
            } ?? String(text)
        return shown + parts.path
            + (parts.query.map { query in
                query.isEmpty ? "?" : "?" + names(inQuery: query).joined(separator: "&")
            } ?? "")
    }

    /// The path and the query of an endpoint that has no URL, its values replaced by "…".
    package static func redactedPlace(of endpoint: Endpoint) -> String {
        // What was meant as a URL may carry userinfo; only the beginning is safe to show.
        if AbsoluteURL.isMeant(by: endpoint.path) { return "an invalid URL" }
        let names = endpoint.queryItems.map { item in
            item.value == nil ? "…" : "\(PercentEncoding.query.encode(item.name))=…"
        }
        let path = PercentEncoding.path.encode(endpoint.path)
        return names.isEmpty ? path : "\(path)?\(names.joined(separator: "&"))"
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

#if canImport(FoundationNetworking)
import Foundation

extension URL {
    /// The same URL, with an IPv6 address as its host percent-encoded.
    ///
    /// URLSession on Linux passes a URL to libcurl only if Foundation and libcurl find the same host in it.
    /// In `[::1]` Foundation finds `::1`, and libcurl `[::1]`; in `%5B%3A%3A1%5D` both find `[::1]`, and
    /// libcurl connects to that address and sends it so in Host.
    var withEncodedLiteral: URL {
        replacingHost(from: "[", to: "]") { literal in
            "%5B\(literal.replacing("%", with: "%25").replacing(":", with: "%3A"))%5D"
        }
    }

    /// The inverse of ``withEncodedLiteral``.
    var withPlainLiteral: URL {
        replacingHost(from: "%5B", to: "%5D") { literal in
            "[\(literal.replacing("%3A", with: ":").replacing("%25", with: "%"))]"
        }
    }

    /// The same URL with another host, if the host begins and ends with the given texts.
    private func replacingHost(
        from start: String, to end: String, by change: (Substring) -> String
    ) -> URL {
        let text = absoluteString
        guard let scheme = text.firstRange(of: "://") else { return self }
        let rest = text[scheme.upperBound...]
        let authority = rest[..<(rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex)]
        let hostStart = authority.lastIndex(of: "@").map(authority.index(after:))
        let host = authority[(hostStart ?? authority.startIndex)...]
        guard host.hasPrefix(start), let close = host.firstRange(of: end) else { return self }
        let inner = host[..<close.lowerBound].dropFirst(start.count)
        let changed = text[..<host.startIndex] + change(inner) + text[close.upperBound...]
        return URL(string: String(changed)) ?? self
    }
}
#endif

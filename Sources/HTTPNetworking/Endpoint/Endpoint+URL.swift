#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Endpoint {
    /// The absolute URL, or nil where there is no valid one.
    ///
    /// In the path every character is percent-encoded as UTF-8 but letters, digits and
    /// `-._~!$&'()*,;=:@` (RFC 3986, section 3.3, less "+", which some servers read as a space);
    /// in a query's name or value every one but letters, digits and `-._~`. Any decoder of URIs or
    /// of forms reads the same text again. Empty segments are kept.
    ///
    /// It is nil where there is no absolute http or https base with a host, where the host is
    /// percent-encoded or the port above 65535, where the path is a URL although there is a base,
    /// and where a segment of the path is "." or "..": clients and servers remove such segments,
    /// each in its own way, so that "/products/.." would ask for something else. Complexity:
    /// linear in the length of the path and the query.
    public var url: URL? {
        var path = path
        var start = base
        if AbsoluteURL.isMeant(by: path) {
            guard start == nil else { return nil }
            start = URL(string: path)
            path = ""
        }
        guard let start, let whole = AbsoluteURL(start) else { return nil }
        let segments = path.utf8.split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        guard
            !segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        return URL(string: whole.text(appending: path, queryItems))
    }
}

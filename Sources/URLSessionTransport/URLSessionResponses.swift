import PledgeHTTPMessages

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPResponse {
    /// Foundation has lost the fields' order and joined repeated fields.
    ///
    /// So the fields are sorted by name, and Set-Cookie is split again. A name that is no token is dropped. CR, LF and
    /// NUL in a value become spaces.
    init(_ response: HTTPURLResponse, body: Data) {
        var headers = HTTPHeaders()
        // Cast, because string interpolation would take a microsecond each.
        let fields = response.allHeaderFields.map { name, value in
            (name.base as? String ?? "\(name)", value as? String ?? "\(value)")
        }
        for (name, value) in fields.sorted(by: { $0.0 < $1.0 }) where HTTPHeaders.isToken(name) {
            let value = HTTPHeaders.withoutLineEnds(value)
            if name.utf8.count == 10, name.lowercased() == "set-cookie" {
                for cookie in SetCookie.split(value) { headers.add(cookie, for: name) }
            } else {
                headers.add(value, for: name)
            }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}

extension HTTPResponse {
    /// Removes Content-Encoding and Content-Length if URLSession has decoded the body.
    ///
    /// If it doesn't know one of several codings, it leaves the body and the headers as they are.
    ///
    /// - Parameter known: The codings that URLSession decodes; nil if it decodes all.
    mutating func dropFraming(decodedFrom known: Set<String>? = Self.decodedCodings) {
        let codings = (headers["Content-Encoding"] ?? "").lowercased().split(separator: ",")
            .map(HTTPHeaders.trimmed).filter { !$0.isEmpty && $0 != "identity" }
        guard request?.method != .head, !codings.isEmpty,
            known.map({ $0.isSuperset(of: codings) }) ?? true
        else { return }
        headers.remove("Content-Encoding")
        headers.remove("Content-Length")
        // So a download doesn't take the number of decoded bytes for a place in the file.
        if request?.context.coding != nil { request?.context.coding = .decoded }
    }

    /// The codings that URLSession decodes on this system; nil if it decodes all.
    ///
    /// On Linux, libcurl decodes a body or fails the call. Apple's URLSession leaves a body in an unknown coding as it
    /// is. It decodes br since iOS 11, and zstd since the 26.3 systems.
    private static var decodedCodings: Set<String>? {
        #if canImport(FoundationNetworking)
        nil
        #else
        if #available(macOS 26.3, iOS 26.3, tvOS 26.3, watchOS 26.3, visionOS 26.3, *) {
            ["gzip", "x-gzip", "deflate", "br", "zstd"]
        } else {
            ["gzip", "x-gzip", "deflate", "br"]
        }
        #endif
    }
}

/// Splits a value that Foundation has joined from repeated Set-Cookie fields.
enum SetCookie {
    /// The cookies in a joined value, in order.
    ///
    /// Foundation joins by ", ". A comma separates cookies if an attribute comes before it, and a name and "=" after it
    /// (RFC 6265, section 4.1.1), unlike the comma in a date ("Wed, 21 Oct 2026").
    ///
    /// Without an attribute, as in `lang=x, sid=y`, it may be one cookie with a comma in its text, and none is
    /// returned. Otherwise, users who can choose the text of `lang` could set `sid` too.
    static func split(_ joined: String) -> [String] {
        var cookies: [String] = []
        var rest = joined.utf8[...]
        var from = rest.startIndex
        var isAmbiguous = false
        while let comma = rest[from...].firstIndex(of: UInt8(ascii: ",")) {
            from = rest.index(after: comma)
            guard let next = cookie(after: rest[from...]) else { continue }
            guard rest[..<comma].contains(UInt8(ascii: ";")) else {
                isAmbiguous = true
                continue
            }
            if !isAmbiguous { cookies.append(String(Substring(rest[..<comma]))) }
            rest = next
            from = next.startIndex
            isAmbiguous = false
        }
        return isAmbiguous ? cookies : cookies + [String(Substring(rest))]
    }

    /// The text after a comma, without leading spaces, if a cookie may begin there.
    private static func cookie(after comma: Substring.UTF8View) -> Substring.UTF8View? {
        let next = comma.drop { $0 == UInt8(ascii: " ") }
        let name = next.prefix(while: HTTPHeaders.isTokenByte)
        let begins =
            next.startIndex > comma.startIndex && !name.isEmpty
            && next[name.endIndex...].first == UInt8(ascii: "=")
        return begins ? next : nil
    }
}

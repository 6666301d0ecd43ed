import PledgeHTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension HTTPResponse {
    /// Creates a response from Foundation's response, which has lost the fields' order and joined repeated fields.
    ///
    /// The fields are sorted by name, and Set-Cookie is split again. A field whose name is not a token is dropped. CR,
    /// LF and NUL in a value become spaces.
    init(_ response: HTTPURLResponse, body: Data) {
        var headers = HTTPHeaders()
        // Names and values are strings, so they are cast. String interpolation would take a microsecond for each of
        // them.
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
    /// Removes Content-Encoding and Content-Length if URLSession has decoded the body, because they are no longer true.
    ///
    /// If the body has several codings and URLSession doesn't know one of them, the body stays encoded and the headers
    /// stay.
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
        // A download must not count these bytes.
        if request?.context.coding != nil { request?.context.coding = .decoded }
    }

    /// The codings that URLSession decodes on this system; nil if it decodes all.
    ///
    /// On Linux, libcurl decodes a body or fails the call. Apple's URLSession leaves a body in an unknown coding as the
    /// server sent it. It decodes br since iOS 11, and zstd since the 26.3 systems.
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
    /// Returns the cookies in a joined value, in order.
    ///
    /// Foundation joins cookies with ", ". A comma separates two cookies if an attribute comes before it, and a name
    /// and "=" come after it (RFC 6265, section 4.1.1). The comma in a date ("Wed, 21 Oct 2026") has no name and "="
    /// after it.
    ///
    /// Without an attribute, as in `lang=x, sid=y`, the value may be two cookies, or one with a comma in its text. Then
    /// no cookie is returned. If two were returned, and a server lets users choose the text of `lang`, users could set
    /// `sid` too.
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

    /// Returns the text after a comma, without leading spaces, if a cookie may begin there; nil if not.
    private static func cookie(after comma: Substring.UTF8View) -> Substring.UTF8View? {
        let next = comma.drop { $0 == UInt8(ascii: " ") }
        let name = next.prefix(while: HTTPHeaders.isTokenByte)
        let begins =
            next.startIndex > comma.startIndex && !name.isEmpty
            && next[name.endIndex...].first == UInt8(ascii: "=")
        return begins ? next : nil
    }
}

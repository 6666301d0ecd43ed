import PledgeHTTPNetworking

/// A parsed Set-Cookie header, before it is known whether it is accepted (RFC 6265, section 5.2).
struct SetCookie {
    let name: String
    let value: String
    /// Whether a character of name and value stands for a byte, since they are not UTF-8.
    let isLatin1: Bool
    private(set) var expires: HTTPDate?
    /// In seconds; at most 2³¹.
    private(set) var maxAge: Int64?
    /// Never empty; in lower case, without a dot in front.
    private(set) var domain: String?
    /// Never empty; begins with "/".
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// An attribute that is longer is ignored (RFC 6265bis, section 5.6).
    private static let longestAttribute = 1_024

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - text: The value of one Set-Cookie.
    ///   - limit: How many bytes name and value may have together.
    /// - Returns: Nil without "=" or a name, with too many bytes, or with a character that cannot be sent.
    ///   Complexity: linear in the length of the text.
    init?(_ text: String, limit: Int) {
        guard HTTPHeaders.isValid(name: "Cookie", value: text) else { return nil }
        self.init(text, isLatin1: false, limit: limit)
    }

    /// Reads a header of a response, whose bytes are kept.
    init?(_ received: ReceivedValue, limit: Int) {
        guard let bytes = received.returnable else { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        self.init(
            text ?? HTTPHeaders.text(ofLatin1: bytes), isLatin1: text == nil, limit: limit)
    }

    private init?(_ text: String, isLatin1: Bool, limit: Int) {
        var parts = Self.split(text, at: ";")
        guard !parts.isEmpty else { return nil }
        let pair = Self.pair(parts.removeFirst())
        let length = { (text: String) in isLatin1 ? text.unicodeScalars.count : text.utf8.count }
        guard let value = pair.value, !pair.name.isEmpty,
            length(pair.name) <= limit - length(value)
        else { return nil }
        self.isLatin1 = isLatin1
        name = pair.name
        self.value = value
        for part in parts {
            let attribute = Self.pair(part)
            take(attribute.name.lowercased(), attribute.value ?? "")
        }
    }

    /// Takes an attribute; if it occurs twice, the last counts.
    private mutating func take(_ name: String, _ value: String) {
        guard value.utf8.count <= Self.longestAttribute else { return }
        switch name {
        case "expires": expires = CookieDate.date(value) ?? expires
        case "max-age": maxAge = Self.seconds(value) ?? maxAge
        case "domain":
            let domain = value.utf8.first == UInt8(ascii: ".") ? String(value.dropFirst()) : value
            if !domain.isEmpty { self.domain = domain.lowercased() }
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased())
        default: break
        }
    }

    /// A number of seconds, of any size; below zero the cookie has expired.
    private static func seconds(_ text: String) -> Int64? {
        guard text.hasPrefix("-") else { return DeltaSeconds.parse(text) }
        return DeltaSeconds.parse(text.dropFirst()).map { _ in 0 }
    }

    /// By bytes, because a character may consist of several scalars, and a server parses each.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(
            separator: UInt8(ascii: separator), omittingEmptySubsequences: false
        ).map(Substring.init)
    }

    /// Name and value without white space around them; no value without "=".
    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            return (trimmed(text), nil)
        }
        return (trimmed(text[..<equals]), trimmed(text[text.utf8.index(after: equals)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        String(Substring(text.utf8.trimmed))
    }
}

import PledgeHTTPMessages
import PledgeHTTPText

extension Cookie {
    /// Returns nil if the cookie must not be stored.
    ///
    /// It follows RFC 6265, section 5.3, and two rules of RFC 6265bis, section 5.7, that protect cookies set over TLS:
    /// Secure is accepted from https only, and the prefixes `__Secure-` and `__Host-` are checked.
    ///
    /// - Parameters:
    ///   - header: The parsed header.
    ///   - place: The URL that sent it.
    ///   - now: The date.
    ///   - isPublicSuffix: Returns whether anyone may register names directly below a domain.
    init?(
        _ header: SetCookie, from place: CookieURL, at now: Date,
        isPublicSuffix: (String) -> Bool
    ) {
        if header.isSecure, !place.isSecure { return nil }
        guard
            let domain = Self.domain(of: header, from: place, isPublicSuffix: isPublicSuffix)
        else { return nil }
        name = header.name
        value = header.value
        isLatin1 = header.isLatin1
        self.domain = domain.name
        isHostOnly = domain.isHostOnly
        path = header.path ?? CookiePath.standard(for: place.path)
        expires = Self.expiry(of: header, at: now)
        isSecure = header.isSecure
        isHTTPOnly = header.isHTTPOnly
        sameSite = header.sameSite
        if !Self.keepsPromise(of: header) { return nil }
    }

    /// The cookie's domain; nil if the sender must not set cookies for it.
    private static func domain(
        of header: SetCookie, from place: CookieURL, isPublicSuffix: (String) -> Bool
    ) -> (name: String, isHostOnly: Bool)? {
        guard let domain = header.domain else { return (place.host, true) }
        if CookieDomain.isAddress(place.host) || CookieDomain.isSingleLabel(domain)
            || isPublicSuffix(domain)
        {
            return domain == place.host ? (domain, true) : nil
        }
        let isOurs = CookieDomain.matches(host: place.host, domain: domain)
        return isOurs && domain.utf8.last != UInt8(ascii: ".") ? (domain, false) : nil
    }

    /// When the cookie expires; Max-Age overrides Expires.
    private static func expiry(of header: SetCookie, at now: Date) -> Date? {
        guard let age = header.maxAge else { return header.expires }
        return age <= 0 ? .distantPast : now.inWholeSeconds.addingTimeInterval(Double(age))
    }

    /// Returns whether the cookie keeps what its prefix, `__Host-` or `__Secure-`, promises.
    private static func keepsPromise(of header: SetCookie) -> Bool {
        let name = header.name.lowercased()
        if name.hasPrefix("__host-") {
            return header.isSecure && header.domain == nil && header.path == "/"
        }
        return !name.hasPrefix("__secure-") || header.isSecure
    }
}

/// A parsed Set-Cookie header, which a jar may still refuse (RFC 6265, section 5.2).
struct SetCookie {
    let name: String
    let value: String
    /// True if each character of name and value stands for one byte, because they aren't UTF-8.
    let isLatin1: Bool
    private(set) var expires: Date?
    /// In seconds, at most 2³¹.
    private(set) var maxAge: Int64?
    /// In lower case, without a leading dot; never empty.
    private(set) var domain: String?
    /// Begins with "/".
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// In bytes; longer attributes are ignored (RFC 6265bis, section 5.6).
    private static let longestAttribute = 1_024

    /// Returns nil if there is no "=" or no name, if name and value have more bytes than `limit`, or if a character
    /// can't be sent.
    ///
    /// - Complexity: Linear in the length of the text.
    init?(_ text: String, limit: Int) {
        guard HTTPHeaders.isValid(name: "Cookie", value: text) else { return nil }
        self.init(text, isLatin1: false, limit: limit)
    }

    /// Parses a received header, and keeps its bytes if they aren't UTF-8.
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
            readAttribute(attribute.name.lowercased(), attribute.value ?? "")
        }
    }

    /// Stores an attribute; the last one with a name counts.
    private mutating func readAttribute(_ name: String, _ value: String) {
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

    /// A number of seconds; zero if it's negative, so that the cookie expires at once.
    private static func seconds(_ text: String) -> Int64? {
        guard text.hasPrefix("-") else { return DeltaSeconds.parse(text) }
        return DeltaSeconds.parse(text.dropFirst()).map { _ in 0 }
    }

    /// Splits by bytes, as servers do: splitting by `Character` would miss a separator before a combining accent.
    private static func split(_ text: String, at separator: Unicode.Scalar) -> [Substring] {
        text.utf8.split(
            separator: UInt8(ascii: separator), omittingEmptySubsequences: false
        ).map(Substring.init)
    }

    /// The trimmed name and value; the value is nil without a "=".
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

/// The date in a cookie's Expires (RFC 6265, section 5.1.1).
///
/// Unlike in HTTP's other dates, the parts may be in any order, with anything between them.
enum CookieDate {
    /// Returns nil if a part is missing or out of range.
    ///
    /// - Complexity: Linear in the length of the text.
    static func date(_ text: some StringProtocol) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let token = ArraySlice(token)
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found.value
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = fullYear(found.value)
            }
        }
        guard let time, let day, let month, let year, year >= 1601, time.second <= 59,
            let fields = DateFields(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute,
                second: time.second)
        else { return nil }
        return Date(secondsSince1970: fields.secondsSince1970)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Two digits mean a year from 1970 to 2069.
    private static func fullYear(_ year: Int) -> Int {
        switch year {
        case 0...69: year + 2000
        case 70...99: year + 1900
        default: year
        }
    }

    /// Reads "h:m:s", each of one or two digits, with no digit after it.
    private static func time(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        guard let hour = number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = number(hour.rest.dropFirst(), digits: 1...2),
            minute.rest.first == UInt8(ascii: ":"),
            let second = number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// The number at the start of a token; nil unless it has as many digits as allowed.
    private static func number(
        _ token: ArraySlice<UInt8>, digits: ClosedRange<Int>
    ) -> (value: Int, rest: ArraySlice<UInt8>)? {
        let found = token.prefix(while: \.isDigit).prefix(digits.upperBound + 1)
        guard digits.contains(found.count) else { return nil }
        let value = found.reduce(0) { $0 * 10 + Int($1 - 48) }
        return (value, token.dropFirst(found.count))
    }

    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let word = token.prefix(3).map { $0 | 0x20 }
        return DateFields.months.firstIndex { $0.lowercased().utf8.elementsEqual(word) }
            .map { $0 + 1 }
    }
}

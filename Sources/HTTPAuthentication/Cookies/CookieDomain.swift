import PledgeHTTPNetworking

/// The hosts of a cookie's domain.
enum CookieDomain {
    /// Whether a host is the domain or lies below it (RFC 6265, section 5.1.3).
    ///
    /// An IP address has no subdomains. Both arguments are in lower case.
    static func matches(host: String, domain: String) -> Bool {
        if host == domain { return true }
        return host.utf8.count > domain.utf8.count + 1 && host.hasSuffix(".\(domain)")
            && !domain.isEmpty && !isAddress(host)
    }

    /// Whether a host is an IP address: one in brackets, or one whose last part is a number.
    static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let last = host.utf8.split(separator: UInt8(ascii: ".")).last ?? host.utf8[...]
        return !last.isEmpty && last.allSatisfy(\.isDigit)
    }

    /// Whether a domain has one label, such as "com".
    static func isSingleLabel(_ domain: String) -> Bool {
        !domain.utf8.contains(UInt8(ascii: "."))
    }
}

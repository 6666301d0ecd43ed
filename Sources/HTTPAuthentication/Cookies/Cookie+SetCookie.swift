import PledgeHTTPNetworking

extension Cookie {
    /// Makes the cookie of a header, or returns nil if it must not be kept.
    ///
    /// By RFC 6265, section 5.3. From its successor (RFC 6265bis, section 5.7) it takes the rules that
    /// distinguish cookies made with TLS from others: Secure only from https, and the prefixes `__Secure-`
    /// and `__Host-`.
    ///
    /// - Parameters:
    ///   - header: The parsed header.
    ///   - place: The place that sent it.
    ///   - now: The date.
    ///   - isPublicSuffix: Whether names directly below a domain are open to the public.
    init?(
        _ header: SetCookie, from place: CookieURL, at now: HTTPDate,
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
        expires = Self.end(of: header, at: now)
        isSecure = header.isSecure
        isHTTPOnly = header.isHTTPOnly
        sameSite = header.sameSite
        if !Self.keepsPromise(of: header) { return nil }
    }

    /// The domain of the cookie; nil if the sender may not set cookies for it.
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

    /// Max-Age takes precedence over Expires.
    private static func end(of header: SetCookie, at now: HTTPDate) -> HTTPDate? {
        guard let age = header.maxAge else { return header.expires }
        if age <= 0 { return HTTPDate(secondsSince1970: .min) }
        let end = now.secondsSince1970.addingReportingOverflow(age)
        return HTTPDate(secondsSince1970: end.overflow ? .max : end.partialValue)
    }

    /// Whether the cookie meets the requirements of its name's prefix.
    private static func keepsPromise(of header: SetCookie) -> Bool {
        let name = header.name.lowercased()
        if name.hasPrefix("__host-") {
            return header.isSecure && header.domain == nil && header.path == "/"
        }
        return !name.hasPrefix("__secure-") || header.isSecure
    }
}

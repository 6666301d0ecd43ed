extension HTTPResponseHead {
    /// Returns the URL of the first link with a relation, such as "next", from the header Link.
    ///
    /// ```swift
    /// if let next = response.link("next") { … }  // Link: </issues?page=2>; rel="next"
    /// ```
    ///
    /// The URL is resolved against the URL that answered.
    ///
    /// - Parameter relation: A relation type (RFC 8288, section 2.1), case-insensitive.
    /// - Returns: The URL; nil if there is no such link, or if it is not an http or https URL. A link with an `anchor`
    ///   is about another resource, and does not count.
    public func link(_ relation: String) -> URL? {
        let links = headers.values(for: "Link").lazy.flatMap(LinkField.links)
        return links.first { $0.has(relation) }.flatMap { resolved($0.target) }
    }

    /// The URL of the header Location; nil unless there is exactly one.
    ///
    /// The value is resolved against the URL that answered. The property is also nil if the result is not an http or
    /// https URL.
    public var location: URL? {
        let values = headers.values(for: "Location")
        return values.count == 1 ? resolved(values[0]) : nil
    }

    /// The delay that the header Retry-After asks for; nil if it is missing or invalid.
    ///
    /// For a date, the delay is the time from the response's own Date header until that date; without a Date header,
    /// the delay is the time from the system's date.
    public var retryAfter: Duration? { RetryAfter.delay(in: headers, now: .now) }

    private func resolved(_ reference: String) -> URL? {
        (url ?? request?.url).flatMap { URLReference(reference).resolved(against: $0) }
    }
}

extension HTTPError {
    /// The delay that the response's Retry-After asks for; nil if there is no response or no valid value.
    public var retryAfter: Duration? { response?.retryAfter }
}

/// A link in the header Link (RFC 8288, section 3), parsed by the algorithm of that RFC's appendix B.2.
private struct LinkField {
    var target: String
    var relations: [String]
    var hasAnchor: Bool

    func has(_ relation: String) -> Bool {
        !hasAnchor && relations.contains { $0.lowercased() == relation.lowercased() }
    }

    /// Returns the links in a value, up to the first malformed one.
    static func links(in value: String) -> [LinkField] {
        var reader = FieldReader(value)
        var links: [LinkField] = []
        while reader.nextMember(), reader.skip("<") {
            let target = reader.text { $0 != UInt8(ascii: ">") }
            guard reader.skip(">") else { break }
            var link = LinkField(target: target, relations: [], hasAnchor: false)
            var hasRelations = false
            while let (name, value, _) = reader.parameter() {
                if name == "anchor" { link.hasAnchor = true }
                // Only the first `rel` counts (section 3.3).
                if name == "rel", !hasRelations {
                    hasRelations = true
                    link.relations = (value ?? "").split(separator: " ").map(String.init)
                }
            }
            links.append(link)
        }
        return links
    }
}

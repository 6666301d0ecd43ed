import HTTPNetworking

/// An entity tag as ETag, If-None-Match and If-Range hold it (RFC 9110, section 8.8.3).
///
/// What is not in quotation marks is taken for a tag of its own, since servers do send such ones.
struct EntityTag: Hashable, Sendable {
    let isWeak: Bool
    /// With its quotation marks, if it has some.
    let opaque: String

    /// The one tag of a field, nil where there is none.
    init?(_ text: String) {
        isWeak = text.hasPrefix("W/")
        opaque = HTTPHeaders.trimmed(isWeak ? text.dropFirst(2) : text[...])
        if opaque.isEmpty { return nil }
    }

    /// The tag of a response, nil where it has none, or several that differ.
    init?(of headers: HTTPHeaders) {
        let all = Set(headers.values(for: "ETag"))
        guard all.count == 1, let text = all.first else { return nil }
        self.init(text)
    }

    /// Whether both are the same, byte by byte, of content (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether both are the same, or as good as that.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// The tags of If-None-Match; commas within quotation marks are part of a tag.
    static func list(_ value: String) -> [EntityTag] {
        var parts: [Substring] = []
        var start = value.startIndex
        var isQuoted = false
        for index in value.indices {
            if value[index] == "\"" { isQuoted.toggle() }
            if value[index] == ",", !isQuoted {
                parts.append(value[start..<index])
                start = value.index(after: index)
            }
        }
        parts.append(value[start...])
        return parts.compactMap { EntityTag(HTTPHeaders.trimmed($0)) }
    }
}

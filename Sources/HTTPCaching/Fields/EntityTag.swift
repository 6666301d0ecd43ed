import PledgeHTTPNetworking

/// An entity tag as ETag, If-None-Match and If-Range hold it (RFC 9110, section 8.8.3).
///
/// A text without quotation marks is accepted as a tag, because servers send such ones.
struct EntityTag: Hashable, Sendable {
    let isWeak: Bool
    /// With its quotation marks, if it has some.
    let opaque: String

    /// The only tag of a field; nil if there is none.
    init?(_ text: String) {
        isWeak = text.hasPrefix("W/")
        opaque = HTTPHeaders.trimmed(isWeak ? text.dropFirst(2) : text[...])
        if opaque.isEmpty { return nil }
    }

    /// The tag of a response; nil if it has none, or several that differ.
    init?(of headers: HTTPHeaders) {
        let all = Set(headers.values(for: "ETag"))
        guard all.count == 1, let text = all.first else { return nil }
        self.init(text)
    }

    /// The strong comparison (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The weak comparison.
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

extension Endpoint {
    /// A path and its query: literal text is structure, interpolated values are data.
    ///
    /// ```swift
    /// Endpoint(path: "/tenants/\(tenant)/search?q=\(term)&page=\(2)")
    /// ```
    ///
    /// A literal is used unchanged, already percent-encoded: "?" begins the query, "#" a
    /// fragment, which is not sent, and characters that a URL does not allow are encoded. A value is
    /// text, a number, a `Bool`, a `UUID`, or a `RawRepresentable` of these; it is encoded so that it stays
    /// in its segment, or in its name or value of the query, and a server decodes the same text.
    ///
    /// An endpoint has no URL if a segment of its path is "." or "..", if a value that is a whole segment is
    /// empty, if a value is in a fragment, or if the text begins with a scheme or with "//": a path never
    /// leaves the base. Slashes and backslashes separate segments here, percent-encoded or not, because
    /// servers decode them: a value "a/../b" gives no URL either.
    public struct Path {
        /// The path, and "?" and the query if there is one, percent-encoded.
        let text: String

        /// Whether it is valid in a URL.
        let isValid: Bool
    }
}

extension Endpoint.Path {
    /// Parses a text like a literal: "?" begins a query, and percent-encoding is kept.
    ///
    /// - Parameter text: A path and a query from a trusted source.
    public static func verbatim(_ text: some StringProtocol) -> Endpoint.Path {
        Endpoint.Path(stringLiteral: String(text))
    }

    /// Parses a text that is only a path, not encoded; "/" separates its segments.
    init(allOf text: some StringProtocol) {
        self.text = PercentEncoding.path.encode(String(text))
        isValid = !Self.namesAuthority(self.text) && !Self.hasDotSegment(self.text)
    }

    /// Another path before the same query.
    func replacingPath(with path: String) -> Endpoint.Path {
        let new = Endpoint.Path(allOf: path)
        return Endpoint.Path(text: new.text + text.drop { $0 != "?" }, isValid: new.isValid)
    }

    /// The path without its query, decoded, except slashes within a segment.
    var decodedPath: String {
        let path = text.prefix { $0 != "?" }
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .map { (PercentEncoding.decode($0) ?? String($0)).replacing(scalar: "/", with: "%2F") }
            .joined(separator: "/")
    }

    /// Whether it looks like a URL, which may contain userinfo.
    var isMeantAsURL: Bool {
        !isValid && (text.utf8.starts(with: "//".utf8) || Self.namesAuthority(text))
    }

    /// Whether a text begins with a scheme, ":" and "//".
    private static func namesAuthority(_ text: String) -> Bool {
        afterScheme(of: text)?.starts(with: "//".utf8) ?? false
    }

    /// The text after a scheme and its colon (RFC 3986, section 3.1); nil without a scheme.
    private static func afterScheme(of text: String) -> Substring.UTF8View? {
        let bytes = text.utf8
        guard let first = bytes.first, isLetter(first),
            let end = bytes.firstIndex(where: {
                !isLetter($0) && !"0123456789+-.".utf8.contains($0)
            }),
            bytes[end] == UInt8(ascii: ":")
        else { return nil }
        return bytes[bytes.index(after: end)...]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }

    /// Whether a segment of an encoded path is "." or "..", for any server.
    ///
    /// nginx decodes "%2F" before it removes such segments, and others read a backslash as a slash. So a
    /// segment lies between slashes or backslashes, percent-encoded or not.
    private static func hasDotSegment(_ text: String) -> Bool {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        // Most paths have neither.
        guard path.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else {
            return false
        }
        return PercentEncoding.decodedBytes(of: path)
            .split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }
}

extension Endpoint.Path: ExpressibleByStringInterpolation {
    /// Reads a literal without values.
    public init(stringLiteral value: String) {
        var parts = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        parts.appendLiteral(value)
        self.init(stringInterpolation: parts)
    }

    /// Reads a literal and its values.
    public init(stringInterpolation parts: StringInterpolation) {
        text = parts.text
        isValid =
            parts.isComplete && !parts.text.utf8.starts(with: "//".utf8)
            && Self.afterScheme(of: parts.firstLiteral) == nil && !Self.namesAuthority(parts.text)
            && !Self.hasDotSegment(parts.text)
    }
}

extension Endpoint.Path: Hashable {}

extension Endpoint.Path: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, and the names of the query, with "…" for each value.
    public var description: String {
        // A text that looks like a URL may contain userinfo.
        isMeantAsURL ? "an invalid URL" : SafeText.redacted(pathAndQuery: text)
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows no value of the query.
    public var customMirror: Mirror { Mirror(self, children: ["path": description]) }
}

extension Endpoint.Path: Sendable {}

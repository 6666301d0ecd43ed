public import PledgeFutures
import PledgeHTTPText

extension Endpoint {
    /// A path and its query: literal text is structure, interpolated values are data.
    ///
    /// ```swift
    /// Endpoint(path: "/tenants/\(tenant)/search?q=\(term)&page=\(2)")
    /// ```
    ///
    /// Literal text counts as percent-encoded already, so only characters that a URL does not allow are encoded. In
    /// literal text, "?" begins the query, and "#" begins a fragment, which is not sent. A value is a text, a number, a
    /// `Bool`, a `UUID`, or a `RawRepresentable` of these. A value is encoded in such a way that it stays in its path
    /// segment, or in its name or value in the query, and that a server decodes the same text.
    ///
    /// A path never leaves the base, and never loses a value. So an endpoint has no URL in these cases:
    ///
    /// - A segment of its path is "." or "..".
    /// - A value that is a whole segment is empty.
    /// - A value is in a fragment.
    /// - The text begins with a scheme or with "//".
    ///
    /// For these rules, slashes and backslashes separate segments even if they are percent-encoded, because servers
    /// decode them. So a path with the value "a/../b" has no URL either.
    public struct Path: Hashable, Sendable {
        /// The percent-encoded path, with "?" and the query if there is one.
        let text: String

        /// The error of the path; nil if it's valid in a URL.
        let problem: Problem?

        /// True if the path is valid in a URL.
        var isValid: Bool { problem == nil }

        enum Problem: Hashable, Sendable { case url, dotSegment, emptySegment }
    }
}

extension Endpoint.Path {
    /// Encodes a path that has no query; "/" separates its segments.
    init(allOf text: some StringProtocol) {
        self.text = PercentEncoding.path.encode(String(text))
        problem =
            Self.namesAuthority(self.text)
            ? .url : Self.hasDotSegment(self.text) ? .dotSegment : nil
    }

    /// Returns a copy with a new path and the same query.
    func replacingPath(with path: String) -> Endpoint.Path {
        let new = Endpoint.Path(allOf: path)
        return Endpoint.Path(text: new.text + text.drop { $0 != "?" }, problem: new.problem)
    }

    /// The decoded path without its query; slashes within a segment stay encoded.
    var decodedPath: String {
        let path = text.prefix { $0 != "?" }
        guard path.utf8.contains(UInt8(ascii: "%")) else { return String(path) }
        return path.split(separator: "/", omittingEmptySubsequences: false)
            .map { (PercentEncoding.decode($0) ?? String($0)).replacing(scalar: "/", with: "%2F") }
            .joined(separator: "/")
    }

    /// True if the path is invalid and looks like a URL; such a text may contain userinfo.
    var isMeantAsURL: Bool {
        !isValid && (text.utf8.starts(with: "//".utf8) || Self.namesAuthority(text))
    }

    /// Returns whether a text begins with a scheme and "://".
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

    /// Returns whether some server might read a segment of an encoded path as "." or "..".
    ///
    /// nginx decodes "%2F" before it removes such segments, and other servers read a backslash as a slash. So
    /// slashes and backslashes separate segments here, percent-encoded or not.
    private static func hasDotSegment(_ text: String) -> Bool {
        let path = text.utf8.prefix { $0 != UInt8(ascii: "?") }
        // Most paths contain neither "." nor "%", and need no decoding.
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

    /// Reads a literal with values.
    public init(stringInterpolation parts: StringInterpolation) {
        text = parts.text
        let isURL =
            parts.losesValue || parts.text.utf8.starts(with: "//".utf8)
            || Self.afterScheme(of: parts.firstLiteral) != nil || Self.namesAuthority(parts.text)
        // Without its empty value, "/\(tenant)/x" begins with "//".
        problem =
            parts.hasEmptySegment
            ? .emptySegment
            : isURL ? .url : Self.hasDotSegment(parts.text) ? .dotSegment : nil
    }
}

extension Endpoint.Path: DescriptionOnly {
    /// The path with the names of the query, and "…" for each value.
    public var description: String {
        // A text that looks like a URL may contain userinfo.
        isMeantAsURL ? "an invalid URL" : SafeText.redacted(pathAndQuery: text)
    }
}

extension Endpoint.Path {
    /// The parts of a path's literal.
    ///
    /// Values are texts, numbers, `Bool`, `UUID`, and `RawRepresentable` of these. Other types don't compile,
    /// not even an optional, whose text would be "nil" or "Optional(7)".
    public struct StringInterpolation: StringInterpolationProtocol {
        /// The path and the query so far, percent-encoded.
        private(set) var text = ""

        /// The literal text before the first value.
        private(set) var firstLiteral = ""
        private var hasValue = false

        private var isInQuery = false
        private var isInFragment = false
        /// True if the last segment has only empty values.
        private var endsInEmptyValue = false
        private var isAfterEmptySegment = false
        /// True if a value is in a fragment.
        private(set) var losesValue = false

        /// Creates an empty interpolation with the capacity for its text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 8 * interpolationCount)
        }

        /// True if an empty value is a whole segment.
        var hasEmptySegment: Bool { isAfterEmptySegment || endsInEmptyValue }
    }
}

extension Endpoint.Path.StringInterpolation {
    /// Appends literal text, which is structure.
    public mutating func appendLiteral(_ literal: String) {
        guard !isInFragment, let first = literal.utf8.first else { return }
        if !hasValue { firstLiteral += literal }
        if endsInEmptyValue, "/?#".utf8.contains(first) { isAfterEmptySegment = true }
        endsInEmptyValue = false
        let sent = literal.utf8.prefix { $0 != UInt8(ascii: "#") }
        isInFragment = sent.endIndex < literal.endIndex
        text += PercentEncoding.literal.encode(isInFragment ? String(Substring(sent)) : literal)
        isInQuery = isInQuery || sent.contains(UInt8(ascii: "?"))
    }

    /// Appends text that is structure although it stands in a variable, such as a path that a server sent.
    ///
    /// The text is read as if it stood in the literal: "?" begins the query, and percent-encoding is kept. As in a
    /// literal, it can't lead out of the base.
    ///
    /// - Parameter text: A part of a path and a query, from a trusted source.
    public mutating func appendInterpolation(verbatim text: some StringProtocol) {
        appendLiteral(String(text))
    }

    /// Appends a text, a character, a number or a `Bool` as data: what Swift writes for it, such as 1.5 or 1e+20.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
        appendData(value.description)
    }

    /// Appends a UUID in upper case as data.
    public mutating func appendInterpolation(_ value: UUID) { appendData(value.uuidString) }

    /// Appends a raw value as data.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: some RawRepresentable<some LosslessStringConvertible>
    ) { appendData(value.rawValue.description) }

    /// Appends a raw value that is a UUID as data.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ value: some RawRepresentable<UUID>) {
        appendData(value.rawValue.uuidString)
    }

    private mutating func appendData(_ value: String) {
        hasValue = true
        losesValue = losesValue || isInFragment
        guard !value.isEmpty else {
            let isAtStart = text.utf8.last.map { $0 == UInt8(ascii: "/") } ?? true
            endsInEmptyValue = !isInQuery && isAtStart
            return
        }
        endsInEmptyValue = false
        text += (isInQuery ? PercentEncoding.query : .segment).encode(value)
    }

    /// Not available: the text of an optional would be "nil" or "Optional(7)".
    @available(
        *, unavailable,
        message:
            "a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default"
    )
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(_ value: Value) {}
}

extension Endpoint {
    /// Creates an endpoint from a path in a variable.
    ///
    /// The whole text is a path, including any "?", "#" and "%". To parse a text with a query as if it were a literal,
    /// write `"\(verbatim: path)"`.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; "/" separates its segments.
    ///   - query: The query.
    ///   - method: The method.
    ///   - headers: The headers. If they have no Content-Type, the body adds its own.
    ///   - body: The body.
    ///   - base: The absolute http or https URL that the path is appended to. Without one, ``url`` is nil.
    ///   - context: Properties of the call, such as its time limits.
    @_disfavoredOverload public init<S: StringProtocol>(
        path: S, query: Query = [:], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: HTTPRequest.Body = .none, base: URL? = nil,
        context: HTTPRequest.Context = HTTPRequest.Context()
    ) {
        self.init(
            path: Path(allOf: path), query: query, method: method, headers: headers,
            body: body, base: base, context: context)
    }

    // A literal may have a value that no path accepts, such as an optional. Because of the next initializer, Swift
    // reports that such a value is not available. Without it, Swift would read the literal as a String, and call the
    // initializer for a path in a variable. If a path accepts the literal, Swift prefers the initializer with `Path`,
    // because that one has one parameter less.

    /// Refuses a literal with a value that no path accepts, such as an optional.
    public init(
        path: RefusedPath, query: Query = [:], method: HTTPMethod = .get,
        headers: HTTPHeaders = [:], body: HTTPRequest.Body = .none, base: URL? = nil,
        context: HTTPRequest.Context = HTTPRequest.Context(), _refused: Void = ()
    ) { self.init(path: "//") }

    /// A literal with a value that no path accepts.
    ///
    /// No endpoint can be made from it. See ``Path`` for the types that a value may have.
    public struct RefusedPath: RefusedText {
        /// The parts of a literal with values that do not compile.
        public struct StringInterpolation: RefusedInterpolation {
            package init() {}

            /// Not available: the text of an optional would be "nil" or "Optional(7)".
            @available(
                *, unavailable,
                message:
                    "a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default"
            )
            public mutating func appendInterpolation<Value>(_ value: Value) {}
        }

        package init() {}
    }
}

/// Text that Swift accepts in a place only to say what is wrong with it.
package protocol RefusedText: ExpressibleByStringInterpolation {
    init()
}

extension RefusedText {
    /// Reads a literal; never called.
    public init(stringLiteral: String) { self.init() }

    /// Reads a literal; never called.
    public init(stringInterpolation: StringInterpolation) { self.init() }
}

package protocol RefusedInterpolation: StringInterpolationProtocol
where StringLiteralType == String {
    init()
}

extension RefusedInterpolation {
    /// Creates an empty interpolation; never called.
    public init(literalCapacity: Int, interpolationCount: Int) { self.init() }

    /// Does nothing; the protocol requires it, but no such literal compiles.
    public mutating func appendLiteral(_ literal: String) {}
}

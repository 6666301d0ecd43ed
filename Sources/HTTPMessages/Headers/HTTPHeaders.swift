public import PledgeFutures
package import PledgeHTTPText

/// The headers of a request or a response: ordered, with case-insensitive names.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "application/json"]
/// headers["accept-language"] = "de"
/// headers.add("b=2", for: "Cookie")
/// ```
///
/// Adding a value removes the white space around it (RFC 9110, section 5.5) and keeps the rest unchanged, valid or not;
/// ``Endpoint/validate()`` refuses invalid fields. Two sets of headers are equal if each name has the same values in
/// the same order; the order of different names does not matter. A lookup takes time linear in the number of fields.
public struct HTTPHeaders: Sendable {
    private var fields: [Element] = []

    /// The bytes of received values that are not ASCII, by index.
    ///
    /// They are kept because a value's text does not show whether its bytes were UTF-8.
    private var bytes: [Int: [UInt8]] = [:]

    /// The number of the ``CookieKeeper`` that has kept the cookies of these headers; zero for none.
    ///
    /// Two sets of headers can be equal even if they differ in this property.
    var keeper: UInt64 = 0

    /// Creates headers from names and values, and keeps all of them, in order.
    @inlinable
    public init(_ fields: some Sequence<(String, String)>) {
        self.init(capacity: fields.underestimatedCount)
        for (name, value) in fields { add(value, for: name) }
    }

    /// Creates empty headers with room for a number of fields.
    @usableFromInline
    package init(capacity: Int) { fields.reserveCapacity(capacity) }

    /// Creates headers from a dictionary, sorted by name.
    ///
    /// - Parameter fields: The fields. Names that differ only in case are all kept.
    public init(_ fields: [String: String]) {
        self.init(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Creates empty headers.
    public init() {}

    /// The values of a name, joined by ", " (RFC 9110, section 5.2); nil if there are none.
    ///
    /// There are two exceptions: for Set-Cookie, only the first value is returned, and the values of Cookie are joined
    /// by "; ". Setting a value replaces all values of the name, at the place of the first; setting nil removes them.
    public subscript(name: String) -> String? {
        get {
            guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else {
                return nil
            }
            let rest = fields[(first + 1)...]
            guard rest.contains(where: { Self.isSame($0.name, name) }) else {
                return fields[first].value
            }
            let values = values(for: name)
            switch name.lowercased() {
            case "set-cookie": return values[0]
            case "cookie": return values.joined(separator: "; ")
            default: return values.joined(separator: ", ")
            }
        }
        set {
            if let newValue { set(newValue, for: name) } else { remove(name) }
        }
    }

    /// Returns the values of a name, in order, each unchanged.
    public func values(for name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a value at the end, and keeps the values that the name already has.
    public mutating func add(_ value: String, for name: String) {
        fields.append((name, Self.trimmed(value)))
        noteChange(of: name)
    }

    /// Replaces all values of a name by a single value.
    ///
    /// The new value takes the place of the name's first value. If the name had no value, the new value comes last.
    public mutating func set(_ value: String, for name: String) {
        guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else {
            return add(value, for: name)
        }
        fields[first] = (name, Self.trimmed(value))
        noteChange(of: name)
        if !bytes.isEmpty { bytes[first] = nil }
        removeAll(name, except: first)
    }

    /// Forgets the keeper when a cookie is added that it doesn't know.
    private mutating func noteChange(of name: String) {
        if keeper != 0, Self.isSame(name, "Set-Cookie") { keeper = 0 }
    }

    /// Removes all values of a name.
    public mutating func remove(_ name: String) {
        // Usually the name has no value, and then no copy of the shared storage is made.
        guard fields.contains(where: { Self.isSame($0.name, name) }) else { return }
        removeAll(name, except: nil)
    }

    private mutating func removeAll(_ name: String, except kept: Int?) {
        let old = bytes
        var new: [Int: [UInt8]] = [:]
        var (index, left) = (0, 0)
        fields.removeAll { field in
            defer { index += 1 }
            if index != kept, Self.isSame(field.name, name) { return true }
            if let value = old[index] { new[left] = value }
            left += 1
            return false
        }
        bytes = new
    }

    /// The number of fields; a name with two values counts twice.
    public var count: Int { fields.count }

    /// True if there is no field.
    public var isEmpty: Bool { fields.isEmpty }

    /// Compares names as ASCII, so that no letter of another script matches.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0 == $1 || $0.lowercased == $1.lowercased }
    }

    private static func lowercased(_ name: String) -> some Sequence<UInt8> {
        name.utf8.lazy.map(\.lowercased)
    }

    /// Returns a text without the spaces and tabs around it.
    package static func trimmed(_ value: some StringProtocol) -> String {
        let value = String(value)
        guard value.utf8.first?.isSpace == true || value.utf8.last?.isSpace == true else {
            return value
        }
        return String(Substring(value.utf8.trimmed))
    }
}

// MARK: - Bytes

extension HTTPHeaders {
    /// Adds a received value.
    ///
    /// Each CR, LF and NUL becomes a space, and then the spaces and tabs at both ends are removed (RFC 9110, section
    /// 5.5). Otherwise a parser that reads a bare CR as the end of a line would read the text after the CR as another
    /// field. All other bytes are kept, even if they are not UTF-8, so that they can be sent back unchanged.
    package mutating func add(received bytes: UnsafeRawBufferPointer, for name: String) {
        let trimmed = bytes.trimmed
        // The fast path, which nearly every value takes.
        if trimmed.allSatisfy({ 0x20..<0x7F ~= $0 }) {
            return fields.append((name, String(decoding: trimmed, as: UTF8.self)))
        }
        let value = Self.withoutLineEnds(bytes)
        keep(value, at: fields.count)
        fields.append((name, Self.text(ofValue: value)))
    }

    /// Appends a line to the last value, with a space between them; returns false if there is no value.
    ///
    /// It takes time linear in the line's length, however long the value is.
    package mutating func fold(received line: UnsafeRawBufferPointer) -> Bool {
        let index = fields.count - 1
        guard index >= 0 else { return false }
        let line = Self.withoutLineEnds(line)
        if line.isEmpty { return true }
        // The value and its bytes grow in place, so that many folded lines take linear time.
        let space = fields[index].value.isEmpty ? "" : " "
        let isASCII = line.allSatisfy { $0 < 0x80 }
        if !isASCII, bytes[index] == nil { bytes[index] = Array(fields[index].value.utf8) }
        bytes[index]?.append(contentsOf: space.utf8)
        bytes[index]?.append(contentsOf: line)
        fields[index].value.append(space)
        fields[index].value.append(Self.text(ofValue: line))
        return true
    }

    private mutating func keep(_ value: [UInt8], at index: Int) {
        if value.contains(where: { $0 >= 0x80 }) { bytes[index] = value }
    }

    private static func withoutLineEnds(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(bytes.map { isLineEnd($0) ? 0x20 : $0 }.trimmed)
    }

    /// Returns a value from a platform's API, with a space for each CR, LF and NUL.
    package static func withoutLineEnds(_ value: String) -> String {
        guard value.utf8.contains(where: isLineEnd) else { return value }
        return String(decoding: withoutLineEnds(value.utf8), as: UTF8.self)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 13 || byte == 10 || byte == 0 }

    /// Replaces all values of a name by a single value, given as bytes.
    package mutating func set(bytes value: [UInt8], for name: String) {
        set(Self.text(ofValue: value), for: name)
        if let index = fields.firstIndex(where: { Self.isSame($0.name, name) }) {
            keep(value, at: index)
        }
    }

    /// Adds the given fields whose names meet a condition, with their values' bytes.
    package mutating func add(_ others: HTTPHeaders, where isWanted: (String) -> Bool) {
        for (index, field) in others.fields.enumerated() where isWanted(field.name) {
            if let value = others.bytes[index] { bytes[fields.count] = value }
            fields.append(field)
        }
    }

    /// Returns the bytes of the value at an index, counted in the order of iteration.
    ///
    /// Nil if the bytes are the value's text in UTF-8.
    package func bytes(at index: Int) -> [UInt8]? { bytes[index] }

    /// Returns the values of a name as a server has sent them, in order.
    package func received(_ name: String) -> [ReceivedValue] {
        fields.indices.filter { Self.isSame(fields[$0].name, name) }
            .map { ReceivedValue(text: fields[$0].value, bytes: bytes[$0]) }
    }
}

extension HTTPHeaders: Sequence {
    /// A name as it was given, and one of its values.
    public typealias Element = (name: String, value: String)

    /// Iterates over the fields in order.
    public func makeIterator() -> IndexingIterator<[Element]> { fields.makeIterator() }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Creates headers from a literal; a name that occurs twice has both values.
    public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }
}

extension HTTPHeaders: Hashable {
    /// Returns whether each name has the same values in the same order.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.fields.count == right.fields.count && left.canonical == right.canonical
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) { canonical.hash(into: &hasher) }

    private var canonical: [[UInt8]: [[UInt8]]] {
        fields.enumerated().reduce(into: [:]) { all, field in
            let (index, (name, value)) = field
            all[Array(Self.lowercased(name)), default: []]
                .append(bytes[index] ?? Array(value.utf8))
        }
    }
}

extension HTTPHeaders {
    /// Returns whether a field can be sent.
    ///
    /// Its name must be a token: ASCII letters and digits, `!#$%&'*+-.^_|~` and the backtick (RFC 9110, section 5.6.2).
    /// Its value must contain no CR, LF, NUL or other control character except tab, since these can turn one field into
    /// several. Text beyond ASCII is allowed in a value.
    package static func isValid(name: String, value: String) -> Bool {
        isToken(name)
            && value.unicodeScalars.allSatisfy { scalar in
                // These are the characters of Unicode's category Cc. Comparing numbers avoids a lookup in Unicode's
                // tables.
                switch scalar.value {
                case 0x09: true
                case 0x00...0x1F, 0x7F...0x9F: false
                default: true
                }
            }
    }

    /// Returns whether bytes can be sent as a value.
    ///
    /// They must contain no control characters except tab (RFC 9110, section 5.5).
    package static func isValid(bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Returns whether the field at an index can be sent.
    func isValid(at index: Int, name: String, value: String) -> Bool {
        guard let bytes = bytes(at: index) else { return Self.isValid(name: name, value: value) }
        return Self.isToken(name) && Self.isValid(bytes: bytes)
    }

    /// Returns whether a text is a token, as the name of a field and a method must be.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension HTTPHeaders: DescriptionOnly {
    /// All names, with the values of those headers that are known to hold no secret.
    ///
    /// Every other value is shown as "…", because a list of secret headers would be incomplete.
    public var description: String { text(showing: Self.isShown) }

    /// Returns the description for a response, without the secrets that the response may repeat from its request.
    package func description(without secrets: KnownSecrets) -> String {
        secrets.scrubbed(text { secrets.isComplete && Self.isShown($0) })
    }

    private func text(showing isShown: (String) -> Bool) -> String {
        let all = map { field in
            let shown =
                field.name.lowercased() == "link"
                ? SafeText.redacted(link: field.value) : field.value
            let value = isShown(field.name) ? SafeText.escaped(shown) : "…"
            return "\(SafeText.escaped(field.name)): \(value)"
        }
        return "[\(all.joined(separator: ", "))]"
    }

    /// Returns whether the values of a header are known to hold no credential and to identify no user.
    ///
    /// It looks the name up in a list of harmless headers, because a list of secret headers would be incomplete.
    /// Redirects keep the listed headers; caches use all other headers to tell users apart.
    package static func isHarmless(_ name: String) -> Bool { harmless.contains(name.lowercased()) }

    /// Returns whether descriptions show the values of a header.
    ///
    /// Harmless headers that hold the app's own values for its servers, or a server's, aren't shown.
    package static func isShown(_ name: String) -> Bool {
        ShownNames.headers.contains(name.lowercased())
    }

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age",
        "allow", "baggage", "cache-control", "connection", "content-encoding", "content-language",
        "content-length", "content-range", "content-type", "date", "etag", "expires",
        "grpc-timeout", "host", "idempotency-key", "if-match", "if-modified-since",
        "if-none-match", "if-range", "if-unmodified-since", "last-event-id", "last-modified",
        "pragma", "range",
        "request-criticality", "request-timeout", "retry-after", "server", "traceparent",
        "tracestate", "transfer-encoding", "user-agent", "vary", "x-envoy-expected-rq-timeout-ms",
        "x-request-id",
    ]
}

extension HTTPHeaders {
    /// The condition under which a caller may not set a field.
    enum Reservation: Sendable {
        /// Always refused, because the transport manages the connection, the framing and the proxy.
        case always
        /// Refused if the request has several such fields, or if the value names no host.
        case host
        /// Refused if the value is not the length of the body.
        case length
    }

    /// Returns when a caller may not set a field; nil if the field may always be set.
    static func reservation(of name: String) -> Reservation? {
        // The length of the name rules out most names, so they need no lower-case copy.
        switch name.utf8.count {
        case 2, 4, 6, 7, 10, 14, 16, 17, 19: reserved[name.lowercased()]
        default: nil
        }
    }

    /// The headers that may be forwarded: all except those that concern only the connection.
    package var withoutConnection: HTTPHeaders {
        var headers = HTTPHeaders()
        headers.add(self) { Self.reservation(of: $0) != .always }
        return headers
    }

    private static let reserved: [String: Reservation] = [
        "host": .host, "content-length": .length,
        // RFC 9110, section 7.6.1, and RFC 9113, section 8.2.2.
        "connection": .always, "keep-alive": .always, "proxy-connection": .always, "te": .always,
        "trailer": .always, "transfer-encoding": .always, "upgrade": .always,
        // After sending this header, the sender would have to wait for the server's reply.
        "expect": .always,
        // Inside a tunnel, this header would reach the origin, which must not get the proxy's password.
        "proxy-authorization": .always,
    ]
}

extension HTTPHeaders {
    /// Decodes a received value.
    ///
    /// The bytes are read as UTF-8. If they are not valid UTF-8, they are read as ISO-8859-1, as before RFC 7230, so
    /// that no byte is lost.
    @inlinable
    package static func text(ofValue bytes: some Collection<UInt8>) -> String {
        // The fast path, which nearly every value takes.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return text(ofLatin1: bytes)
    }

    /// Returns a text with one character per byte (ISO-8859-1).
    @inlinable
    package static func text(ofLatin1 bytes: some Collection<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Returns one byte per character; nil if a character is beyond ISO-8859-1.
    package static func bytes(ofLatin1 text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }
}

extension HTTPHeaders {
    /// Returns whether a text from a server's body may become the value of a field.
    ///
    /// It must be valid, and contain no U+FFFD, which stands for bytes that could not be decoded.
    package static func isReturnable(_ text: String) -> Bool {
        isValid(name: "X", value: text) && !text.unicodeScalars.contains("\u{FFFD}")
    }
}

/// A value from a server, or a part of such a value, that may become part of a request.
package struct ReceivedValue: Hashable, Sendable {
    package let text: String

    /// The bytes, if a transport has kept them.
    package let keptBytes: [UInt8]?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - bytes: The bytes; nil if they are unknown, or are the UTF-8 of the text.
    package init(text: String, bytes: [UInt8]? = nil) {
        self.text = text
        keptBytes = bytes
    }

    /// The bytes; nil if a platform has replaced some of them by U+FFFD.
    package var bytes: [UInt8]? {
        if let keptBytes { return keptBytes }
        return text.unicodeScalars.contains("\u{FFFD}") ? nil : Array(text.utf8)
    }

    /// The bytes; nil if a request's field may not hold them.
    ///
    /// With such bytes in a field, a request would fail before it is sent.
    package var returnable: [UInt8]? {
        bytes.flatMap { HTTPHeaders.isValid(bytes: $0) ? $0 : nil }
    }
}

extension Endpoint.Path {
    /// The parts of a literal of a path.
    ///
    /// Values are text, numbers, `Bool`, `UUID`, and `RawRepresentable` of these. Other types do not compile;
    /// nor does an optional, whose text would be "nil" or "Optional(7)".
    public struct StringInterpolation: StringInterpolationProtocol {
        /// The path and the query so far, percent-encoded.
        private(set) var text = ""

        /// The literal text before the first value.
        private(set) var firstLiteral = ""

        private var isInQuery = false
        private var isInFragment = false
        /// Whether the last segment has only empty values.
        private var endsInEmptyValue = false
        private var isValid = true

        /// Makes an empty one with the capacity for its text.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 8 * interpolationCount)
        }

        /// Whether no value is lost: no whole segment is an empty value, and no value is in a fragment.
        var isComplete: Bool { isValid && !endsInEmptyValue }
    }
}

extension Endpoint.Path.StringInterpolation {
    /// Appends structure.
    public mutating func appendLiteral(_ literal: String) {
        guard !isInFragment, let first = literal.utf8.first else { return }
        if text.isEmpty, !endsInEmptyValue { firstLiteral = literal }
        if endsInEmptyValue { isValid = isValid && !"/?#".utf8.contains(first) }
        endsInEmptyValue = false
        let sent = literal.utf8.prefix { $0 != UInt8(ascii: "#") }
        isInFragment = sent.endIndex < literal.endIndex
        text += PercentEncoding.literal.encode(isInFragment ? String(Substring(sent)) : literal)
        isInQuery = isInQuery || sent.contains(UInt8(ascii: "?"))
    }

    /// Appends text as data.
    public mutating func appendInterpolation(_ value: some StringProtocol) {
        isValid = isValid && !isInFragment
        guard !value.isEmpty else {
            let isAtStart = text.utf8.last.map { $0 == UInt8(ascii: "/") } ?? true
            endsInEmptyValue = !isInQuery && isAtStart
            return
        }
        endsInEmptyValue = false
        let encoding = isInQuery ? PercentEncoding.query : .segment
        text += encoding.encode(String(value))
    }

    /// Appends a character as data.
    public mutating func appendInterpolation(_ value: Character) {
        appendInterpolation(String(value))
    }

    /// Appends an integer in decimal digits.
    public mutating func appendInterpolation(_ value: some BinaryInteger) {
        appendInterpolation(value.description)
    }

    /// Appends a floating-point number as Swift writes it, such as 1.5 and 1e+20.
    public mutating func appendInterpolation(
        _ value: some BinaryFloatingPoint & CustomStringConvertible
    ) { appendInterpolation(value.description) }

    /// Appends "true" or "false".
    public mutating func appendInterpolation(_ value: Bool) {
        appendInterpolation(value.description)
    }

    /// Appends a UUID in upper case.
    public mutating func appendInterpolation(_ value: UUID) {
        appendInterpolation(value.uuidString)
    }

    /// Not available: the text of an optional would be "nil" or "Optional(7)".
    @available(
        *, unavailable,
        message:
            "a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default"
    )
    @_disfavoredOverload
    public mutating func appendInterpolation<Value>(_ value: Value) {}

    /// Appends a raw value that is text.
    public mutating func appendInterpolation(_ value: some RawRepresentable<some StringProtocol>) {
        appendInterpolation(value.rawValue)
    }

    /// Appends a raw value that is a character.
    public mutating func appendInterpolation(_ value: some RawRepresentable<Character>) {
        appendInterpolation(value.rawValue)
    }

    /// Appends a raw value that is an integer.
    public mutating func appendInterpolation(_ value: some RawRepresentable<some BinaryInteger>) {
        appendInterpolation(value.rawValue)
    }

    /// Appends a raw value that is a floating-point number.
    public mutating func appendInterpolation(
        _ value: some RawRepresentable<some BinaryFloatingPoint & CustomStringConvertible>
    ) { appendInterpolation(value.rawValue) }

    /// Appends a raw value that is a Boolean.
    public mutating func appendInterpolation(_ value: some RawRepresentable<Bool>) {
        appendInterpolation(value.rawValue)
    }

    /// Appends a raw value that is a UUID.
    public mutating func appendInterpolation(_ value: some RawRepresentable<UUID>) {
        appendInterpolation(value.rawValue)
    }
}

import PledgeHTTPText

/// A reader of a field's value from its beginning to its end, by the grammar that fields share (RFC 9110, section 5.6).
package struct FieldReader {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ value: some StringProtocol) { bytes = Array(value.utf8) }

    /// The next byte; nil at the end.
    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    package mutating func skip(while condition: (UInt8) -> Bool) {
        while let next, condition(next) { position += 1 }
    }

    package mutating func skipSpaces() { skip(while: \.isSpace) }

    /// Skips a character of ASCII if it's the next one; otherwise returns false.
    package mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    package mutating func text(while condition: (UInt8) -> Bool) -> String {
        let start = position
        skip(while: condition)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Reads a token; returns an empty text if there is none.
    package mutating func token() -> String { text(while: HTTPHeaders.isTokenByte) }

    /// Reads the content of a quoted string, up to the end if it isn't closed.
    ///
    /// - Returns: Nil if no quotation mark is next.
    package mutating func quotedString() -> (content: String, isClosed: Bool)? {
        guard skip("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return (String(decoding: content, as: UTF8.self), true)
            case UInt8(ascii: "\\"):
                guard let escaped = next else { break }
                content.append(escaped)
                position += 1
            default: content.append(byte)
            }
        }
        return (String(decoding: content, as: UTF8.self), false)
    }
}

extension FieldReader {
    /// Advances to the next member of a list; returns false at the end.
    package mutating func nextMember() -> Bool {
        skip { $0.isSpace || $0 == UInt8(ascii: ",") }
        return next != nil
    }

    /// Advances to the next comma, and returns whether only white space came before it.
    @discardableResult
    package mutating func endMember() -> Bool {
        skipSpaces()
        let isEmpty = next == nil || next == UInt8(ascii: ",")
        skip { $0 != UInt8(ascii: ",") }
        return isEmpty
    }

    /// Reads the next parameter, which begins with a semicolon.
    ///
    /// - Parameter ends: The characters that end a value without quotation marks.
    /// - Returns: The name in lower case, and the value, nil without an equals sign; nil if no semicolon is next.
    package mutating func parameter(
        endingAt ends: String = ";, \t"
    ) -> (name: String, value: String?, isClosed: Bool)? {
        skipSpaces()
        guard next == UInt8(ascii: ";") else { return nil }
        skip { $0.isSpace || $0 == UInt8(ascii: ";") }
        let name = text { !$0.isSpace && !"=;,".utf8.contains($0) }.lowercased()
        skipSpaces()
        guard skip("=") else { return (name, nil, true) }
        skipSpaces()
        if let quoted = quotedString() { return (name, quoted.content, quoted.isClosed) }
        return (name, HTTPHeaders.trimmed(text { !ends.utf8.contains($0) }), true)
    }
}

extension String {
    /// The text as a quoted string, which a ``FieldReader`` reads back.
    package var asQuotedString: String {
        "\"" + replacing(scalar: "\\", with: "\\\\").replacing(scalar: "\"", with: "\\\"") + "\""
    }
}

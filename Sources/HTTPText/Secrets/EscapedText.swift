/// Bytes with their escapes decoded, and the place of each byte in the source.
///
/// A server may return a secret percent-encoded, with escapes of JSON, with entities of HTML, or with one of these
/// inside another. Each decoding removes one level.
struct EscapedText {
    private(set) var bytes: [UInt8]

    /// For each decoded byte, the range in the source that it was decoded from; nil if nothing was decoded.
    private var decoded: [Range<Int>]?

    /// For each byte, the range in the source that it was decoded from.
    var places: [Range<Int>] { decoded ?? bytes.indices.map { $0..<$0 + 1 } }

    /// Returns the range in the source that some bytes were decoded from.
    func place(of range: Range<Int>) -> Range<Int> {
        guard let decoded, !range.isEmpty else { return range }
        return decoded[range.lowerBound].lowerBound..<decoded[range.upperBound - 1].upperBound
    }

    /// The kinds of escapes to decode, each named by the character that begins it.
    struct Notation {
        let signs: String

        static let backslash = Notation(signs: "\\")
        static let percent = Notation(signs: "%")
        /// For form data, where "+" means a space.
        static let form = Notation(signs: "%+")
        static let entity = Notation(signs: "&")
        static let all = Notation(signs: "%\\&")
    }

    init(_ source: some Collection<UInt8>) {
        bytes = Array(source)
    }

    /// Decodes one level of escapes; returns nil if there are none.
    ///
    /// The escapes are `%41` (RFC 3986, section 2.1), `\n`, `\"` and `\u0041` (RFC 8259, section 7), and `&amp;`,
    /// `&#65;` and `&#x41;`.
    ///
    /// Complexity: linear in the length of the text.
    func read(_ notation: Notation = .all) -> EscapedText? {
        let signs = notation.signs.utf8
        guard bytes.contains(where: { signs.contains($0) }) else { return nil }
        var read = EscapedText([])
        read.bytes.reserveCapacity(bytes.count)
        var places: [Range<Int>] = []
        places.reserveCapacity(bytes.count)
        var (position, isChanged) = (0, false)
        while position < bytes.count {
            guard signs.contains(bytes[position]),
                let (text, length) = Self.escape(at: bytes[position...])
            else {
                read.bytes.append(bytes[position])
                places.append(place(of: position..<position + 1))
                position += 1
                continue
            }
            let place = place(of: position..<position + length)
            read.bytes += text
            places += repeatElement(place, count: text.count)
            position += length
            isChanged = true
        }
        read.decoded = places
        return isChanged ? read : nil
    }
}

extension EscapedText {
    /// Decodes the escape that `rest` begins with, and returns the decoded text and the escape's length.
    private static func escape(at rest: ArraySlice<UInt8>) -> (text: [UInt8], length: Int)? {
        switch rest.first {
        case UInt8(ascii: "%"):
            return number(rest.dropFirst().prefix(2), digits: 2).map { ([UInt8($0)], 3) }
        case UInt8(ascii: "\\"): return backslashed(rest)
        case UInt8(ascii: "+"): return ([32], 1)
        default: return entity(rest)
        }
    }

    private static func backslashed(_ rest: ArraySlice<UInt8>) -> (text: [UInt8], length: Int)? {
        guard let second = rest.dropFirst().first else { return nil }
        switch second {
        case UInt8(ascii: "n"): return ([10], 2)
        case UInt8(ascii: "r"): return ([13], 2)
        case UInt8(ascii: "t"): return ([9], 2)
        case UInt8(ascii: "b"): return ([8], 2)
        case UInt8(ascii: "f"): return ([12], 2)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"):
            return ([second], 2)
        case UInt8(ascii: "u"): return unit(rest)
        default: return nil
        }
    }

    /// Decodes one `\uXXXX`, or two that form a surrogate pair.
    private static func unit(_ rest: ArraySlice<UInt8>) -> (text: [UInt8], length: Int)? {
        guard let high = number(rest.dropFirst(2).prefix(4), digits: 4) else { return nil }
        if let scalar = Unicode.Scalar(high) { return (Array(String(scalar).utf8), 6) }
        let second = rest.dropFirst(6)
        guard second.starts(with: "\\u".utf8),
            let low = number(second.dropFirst(2).prefix(4), digits: 4),
            (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { return (Array("\u{FFFD}".utf8), 6) }
        return (Array(String(scalar).utf8), 12)
    }

    private static func entity(_ rest: ArraySlice<UInt8>) -> (text: [UInt8], length: Int)? {
        guard let end = rest.prefix(10).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[rest.startIndex + 1..<end]
        let length = end - rest.startIndex + 1
        if let text = named[String(decoding: name, as: UTF8.self)] {
            return (Array(text.utf8), length)
        }
        guard name.first == UInt8(ascii: "#") else { return nil }
        let digits = String(decoding: name.dropFirst(), as: UTF8.self)
        let value =
            digits.lowercased().hasPrefix("x")
            ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return value.flatMap(Unicode.Scalar.init).map { (Array(String($0).utf8), length) }
    }

    private static let named = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]

    private static func number(_ text: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        guard text.count == digits, text.allSatisfy(\.isHexDigit) else { return nil }
        return UInt32(String(decoding: text, as: UTF8.self), radix: 16)
    }
}

// Classes of ASCII bytes in HTTP fields, URLs and JSON.

extension UInt8 {
    /// True for a space or a tab, the white space allowed in a field (RFC 9110, section 5.6.3).
    @inlinable
    package var isSpace: Bool { self == 0x20 || self == 0x09 }

    @inlinable
    package var isDigit: Bool { 48...57 ~= self }

    var isHexDigit: Bool { isDigit || 97...102 ~= self | 0x20 }

    @inlinable
    package var isLetter: Bool { 97...122 ~= self | 0x20 }

    @inlinable
    package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// The byte in lower case if it is an upper-case letter; otherwise the same byte.
    @inlinable
    package var lowercased: UInt8 { 65...90 ~= self ? self | 0x20 : self }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    package var trimmed: SubSequence {
        let rest = drop(while: \.isSpace)
        return rest.lastIndex { !$0.isSpace }.map { rest[...$0] } ?? rest.prefix(0)
    }
}

extension StringProtocol {
    /// The host without the brackets that a URL puts around an IPv6 address.
    package var withoutBrackets: String {
        String(hasPrefix("[") ? dropFirst().dropLast() : self[...])
    }
}

extension String {
    /// Replaces each occurrence of a scalar, even if a combining mark follows it.
    ///
    /// A scalar and the mark after it form one character. So `replacing(_:with:)`, which compares whole characters,
    /// would miss the scalar.
    package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
        unicodeScalars.split(separator: scalar, omittingEmptySubsequences: false)
            .map { String($0) }.joined(separator: text)
    }
}

extension [UInt8] {
    /// The bytes as two lowercase hexadecimal digits each.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    /// Reads hexadecimal digits, two for each byte; nil for any other text.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0, digits.allSatisfy(\.isHexDigit) else { return nil }
        let values = digits.map { $0.isDigit ? $0 - 48 : ($0 | 0x20) - 87 }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

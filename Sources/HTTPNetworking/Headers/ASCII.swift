// The classes of ASCII bytes, for fields of HTTP, URLs and JSON.

extension UInt8 {
    /// Whether it is a space or a tab: the white space that a field may have (RFC 9110, section 5.6.3).
    @inlinable
    package var isSpace: Bool { self == 0x20 || self == 0x09 }

    /// Whether it is a digit.
    @inlinable
    package var isDigit: Bool { 48...57 ~= self }

    /// Whether it is a letter.
    @inlinable
    package var isLetter: Bool { 97...122 ~= self | 0x20 }

    /// Whether it is a letter or a digit.
    @inlinable
    package var isLetterOrDigit: Bool { isLetter || isDigit }

    /// The lower-case byte, if it is a letter; otherwise the same byte.
    @inlinable
    package var lowercased: UInt8 { 65...90 ~= self ? self | 0x20 : self }
}

extension BidirectionalCollection<UInt8> {
    /// Without the spaces and tabs at both ends.
    package var trimmed: SubSequence {
        let rest = drop(while: \.isSpace)
        return rest.lastIndex { !$0.isSpace }.map { rest[...$0] } ?? rest.prefix(0)
    }
}

extension StringProtocol {
    /// A host without the brackets that an IPv6 address has in a URL.
    package var withoutBrackets: String {
        String(hasPrefix("[") ? dropFirst().dropLast() : self[...])
    }
}

extension String {
    /// The text with another in the place of a scalar, also of one with a mark behind it: `replacing(_:with:)`
    /// compares characters, and these two are one.
    func replacing(scalar: Unicode.Scalar, with text: String) -> String {
        unicodeScalars.split(separator: scalar, omittingEmptySubsequences: false)
            .map { String($0) }.joined(separator: text)
    }
}

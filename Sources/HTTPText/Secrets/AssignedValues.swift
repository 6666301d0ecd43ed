/// The values that follow signs in a text, read from the first sign to the last.
package struct AssignedValues {
    private let source: ArraySlice<UInt8>
    /// For each quote, escaped or not, and for the space as the end of a word, the end that was found last.
    private var ends: [Ending: Int] = [:]

    private struct Ending: Hashable {
        let quote: UInt8
        let isEscaped: Bool
    }

    init(_ source: ArraySlice<UInt8>) { self.source = source }

    /// Returns a quoted string up to its closing quote, or else one word.
    ///
    /// After a scheme such as "Bearer", it returns the next word instead.
    mutating func value(after sign: Int) -> Range<Int> {
        let rest = source[(sign + 1)...]
        let opening = rest.prefix { " \\\"'".utf8.contains($0) }
        var value = rest[opening.endIndex...]
        if let quote = opening.last, quote != 32, quote != UInt8(ascii: "\\") {
            let isEscaped = opening.dropLast().last == UInt8(ascii: "\\")
            return value
                .startIndex..<endOfValue(quote, isEscaped: isEscaped, from: value.startIndex)
        }
        let scheme = value.prefix { $0.isLetterOrDigit }
        let word = String(decoding: scheme, as: UTF8.self).lowercased()
        if ["bearer", "basic", "token"].contains(word) {
            value = value[scheme.endIndex...].drop { $0 == 32 }
        }
        return value.startIndex..<endOfValue(32, isEscaped: false, from: value.startIndex)
    }

    /// Returns the next end of a word or of a quoted string.
    ///
    /// The values' starts only grow, so an end that lies behind the start is still the next one.
    ///
    /// - Parameters:
    ///   - quote: The opening quote; a space for a word.
    ///   - isEscaped: True if the opening quote is escaped. Otherwise an escaped quote is part of the value.
    ///   - start: The start of the value.
    private mutating func endOfValue(_ quote: UInt8, isEscaped: Bool, from start: Int) -> Int {
        let ending = Ending(quote: quote, isEscaped: isEscaped)
        if let end = ends[ending], end >= start { return end }
        let end = source.indices[start...].first { index in
            if quote == 32 { return source[index] <= 32 || "\"'&;,<>".utf8.contains(source[index]) }
            guard source[index] == quote else { return false }
            if isEscaped { return true }
            let slashes = source[start..<index].suffix { $0 == UInt8(ascii: "\\") }
            return slashes.count.isMultiple(of: 2)
        }
        ends[ending] = end ?? source.endIndex
        return end ?? source.endIndex
    }
}

extension AssignedValues {
    /// The name that "=" or ":" follows, which is empty if there is none.
    package static func name(before sign: Int, in source: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let before = source[..<sign].suffix(64)
        let end = before.lastIndex { !" \\\"'".utf8.contains($0) }.map { $0 + 1 } ?? sign
        return source[before.startIndex..<end].suffix(while: \.isOfName)
    }
}

extension UInt8 {
    fileprivate var isOfName: Bool { isLetterOrDigit || "-_.".utf8.contains(self) }
}

extension ArraySlice {
    /// Returns the longest suffix whose elements all meet a condition.
    fileprivate func suffix(while isSo: (Element) -> Bool) -> ArraySlice {
        self[(lastIndex { !isSo($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}

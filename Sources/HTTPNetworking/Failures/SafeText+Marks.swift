extension SafeText {
    /// A text with "…" instead of each run of marked bytes.
    ///
    /// - Parameters:
    ///   - marks: For each byte, whether it is removed.
    ///   - source: The bytes of UTF-8.
    package static func replacing(_ marks: [Bool], in source: [UInt8]) -> String {
        guard marks.contains(true) else { return String(decoding: source, as: UTF8.self) }
        var kept: [UInt8] = []
        var isWithin = false
        for position in source.indices {
            // A mark that begins within a character removes the whole character.
            let isContinuation = source[position] & 0xC0 == 0x80
            if marks[position] {
                if isContinuation, !isWithin { kept.removeLastCharacter() }
                if !isWithin { kept += "…".utf8 }
                isWithin = true
            } else if !(isWithin && isContinuation) {
                isWithin = false
                kept.append(source[position])
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// A text in one line, of at most this number of characters; invisible characters are escapes.
    package static func line(_ text: some StringProtocol, upTo limit: Int) -> String {
        var shown = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            if count == limit { return shown + "…" }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown += scalar.escaped(asASCII: true)
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}

extension [UInt8] {
    /// Removes the bytes of a character that has begun.
    fileprivate mutating func removeLastCharacter() {
        while let last, last & 0xC0 == 0x80 { removeLast() }
        if let last, last & 0x80 != 0 { removeLast() }
    }
}

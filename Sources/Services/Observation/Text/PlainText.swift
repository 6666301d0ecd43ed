extension Unicode.Scalar {
    /// Whether it is visible, or a space.
    ///
    /// Other scalars may end a line, move a cursor, or change the direction of writing.
    var isPlain: Bool {
        if isASCII { return (0x20..<0x7F).contains(value) }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            return false
        default: return true
        }
    }
}

extension String {
    /// The text in one line; each scalar that is not plain becomes a question mark.
    var inOneLine: String {
        String(map { $0.unicodeScalars.allSatisfy(\.isPlain) ? $0 : "?" })
    }

    /// The text with an escape like `\u{202E}` for each scalar that is not plain.
    var withVisibleScalars: String {
        if unicodeScalars.allSatisfy(\.isPlain) { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isPlain {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
    }

    /// The text cut to a number of Unicode scalars, so that it takes bounded memory.
    func cut(to count: Int) -> String {
        guard utf8.count > count, let end = unicodeScalars.index(at: count) else { return self }
        return String(unicodeScalars[..<end]) + "…"
    }

    /// The text as a string of JSON (RFC 8259), quotes included.
    ///
    /// Besides the scalars that JSON requires, all that are not plain are escaped, so that it is one line.
    package var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isPlain: text.unicodeScalars.append(scalar)
            default:
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return text + "\""
    }
}

extension String.UnicodeScalarView {
    /// The index after a number of scalars; nil if there are not more.
    fileprivate func index(at count: Int) -> Index? {
        let index = index(startIndex, offsetBy: count, limitedBy: endIndex)
        return index == endIndex ? nil : index
    }
}

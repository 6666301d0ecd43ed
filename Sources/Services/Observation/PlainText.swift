import PledgeFutures

extension Unicode.Scalar {
    /// True if the scalar is visible, or a space.
    ///
    /// Other scalars may end a line, move a cursor, or change the direction of writing.
    package var isPlain: Bool {
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
    /// The text in one line, with a question mark for each character that is neither visible nor a space.
    package var inOneLine: String {
        String(map { $0.unicodeScalars.allSatisfy(\.isPlain) ? $0 : "?" })
    }

    /// The text as a JSON string (RFC 8259), quotes included.
    ///
    /// It escapes the scalars that JSON requires to be escaped, and all scalars that are neither visible nor a space.
    /// So the string is one line.
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

extension Duration {
    /// A unit of durations.
    package enum DecimalUnit: Int64 {
        case microsecond = 1_000
        case millisecond = 1_000_000
        case second = 1_000_000_000
    }

    /// Returns the duration as a decimal number, exact to the nanosecond, without zeros at the end.
    ///
    /// The duration is limited to about 292 years.
    package func decimal(in unit: DecimalUnit) -> String {
        let magnitude = nanoseconds.magnitude
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: UInt64(unit.rawValue))
        let sign = nanoseconds < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        let digits = String(String(UInt64(unit.rawValue) + rest).dropFirst())
        return "\(sign)\(whole).\(digits.trimmingZeros)"
    }
}

extension String {
    fileprivate var trimmingZeros: Substring {
        var text = self[...]
        while text.last == "0" { text.removeLast() }
        return text
    }
}

extension Duration {
    /// The duration to three significant digits, such as "1.64 seconds"; zero if it is negative.
    package var inWords: String {
        let count = UInt64(max(0, nanoseconds))
        var step: UInt64 = 1
        while (count + step / 2) / step >= 1_000 { step *= 10 }
        return "\(Duration.nanoseconds(Int64(clamping: (count + step / 2) / step * step)))"
    }
}

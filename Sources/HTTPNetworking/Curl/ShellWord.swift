/// Text as a POSIX shell reads it again (POSIX.1-2024, Shell Command Language, section 2.2.2).
enum ShellWord {
    /// A word for a text with any characters except NUL, which no argument can contain.
    ///
    /// Within single quotes all characters stand for themselves; a single quote ends them.
    static func quoted(_ text: some StringProtocol) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return String(text) }
        return "'" + String(text).replacing(scalar: "'", with: "'\\''") + "'"
    }

    /// A command that writes any bytes.
    static func printing(_ data: Data) -> String {
        var format = ""
        for byte in data {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += "\\\\"
            case 32..<127 where byte != UInt8(ascii: "'"):
                format.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        // A text that begins with "-" would be an option.
        if format.hasPrefix("-") { format = "\\055" + format.dropFirst() }
        return "printf '\(format)'"
    }

    /// Whether a byte has no special meaning to a shell, at any place in an argument.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-_./:@,+".utf8.contains(byte)
    }
}

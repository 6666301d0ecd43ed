import HTTPNetworking

/// The dates of a response, taken for none where there is any doubt.
enum DateField {
    /// The date of a field, nil where there is none, where it is no date, or where there are several
    /// that differ.
    static func date(_ headers: HTTPHeaders, _ name: String) -> HTTPDate? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// A date in one of HTTP's forms, in letters of any case (RFC 9111, section 4.2), but otherwise to
    /// the letter: with single spaces, but where a day has one digit.
    static func date(_ text: String) -> HTTPDate? {
        if text.contains(","), text.contains("  ") { return nil }
        return HTTPDate(text) ?? HTTPDate(inItsCase(text))
    }

    /// A text with each word in the case that a date has it in.
    private static func inItsCase(_ text: String) -> String {
        var isInWord = false
        let bytes = text.utf8.map { byte in
            defer { isInWord = byte.isLetter }
            return byte.isLetter ? (isInWord ? byte | 0x20 : byte & 0xDF) : byte
        }
        let words = String(decoding: bytes, as: UTF8.self)
        return words.hasSuffix(" Gmt") ? "\(words.dropLast(3))GMT" : words
    }
}

import PledgeHTTPNetworking

/// The dates of a response; a doubtful one counts as none.
enum DateField {
    /// The date of a field; nil if there is none, if it is not a date, or if there are several that differ.
    static func date(_ headers: HTTPHeaders, _ name: String) -> HTTPDate? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// A date in one of HTTP's forms, in letters of any case (RFC 9111, section 4.2), but otherwise in the
    /// exact format: with single spaces, except before a day of one digit.
    static func date(_ text: String) -> HTTPDate? {
        if text.contains(","), text.contains("  ") { return nil }
        return HTTPDate(text) ?? HTTPDate(inItsCase(text))
    }

    /// A text with each word in the case of a date.
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

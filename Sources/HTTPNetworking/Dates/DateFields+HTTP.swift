extension DateFields {
    /// Reads a date of HTTP (RFC 9110, section 5.6.7), in any of its three forms.
    init?(_ text: String, now: HTTPDate) {
        // The longest date has 33 characters; a far longer text is not parsed.
        guard text.utf8.count <= 40 else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        switch words.count {
        case 6: self.init(fixdate: words)
        case 4: self.init(rfc850: words, now: now)
        case 5: self.init(asctime: words)
        default: return nil
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private init?(fixdate words: [Substring]) {
        guard words[0].last == ",", Self.isWeekday(words[0].dropLast(), short: true),
            let day = Self.number(words[1], digits: 2), let month = Self.month(words[2]),
            let year = Self.number(words[3], digits: 4), words[5] == "GMT"
        else { return nil }
        self.init(year, month, day, words[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    private init?(rfc850 words: [Substring], now: HTTPDate) {
        let date = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].last == ",", Self.isWeekday(words[0].dropLast(), short: false),
            date.count == 3, let day = Self.number(date[0], digits: 2),
            let month = Self.month(date[1]), let short = Self.number(date[2], digits: 2),
            words[3] == "GMT"
        else { return nil }
        let thisYear = DateFields(secondsSince1970: now.secondsSince1970).year
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        self.init(year, month, day, words[2])
    }

    /// `Sun Nov  6 08:49:37 1994`.
    private init?(asctime words: [Substring]) {
        guard Self.isWeekday(words[0], short: true), let month = Self.month(words[1]),
            let day = Self.number(words[2], digits: words[2].utf8.count == 1 ? 1 : 2),
            let year = Self.number(words[4], digits: 4)
        else { return nil }
        self.init(year, month, day, words[3])
    }

    private init?(_ year: Int, _ month: Int, _ day: Int, _ time: Substring) {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = Self.number(parts[0], digits: 2),
            let minute = Self.number(parts[1], digits: 2),
            let second = Self.number(parts[2], digits: 2)
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    private static func isWeekday(_ word: Substring, short: Bool) -> Bool {
        weekdays.contains { short ? $0.prefix(3) == word : word == $0 }
    }

    private static func month(_ word: Substring) -> Int? {
        months.firstIndex { $0 == word }.map { $0 + 1 }
    }

    /// Reads exactly this number of digits, and nothing else: no sign, no space.
    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}

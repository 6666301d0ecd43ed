extension HTTPHeaders {
    /// Returns the date in a field, in any of HTTP's three forms (RFC 9110, section 5.6.7).
    ///
    /// ```swift
    /// response.headers.date("Last-Modified")  // Sun, 06 Nov 1994 08:49:37 GMT
    /// ```
    ///
    /// - Parameter name: The field's name.
    /// - Returns: Nil unless the field has exactly one value, and the value is such a date.
    public func date(_ name: String) -> Date? { self[name].flatMap { Date(httpText: $0) } }

    /// Replaces all values of a name by a date, in the form that HTTP sends, like `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// The date is rounded down to a whole second.
    public mutating func set(_ date: Date, for name: String) { set(date.httpText, for: name) }
}

extension Date {
    /// Reads a date in any of HTTP's three forms.
    ///
    /// A recipient must understand `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, and
    /// `Sun Nov  6 08:49:37 1994`. The name of the day must be valid, but need not fit the date. If a two-digit year
    /// would be more than 50 years after `now`, it belongs to the century before.
    ///
    /// - Returns: Nil if the text is not such a date.
    /// - Complexity: Linear in the length of the text.
    package init?(httpText text: String, now: Date = .now) {
        guard let fields = DateFields(text, now: now) else { return nil }
        self.init(secondsSince1970: fields.secondsSince1970)
    }

    package init(secondsSince1970 seconds: Int64) {
        self.init(timeIntervalSince1970: Double(seconds))
    }

    /// The whole seconds since 1970, rounded down, and clamped to the years 0 to 9999.
    package var secondsSince1970: Int64 {
        Int64(max(-62_167_219_200, min(253_402_300_799, timeIntervalSince1970.rounded(.down))))
    }

    package var inWholeSeconds: Date { Date(secondsSince1970: secondsSince1970) }

    /// The date in the form that HTTP sends, like `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var httpText: String {
        let fields = DateFields(secondsSince1970: secondsSince1970)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let year =
            String(repeating: "0", count: max(0, 4 - "\(fields.year)".count)) + "\(fields.year)"
        let time = [fields.hour, fields.minute, fields.second].map(two).joined(separator: ":")
        let weekday = DateFields.weekdays[fields.weekday].prefix(3)
        let month = DateFields.months[fields.month - 1]
        return "\(weekday), \(two(fields.day)) \(month) \(year) \(time) GMT"
    }
}

/// The fields of a date and a time of day, in UTC and the Gregorian calendar.
package struct DateFields {
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    var year: Int
    /// From 1 to 12.
    var month: Int
    /// From 1 to 31.
    var day: Int
    var hour: Int
    var minute: Int
    /// From 0 to 60, because of leap seconds.
    var second: Int

    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The seconds since 1970-01-01T00:00:00Z.
    package var secondsSince1970: Int64 {
        Int64(daysSince1970) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// The day of the week, from 0 for Sunday; 1970 began on a Thursday.
    var weekday: Int { ((daysSince1970 + 4) % 7 + 7) % 7 }

    /// The fields of an instant in the years 0 to 9999.
    init(secondsSince1970 instant: Int64) {
        let rest = Int(((instant % 86_400) + 86_400) % 86_400)
        let days = Int((instant - Int64(rest)) / 86_400)
        // Starting the year in March puts the leap day last (Hinnant, "chrono-compatible low-level date
        // algorithms"). 400 years have 146,097 days.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = rest % 60
    }

    private var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension DateFields {
    /// Reads an HTTP date in any of its three forms (RFC 9110, section 5.6.7).
    init?(_ text: String, now: Date) {
        // The longest date has 33 characters, so a much longer text is not parsed.
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
    private init?(rfc850 words: [Substring], now: Date) {
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

    /// Reads exactly `digits` digits, without a sign or spaces.
    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}

import PledgeHTTPNetworking

/// The date of a cookie's end, with a far more lenient format than HTTP's other dates (RFC 6265,
/// section 5.1.1): its parts in any order, with anything between them.
enum CookieDate {
    /// Reads a date, or returns nil if a part is missing or out of range.
    ///
    /// Complexity: linear in the length of the text.
    static func date(_ text: some StringProtocol) -> HTTPDate? {
        var time: (hour: Int, minute: Int, second: Int)?
        var (day, month, year): (Int?, Int?, Int?)
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            let token = ArraySlice(token)
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found.value
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = fullYear(found.value)
            }
        }
        guard let time, let day, let month, let year, year >= 1601, time.second <= 59,
            let fields = DateFields(
                year: year, month: month, day: day, hour: time.hour, minute: time.minute,
                second: time.second)
        else { return nil }
        return HTTPDate(secondsSince1970: fields.secondsSince1970)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// A year of two digits is one from 1970 to 2069.
    private static func fullYear(_ year: Int) -> Int {
        switch year {
        case 0...69: year + 2000
        case 70...99: year + 1900
        default: year
        }
    }

    /// Three numbers of one or two digits with colons between them, and then no digit.
    private static func time(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        guard let hour = number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = number(hour.rest.dropFirst(), digits: 1...2),
            minute.rest.first == UInt8(ascii: ":"),
            let second = number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// The number at the beginning of a token, if it has the given number of digits.
    private static func number(
        _ token: ArraySlice<UInt8>, digits: ClosedRange<Int>
    ) -> (value: Int, rest: ArraySlice<UInt8>)? {
        let found = token.prefix(while: \.isDigit).prefix(digits.upperBound + 1)
        guard digits.contains(found.count) else { return nil }
        let value = found.reduce(0) { $0 * 10 + Int($1 - 48) }
        return (value, token.dropFirst(found.count))
    }

    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let word = token.prefix(3).map { $0 | 0x20 }
        return DateFields.months.firstIndex { $0.lowercased().utf8.elementsEqual(word) }
            .map { $0 + 1 }
    }
}

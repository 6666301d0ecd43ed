/// An instant as HTTP writes it: to the second, in UTC.
///
/// ```swift
/// HTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")?.secondsSince1970  // 784111777
/// ```
public struct HTTPDate {
    /// The seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public var secondsSince1970: Int64

    /// Makes a date from seconds since 1970-01-01T00:00:00Z.
    public init(secondsSince1970: Int64) { self.secondsSince1970 = secondsSince1970 }

    /// Reads a date in one of the three forms that a recipient must understand (RFC 9110, section
    /// 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`, and
    /// `Sun Nov  6 08:49:37 1994`.
    ///
    /// The day of the week must be one, but need not fit the date. If a year of two digits would be more than
    /// 50 years after `now`, it is in the century before.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The date that determines the century of a year of two digits.
    /// - Returns: Nil if it is not such a date. Complexity: linear in the length of the text.
    public init?(_ text: String, now: HTTPDate = .now) {
        guard let fields = DateFields(text, now: now) else { return nil }
        secondsSince1970 = fields.secondsSince1970
    }

    /// The date in the form that is sent, like `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var text: String {
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

extension HTTPDate: Comparable {
    /// Whether one is before the other.
    public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

extension HTTPDate: CustomStringConvertible {
    /// The same as ``text``.
    public var description: String { text }
}

extension HTTPDate: Hashable {}

extension HTTPDate: Sendable {}

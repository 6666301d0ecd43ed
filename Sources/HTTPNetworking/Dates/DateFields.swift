/// The fields of a date and a time of day in UTC, by the Gregorian calendar.
package struct DateFields {
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    var year: Int
    /// From 1.
    var month: Int
    /// From 1.
    var day: Int
    var hour: Int
    var minute: Int
    /// Up to 60, for a leap second.
    var second: Int

    /// Makes fields, or returns nil if there is no such day or time.
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

    /// The seconds since 1970.
    package var secondsSince1970: Int64 {
        Int64(daysSince1970) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// From 0, which is Sunday; 1970 began on a Thursday.
    var weekday: Int { ((daysSince1970 + 4) % 7 + 7) % 7 }

    /// The fields of an instant; for an instant outside the years 0 to 9999, the nearest one within them.
    init(secondsSince1970 instant: Int64) {
        let instant = min(max(instant, -62_167_219_200), 253_402_300_799)
        let rest = Int(((instant % 86_400) + 86_400) % 86_400)
        let days = Int((instant - Int64(rest)) / 86_400)
        // Years that begin in March put the leap day last (Hinnant, "chrono-compatible low-level
        // date algorithms"); 400 of them have 146,097 days.
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

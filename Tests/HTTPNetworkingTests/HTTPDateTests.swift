import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func allThreeFormsOfADateAreRead(text: String) {
        #expect(Date(httpText: text)?.secondsSince1970 == 784_111_777)
    }

    @Test func aDateIsWrittenInTheFirstForm() {
        #expect(Date(secondsSince1970: 784_111_777).httpText == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(Date(secondsSince1970: 0).httpText == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(Date(secondsSince1970: -1).httpText == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func aFieldIsReadAndSetAsADate() {
        var headers: HTTPHeaders = ["date": "old", "Date": "older"]
        #expect(headers.date("Date") == nil)
        headers.set(Date(timeIntervalSince1970: 784_111_777.9), for: "Date")
        #expect(headers == ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(headers.date("Date") == Date(timeIntervalSince1970: 784_111_777))
        headers.add("Sun, 06 Nov 1994 08:49:37 GMT", for: "Date")
        #expect(headers.date("Date") == nil && headers.date("Expires") == nil)
    }

    @Test func aDateOfAnySizeHasWholeSeconds() {
        for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
            #expect(Date(timeIntervalSince1970: seconds).httpText.hasSuffix(" GMT"))
        }
    }

    @Test(arguments: [
        "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:+7 GMT", "Foo, 06 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:３7 GMT",
        "Sun Nov  6 08:49:37 1994 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
    ])
    func aTextThatIsNoDateIsRefused(text: String) {
        #expect(Date(httpText: text) == nil)
    }

    @Test func twoDigitsOfAYearAreReadByTheCenturyThatFits() {
        let now = Date(httpText: "Sat, 21 Nov 2026 00:00:00 GMT")!
        let year = { (digits: String) in
            Date(httpText: "Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now)?.httpText
                .split(separator: " ")[3]
        }
        #expect(year("26") == "2026")
        #expect(year("76") == "2076")
        #expect(year("77") == "1977")
        #expect(year("99") == "1999")
    }

    @Test func leapSecondsAndLeapDaysAreDates() {
        #expect(
            Date(httpText: "Sat, 29 Feb 2020 23:59:60 GMT")?.httpText
                == "Sun, 01 Mar 2020 00:00:00 GMT")
    }

    /// Compared with Foundation's calendar, which is another implementation.
    @Test func dateFieldsAgreeWithAnotherCalendar() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0)!
        var random = SeededGenerator(seed: 6)
        for _ in 0..<2_000 {
            // From 1600, since Foundation's calendar is the Julian calendar before 1582.
            let instant = Int64.random(in: -11_676_096_000...253_402_300_799, using: &random)
            let date = Date(timeIntervalSince1970: TimeInterval(instant))
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
            let text = Date(secondsSince1970: instant).httpText
            let words = text.split { " :,".contains($0) }
            let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
            #expect(words.first.map(String.init) == weekdays[parts.weekday! - 1], "\(instant)")
            #expect(Int(words[1]) == parts.day && Int(words[3]) == parts.year, "\(instant)")
            #expect(
                Int(words[4]) == parts.hour && Int(words[5]) == parts.minute
                    && Int(words[6]) == parts.second, "\(instant)")
            #expect(Date(httpText: text)?.secondsSince1970 == instant)
        }
    }

    /// An `Int` of 32 bits ends in 2038.
    @Test func aDateIsCountedInInt64() {
        let seconds: Int64? = Date(httpText: "Tue, 19 Jan 2038 03:14:08 GMT")?.secondsSince1970
        #expect(seconds == 2_147_483_648)
    }

    @Test func instantsBeyondAllYearsAreHeldWithinThem() {
        #expect(Date(secondsSince1970: .max).httpText == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(Date(secondsSince1970: .min).httpText == "Sat, 01 Jan 0000 00:00:00 GMT")
    }
}

import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct CookieDateTests {
    /// 1994-11-06 08:49:37.
    private let seconds: Int64 = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "6 nov 1994 8:49:37", "1994 08:49:37 NOVEMBER 6th",
        "08:49:37x123 06 Nov 1994", "Sun,06/Nov/1994;08:49:37,UTC+5", "Nov,6,94,08:49:37",
        "x 06 Nov 1994 08:49:37 1 2 3 Dec 2010",
    ])
    func itsPartsStandInAnyOrder(_ text: String) {
        #expect(CookieDate.date(text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [("69", 2069), ("70", 1970), ("99", 1999), ("00", 2000), ("100", nil)])
    func aShortYearIsOneFrom1970To2069(_ year: String, _ full: Int?) {
        let date = CookieDate.date("1 Jan \(year) 00:00:00")
        #expect(date == full.flatMap { CookieDate.date("1 Jan \($0) 00:00:00") })
        #expect((date != nil) == (full != nil))
    }

    @Test(arguments: [
        "", "soon", "06 Nov 1994", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 08:49:37",
        "00 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "32 Dec 1994 08:49:37",
        "29 Feb 1900 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19944 08:49:37",
        "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60",
        "06 Nov 1994 008:49:37", "06 Nov 1994 08:49:370", "06 Nov 1994 08:49",
        "٠٦ Nov 1994 08:49:37",
    ])
    func whatIsMissingOrOutOfBoundsIsNoDate(_ text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test func theBoundsAreDates() {
        #expect(CookieDate.date("1 Jan 1601 00:00:00")?.text == "Mon, 01 Jan 1601 00:00:00 GMT")
        #expect(CookieDate.date("31 Dec 9999 23:59:59")?.text == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(CookieDate.date("29 Feb 2000 00:00:00")?.text == "Tue, 29 Feb 2000 00:00:00 GMT")
    }
}

import Testing

@testable import PledgeHTTPNetworking

@Suite struct RetryAfterTests {
    private let now = HTTPDate(secondsSince1970: 784_111_777)

    private func delay(_ text: String?, date: String? = nil) -> Duration? {
        var headers = HTTPHeaders()
        headers["Retry-After"] = text
        headers["Date"] = date
        return RetryAfter.delay(in: headers, now: now)
    }

    @Test(arguments: [("0", 0), ("120", 120), ("007", 7)])
    func secondsAreADelay(_ text: String, _ seconds: Int) {
        #expect(delay(text) == .seconds(seconds))
    }

    @Test func aNumberTooLargeToCountIsTheLongestDelay() {
        #expect(delay("2147483649") == .seconds(1 << 31))
        #expect(delay(String(repeating: "9", count: 400)) == .seconds(1 << 31))
        #expect(delay("Fri, 31 Dec 9999 23:59:59 GMT") == .seconds(1 << 31))
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1 s", "soon", "0x10", "١٢", "120, 60"])
    func whatIsNoDelayIsIgnored(_ text: String) {
        #expect(delay(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT",
        "Sun Nov  6 08:50:37 1994",
    ])
    func aDateCountsFromTheSystemsDate(_ text: String) {
        #expect(delay(text) == .seconds(60))
    }

    @Test func aDateCountsFromTheResponsesOwnDate() {
        let later = "Mon, 07 Nov 1994 08:00:30 GMT"
        #expect(delay(later, date: "Mon, 07 Nov 1994 08:00:00 GMT") == .seconds(30))
        #expect(delay(later, date: "yesterday") == .seconds(83_453))
    }

    @Test func aDateInThePastIsIgnored() {
        #expect(delay("Sun, 06 Nov 1994 08:49:36 GMT") == nil)
        #expect(delay("Sun, 06 Nov 1994 08:49:37 GMT") == .zero)
        #expect(delay("Thu, 01 Jan 0000 00:00:00 GMT") == nil)
    }

    @Test func withoutTheHeaderThereIsNoDelay() {
        #expect(delay(nil) == nil)
    }

    @Test func theFirstOfSeveralCounts() {
        let headers: HTTPHeaders = ["Retry-After": "5", "retry-after": "9"]
        #expect(RetryAfter.delay(in: headers, now: now) == .seconds(5))
    }
}

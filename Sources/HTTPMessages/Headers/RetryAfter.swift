import PledgeHTTPText

/// The delay that a server asks for (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// Returns the delay that a response asks for.
    ///
    /// The value is a number of seconds, or a date. For a date, the delay is the time from the response's own Date
    /// header until that date, so that a wrong server clock does no harm. If that header is missing or invalid, the
    /// delay is the time from the system's date. Any other value, and a date in the past, is ignored. No delay is
    /// longer than `DeltaSeconds.most`.
    ///
    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - now: The system's date.
    static func delay(in headers: HTTPHeaders, now: @autoclosure () -> Date) -> Duration? {
        guard let text = headers.values(for: "Retry-After").first else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        let sent = headers.values(for: "Date").first.flatMap { Date(httpText: $0) } ?? now()
        guard let date = Date(httpText: text, now: sent), date >= sent else { return nil }
        return .seconds(min(DeltaSeconds.most, date.secondsSince1970 - sent.secondsSince1970))
    }
}

/// A number of seconds in a header field (delta-seconds, RFC 9111, section 1.2.2).
package enum DeltaSeconds {
    /// The largest number; RFC 9111 lets a recipient read any larger number as this one.
    package static let most: Int64 = 1 << 31

    /// Parses a text that has only digits; nil for any other text.
    ///
    /// A number above ``most`` becomes ``most``.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int64(text) ?? most, most)
    }
}

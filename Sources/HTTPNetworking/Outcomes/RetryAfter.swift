/// The delay that a server asks for (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The delay that a response names.
    ///
    /// Seconds, or a date. A date counts from the response's own Date, so that a wrong clock of the server
    /// does not matter, or from the system's date if that header is missing or invalid. Any other value, and
    /// a date in the past, is ignored. No delay is longer than `DeltaSeconds.most`.
    ///
    /// - Parameters:
    ///   - headers: The headers of the response.
    ///   - now: The system's date.
    static func delay(in headers: HTTPHeaders, now: @autoclosure () -> HTTPDate) -> Duration? {
        guard let text = headers.values(for: "Retry-After").first else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        let sent = headers.values(for: "Date").first.flatMap { HTTPDate($0) } ?? now()
        guard let date = HTTPDate(text, now: sent), date >= sent else { return nil }
        return .seconds(min(DeltaSeconds.most, date.secondsSince1970 - sent.secondsSince1970))
    }
}

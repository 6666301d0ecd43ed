/// The dates of a response, taken for none where there is any doubt.
enum CacheDates {
    /// The date of a field, nil where there is none, where it is no date, or where there are several
    /// that differ.
    static func date(_ headers: HTTPHeaders, _ name: String) -> HTTPDate? {
        let values = headers.values(for: name)
        guard let text = values.first, values.allSatisfy({ $0 == text }) else { return nil }
        return date(text)
    }

    /// A date in one of HTTP's forms, to the letter: with single spaces, but where a day has one digit.
    static func date(_ text: String) -> HTTPDate? {
        if text.contains(","), text.contains("  ") { return nil }
        return HTTPDate(text)
    }
}

/// Counts of seconds as headers write them.
enum CacheSeconds {
    /// Reads nothing but digits; what is too large is 2³¹ (RFC 9111, section 1.2.2).
    static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return min(Int(text) ?? CacheControl.mostSeconds, CacheControl.mostSeconds)
    }
}

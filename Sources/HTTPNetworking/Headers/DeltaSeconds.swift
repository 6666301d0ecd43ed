/// Counts of seconds as fields write them: delta-seconds of RFC 9111, section 1.2.2.
package enum DeltaSeconds {
    /// As many as a recipient has to be able to count.
    package static let most = 1 << 31

    /// Reads nothing but digits; what is too large is ``most``.
    package static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int(text) ?? most, most)
    }
}

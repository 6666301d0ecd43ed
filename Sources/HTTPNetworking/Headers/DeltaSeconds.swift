/// Counts of seconds as fields write them: delta-seconds of RFC 9111, section 1.2.2.
package enum DeltaSeconds {
    /// The largest number that a recipient has to represent.
    package static let most: Int64 = 1 << 31

    /// Parses digits only; a larger number becomes ``most``.
    package static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int64(text) ?? most, most)
    }
}

/// The values that one label may have: a limited number, and "other" for all later ones.
///
/// Each value of a label makes another time series, which is kept for good, here and where it is
/// collected; so their number needs a limit.
struct BoundedLabels: Sendable {
    static let other = "other"
    /// The longest value, in Unicode scalars.
    static let longest = 128

    let limit: Int
    private var known: Set<String> = []

    init(limit: Int) { self.limit = limit }

    /// The label value for a value: itself or "other".
    mutating func admit(_ value: String) -> String {
        let value = value.cut(to: Self.longest)
        if known.contains(value) { return value }
        guard known.count < limit else { return Self.other }
        known.insert(value)
        return value
    }
}

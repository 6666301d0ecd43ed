/// One thing to measure, done in several ways to compare.
struct Case: Sendable {
    /// The name of the case in the table.
    let name: String
    /// The number of operations to count allocations over.
    ///
    /// It is small if one operation is large, and zero if a count would be meaningless.
    var counted = 64
    /// Returns the reason why the case can't be measured here; nil if it can.
    var obstacle: @Sendable () -> String? = { nil }
    /// The ways of doing the work, starting with Pledge's.
    var ways: [Way]
}

/// One thing to measure, done in several ways that are compared with each other.
struct Case: Sendable {
    /// What is done, as the table names it.
    let name: String
    /// How many operations the allocations are counted over: few where one operation is large, and
    /// none where the count would say nothing.
    var counted = 64
    /// Why this cannot be measured here; nil where it can.
    var obstacle: @Sendable (_ isQuick: Bool) -> String? = { _ in nil }
    /// The ways of doing it: first Pledge's, then what it is compared with.
    var ways: [Way]
}

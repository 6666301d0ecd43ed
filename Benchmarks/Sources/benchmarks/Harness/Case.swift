/// One thing to measure, done in several ways that are compared with each other.
struct Case: Sendable {
    /// The name of the case in the table.
    let name: String
    /// The number of operations over which allocations are counted: few if one operation is large, zero if
    /// the count would be meaningless.
    var counted = 64
    /// Why the case cannot be measured here; nil if it can.
    var obstacle: @Sendable () -> String? = { nil }
    /// The ways of doing it: Pledge's first, then the others.
    var ways: [Way]
}

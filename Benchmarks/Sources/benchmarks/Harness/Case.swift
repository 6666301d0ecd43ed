/// One thing to measure, done in several ways that are compared with each other.
struct Case: Sendable {
    /// What is done, as the table names it.
    let name: String
    /// How many operations the allocations are counted over: few where one operation is large.
    var counted = 64
    /// The ways of doing it: first Pledge's, then what it is compared with.
    var ways: [Way]
}

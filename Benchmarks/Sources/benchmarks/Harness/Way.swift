/// One way of doing the work of a case.
struct Way: Sendable {
    /// The name of the way in the table.
    let name: String
    /// Does the work a number of times, and returns the cost.
    let run: @Sendable (_ count: Int) async -> Cost

    /// A way that never suspends.
    init(_ name: String, _ body: @escaping @Sendable (_ count: Int) -> Void) {
        self.name = name
        run = { count in Cost.of { body(count) } }
    }

    /// A way that suspends.
    init(awaiting name: String, _ body: @escaping @Sendable (_ count: Int) async -> Void) {
        self.name = name
        run = { count in await Cost.of { await body(count) } }
    }

    /// A way with a preparation that is not measured.
    init(measuring name: String, _ run: @escaping @Sendable (_ count: Int) async -> Cost) {
        self.name = name
        self.run = run
    }
}

/// One way of doing what a case names.
struct Way: Sendable {
    /// Whose way it is, as the table names it.
    let name: String
    /// Does the thing a number of times, and tells what that cost.
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

    /// A way that makes something ready first, which does not count.
    init(measuring name: String, _ run: @escaping @Sendable (_ count: Int) async -> Cost) {
        self.name = name
        self.run = run
    }
}

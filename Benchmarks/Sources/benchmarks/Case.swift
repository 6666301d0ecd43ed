/// One thing to measure, done in several ways that are compared with each other.
struct Case {
    /// What is done, as the table names it.
    let name: String
    /// The ways of doing it: first Pledge's, then what it is compared with.
    let ways: [Way]

    /// A way of doing the same thing.
    struct Way {
        /// Whose way it is, as the table names it.
        let name: String
        /// Does the thing a number of times.
        let run: @Sendable (_ count: Int) async -> Void

        /// A way that never suspends.
        init(_ name: String, _ run: @escaping @Sendable (_ count: Int) -> Void) {
            self.name = name
            self.run = run
        }

        /// A way that suspends.
        init(awaiting name: String, _ run: @escaping @Sendable (_ count: Int) async -> Void) {
            self.name = name
            self.run = run
        }
    }
}

extension Case {
    /// Every case, in the order of the table.
    static let all: [Case] = [
        .createObserveResolve, .mapOfSettled, .tenMaps, .awaitPending, .combineAndChain,
        .dispatch, .derivedStore, .derivedStores,
    ]
}

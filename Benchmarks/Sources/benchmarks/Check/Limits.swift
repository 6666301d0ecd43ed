/// What must not get worse.
enum Limits {
    /// The most allocations of an operation of Pledge's: exactly these today.
    static let allocations: [(subject: Case, most: Double)] = [
        (.createObserveResolve, 2), (.mapOfSettled, 2), (.tenMaps, 12), (.tenFlatMaps, 22),
        (.allOf100, 210),
    ]

    /// The most that Pledge's time may be, divided by that of another way.
    static let ratios: [Ratio] =
        [
            Ratio(.allOf100, to: "task group", most: 0.4),
            Ratio(.awaitSettled, to: "checked continuation", most: 1.3),
            Ratio(.timeoutAmongMany, to: "Dispatch timer source", most: 0.2),
            Ratio(.combined, to: "closure", most: 1.05),
            Ratio(.chained, to: "closure", most: 1.05),
        ] + Peers.limits

    /// A machine has bad moments: a ratio fails only where it is passed by more than this factor.
    static let slack = 1.25

    /// A limit on a quotient of times.
    struct Ratio: Sendable {
        let subject: Case
        let other: String
        let most: Double

        init(_ subject: Case, to other: String, most: Double) {
            self.subject = subject
            self.other = other
            self.most = most
        }
    }
}

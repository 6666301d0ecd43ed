/// The limits and aims that the check compares the results with.
enum Limits {
    /// The maximum number of allocations per operation, for operations of Pledge that always make the same number.
    static let allocations: [(subject: Case, most: Double)] = [
        (.createObserveResolve, 2), (.observeSettled, 0), (.eightObservers, 9),
        (.mapOfSettled, 2), (.tenMaps, 12), (.hundredMaps, 102), (.tenFlatMaps, 22),
        (.recursion, 2_003), (.zipOf3, 9), (.allOf100, 205), (.allOf10000, 20_005),
        (.anyOf10, 52), (.raceOf10, 57), (.recoverAfterFailure, 5), (.cancelChain, 15),
        (.awaitSettled, 0), (.timeout, 1), (.timeoutAmongMany, 1), (.composedLoading, 2),
        (.composedUnknownLoading, 2), (.combinedUnknownLoading, 2), (.chainedUnknownLoading, 2),
        (.combined, 0), (.chained, 0),
        (.combinedUnknown, 0), (.chainedUnknown, 0), (.dispatch, 0), (.derivedStore, 0),
        // The whole stack makes 9 allocations. But if the process has created a memo before, a joined call also reports
        // what its answer depends on, which takes more allocations. So the limit is higher.
        (.derivedStores, 1), (.passThrough, 1), (.wholeStack, 13), (.eventWithoutEffect, 0),
        (.effectOfSettled, 4),
    ]

    /// The aims for Pledge's time, as multiples of another way's time.
    ///
    /// A missed aim is printed but isn't a failure, because times depend on the machine and its load.
    static let aims: [Ratio] =
        [
            Ratio(.allOf100, to: "task group", most: 0.4),
            Ratio(.contended, to: "locked closures", most: 1.25),
            Ratio(.dispatch, to: "locked closures", most: 3),
            Ratio(.eventWithoutEffect, to: "reducer without effects", most: 1.8),
            Ratio(.effectOfSettled, to: "two events without effects", most: 6),
            Ratio(.cancelAmongMany, to: "10 effects", most: 2),
            Ratio(.simulatedCall, to: "heap of closures", most: 1.75),
            Ratio(.awaitSettled, to: "checked continuation", most: 1.3),
            Ratio(.timeout, to: "Dispatch timer source", most: 0.3),
            Ratio(.timeoutAmongMany, to: "Dispatch timer source", most: 0.3),
            Ratio(.composedLoading, to: "closure", most: 1.05),
            Ratio(.composedUnknownLoading, to: "closure", most: 1.05),
            Ratio(.combinedUnknownLoading, to: "closure", most: 1.05),
            Ratio(.chainedUnknownLoading, to: "closure", most: 1.05),
            Ratio(.combined, to: "closure", most: 1.75),
            Ratio(.chained, to: "closure", most: 1.05),
            Ratio(.passThrough, to: "closure around the call", most: 1.1),
            Ratio(.passThrough, to: "bare call", most: 1.4),
            Ratio(.wholeStack, to: "settled map", most: 30),
            Ratio(.clientWithDefaults, to: "bare transport", most: 2.5),
            Ratio(.clientWithAllSlots, to: "bare transport", most: 5),
            Ratio(.cacheHit, to: "memory", most: 5),
            Ratio(.cacheHit, to: "URLCache on disk", most: 1),
            Ratio(.sessionAlone, to: "URLSession", most: 1.03),
            Ratio(.sessionTogether, to: "URLSession", most: 1.03),
            Ratio(.curlAlone, to: "URLSession", most: 1 / 1.8),
            Ratio(.curlAlone, to: "C loop", most: 1.25),
            Ratio(.curlAloneInline, to: "URLSession", most: 1 / 2.2),
            Ratio(.curlTogether, to: "URLSession", most: 1 / 3),
            Ratio(.curlTogether, to: "C loop", most: 1.25),
            Ratio(.curlHTTP2, to: "C loop", most: 1.25),
        ] + Peers.aims

    /// An aim for the quotient of two times.
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

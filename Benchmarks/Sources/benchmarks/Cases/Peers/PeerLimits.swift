#if Peers
extension Peers {
    /// The aims for Pledge's time, as multiples of a peer's time.
    ///
    /// Pledge should be at least as fast as every futures library, and its transport over AsyncHTTPClient hardly
    /// slower than that client. Other HTTP clients are only shown.
    static let aims: [Limits.Ratio] =
        margins
        + (nio + openCombine).filter { addition in
            !margins.contains {
                $0.subject.name == addition.subject.name && $0.other == addition.way.name
            }
        }.map { Limits.Ratio($0.subject, to: $0.way.name, most: 1) }

    /// The cases in which Pledge must be faster by a margin.
    private static let margins = [
        Limits.Ratio(.createObserveResolve, to: "SwiftNIO", most: 0.6),
        Limits.Ratio(.mapOfSettled, to: "SwiftNIO", most: 0.45),
        Limits.Ratio(.tenMaps, to: "SwiftNIO", most: 0.65),
        Limits.Ratio(.tenFlatMaps, to: "SwiftNIO", most: 0.70),
        Limits.Ratio(.allOf100, to: "SwiftNIO", most: 0.3),
        // This ratio has two steady states, 0.12 to 0.15 and 0.31 to 0.33; the Decision on times explains them.
        Limits.Ratio(.contended, to: "SwiftNIO", most: 0.25),
        Limits.Ratio(.curlAlone, to: "AsyncHTTPClient", most: 1.3),
        Limits.Ratio(.curlAloneInline, to: "AsyncHTTPClient", most: 1 / 1.3),
        Limits.Ratio(.curlTogether, to: "AsyncHTTPClient", most: 1),
        Limits.Ratio(.asyncHTTPClientAlone, to: "AsyncHTTPClient", most: 1.05),
        Limits.Ratio(.asyncHTTPClientAlone, to: "AsyncHTTPClient's futures", most: 1.05),
        Limits.Ratio(.asyncHTTPClientTogether, to: "AsyncHTTPClient", most: 1.05),
        Limits.Ratio(.asyncHTTPClientTogether, to: "AsyncHTTPClient's futures", most: 1.05),
    ]
}
#endif

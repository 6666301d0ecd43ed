extension Case {
    /// Every case, in the table's order, with the peers that this build includes.
    static let all: [Case] = (own + Peers.cases).map { subject in
        var subject = subject
        subject.ways += Peers.all.filter { $0.subject.name == subject.name }.map(\.way)
        return subject
    }

    /// Every case, compared with closures, Swift concurrency and the system's libraries.
    private static let own: [Case] = [
        .createObserveResolve, .observeSettled, .eightObservers, .mapOfSettled, .tenMaps,
        .hundredMaps, .tenFlatMaps, .recursion, .zipOf3, .allOf100, .allOf10000, .anyOf10,
        .raceOf10, .recoverAfterFailure, .cancelChain, .contended, .awaitSettled, .awaitPending,
        .fromAsync, .timeout, .timeoutAmongMany, .composedLoading, .composedUnknownLoading,
        .combinedUnknownLoading, .chainedUnknownLoading, .combined, .chained, .combinedUnknown,
        .chainedUnknown, .memoryRoundTrip, .loopbackRoundTrip, .sessionAlone, .sessionTogether,
        .curlAlone, .curlAloneInline, .curlTogether, .curlHTTP2,
        .policies, .passThrough, .wholeStack, .clientWithDefaults, .clientWithAllSlots, .cacheHit,
        .dispatch,
        .derivedStore, .derivedStores, .eventWithoutEffect, .effectOfSettled, .cancelAmongMany,
        .simulatedCall,
    ]
}

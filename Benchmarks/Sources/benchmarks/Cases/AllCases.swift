extension Case {
    /// Every case, in the order of the table, beside the peers that this build has.
    static let all: [Case] = own.map { subject in
        var subject = subject
        subject.ways += Peers.all.filter { $0.subject.name == subject.name }.map(\.way)
        return subject
    }

    /// Every case, beside closures, Swift concurrency and what the system brings.
    private static let own: [Case] = [
        .createObserveResolve, .mapOfSettled, .tenMaps, .tenFlatMaps, .allOf100, .contended,
        .awaitPending, .combineAndChain, .dispatch, .derivedStore, .derivedStores,
    ]
}

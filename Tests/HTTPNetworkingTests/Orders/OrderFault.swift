/// A violation of an invariant in a script.
struct OrderFault: Hashable, Sendable, CustomStringConvertible {
    /// The invariants of every order.
    enum Invariant: String, Hashable, Sendable {
        case processedOnce, secretsAreNotShown, secretsStayWithTheirOrigins, everyCallEndsInTime
        case breakersOpenByEvidence, observersCountWhatCallersSee, deadTokensAreNotSent,
            redirectsAreFollowed
        case repetitionsAreBounded, repetitionsWait, mistakesAreNotRepeated
        case storedAnswersAreUsed, refusedTokensAreRenewed, youngTokensAreKept
    }

    let invariant: Invariant
    let text: String

    init(_ invariant: Invariant, _ text: String) {
        self.invariant = invariant
        self.text = text
    }

    var description: String { "\(invariant): \(text)" }
}

/// An invariant that does not hold if one layer is above another, and why.
struct ExceptedPair: Sendable {
    let pair: LayerPair
    let invariant: OrderFault.Invariant
    /// A script in which it fails.
    let seed: UInt64
    let reason: String

    /// At most 15; no order that a guide prints is among them.
    static let all = [
        ExceptedPair(
            pair: LayerPair(outer: .cache, inner: .defaultHeaders),
            invariant: .storedAnswersAreUsed, seed: 1163,
            reason: "a header that is added beneath the cache may be a user's")
    ]

    /// Whether a fault of a stack is a known exception.
    static func explain(_ fault: OrderFault, in layers: [OrderedLayer]) -> Bool {
        let excepted = all.filter { $0.invariant == fault.invariant }
        if excepted.isEmpty { return false }
        let pairs = LayerPair.all(of: layers)
        return excepted.contains { pairs.contains($0.pair) }
    }
}

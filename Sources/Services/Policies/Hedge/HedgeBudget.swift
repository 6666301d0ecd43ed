/// The hedges that calls may have: each call adds a part of one, and each hedge takes one.
///
/// It saves ten at most, or what the calls under way have added, if that is more. Each call sets that limit when it
/// begins. When it ends it does not, so that what the fast calls of a burst have added is there for the slow ones.
struct HedgeBudget: Sendable {
    /// How many hedges are saved at most while few calls are under way.
    private static let saved = 10

    private var bucket: TokenBucket
    private var underWay = 0

    /// - Parameter share: The part of a hedge that a call adds; 0…1.
    init(share: Double) {
        bucket = TokenBucket(
            capacity: Self.saved, share: share,
            initial: Int((Double(Self.saved) * share).rounded(.up)))
    }

    /// Sets the limit, and adds the part of a call that begins.
    mutating func add() {
        bucket.resize(toHold: underWay + 1)
        bucket.add()
    }

    /// Counts a call that has not ended at once.
    mutating func begin() { underWay += 1 }

    /// A counted call has ended.
    mutating func end() { underWay -= 1 }

    /// Takes one hedge, if there is one.
    mutating func take() -> Bool { bucket.take() }

    /// Puts back a hedge that was not made.
    mutating func putBack() { bucket.putBack() }

    /// How many hedges there are.
    var balance: Int { bucket.balance }
}

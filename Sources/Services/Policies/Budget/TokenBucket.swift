/// Tokens up to a capacity, of which calls add a part and further requests take one.
///
/// Whole numbers avoid rounding: a token has a million parts, and a share below one part counts as none.
struct TokenBucket: Sendable {
    private static let token: Int64 = 1_000_000

    private var parts: Int64
    private var capacity: Int64
    private let leastCapacity: Int64
    /// What one deposit adds.
    private let deposit: Int64

    /// - Parameters:
    ///   - capacity: The most tokens, until it is resized; 0…1,000,000.
    ///   - share: The part of a token that a deposit adds; 0…1.
    ///   - initial: How many there are at first; at most the capacity.
    init(capacity: Int, share: Double, initial: Int) {
        leastCapacity = Int64(capacity) * Self.token
        self.capacity = leastCapacity
        deposit = Int64((share * Double(Self.token)).rounded())
        parts = Int64(initial) * Self.token
    }

    /// Sets the capacity to what a number of deposits add, or to the first one if that is more.
    ///
    /// What is above it is lost.
    mutating func resize(toHold deposits: Int) {
        capacity = max(leastCapacity, Int64(deposits) * deposit)
        parts = min(parts, capacity)
    }

    /// Adds the part of a token.
    mutating func add() { parts = min(capacity, parts + deposit) }

    /// Takes one token, if there is one.
    mutating func take() -> Bool {
        guard parts >= Self.token else { return false }
        parts -= Self.token
        return true
    }

    /// Puts back what was taken.
    mutating func putBack(_ count: Int = 1) {
        parts = min(capacity, parts + Int64(count) * Self.token)
    }

    /// Fills it.
    mutating func fill() { parts = capacity }

    /// Whether nothing is lost with the bucket, if it begins full.
    var isFull: Bool { parts == capacity }

    /// How many tokens there are.
    var balance: Int { Int(parts / Self.token) }
}

/// Tokens up to a capacity, of which calls add a part and further requests take one.
///
/// Whole numbers avoid rounding: a token has a million parts, and a share below one part counts as none.
struct TokenBucket: Sendable {
    private static let token: Int64 = 1_000_000

    private var parts: Int64
    private let capacity: Int64
    /// What one deposit adds.
    private let deposit: Int64

    /// - Parameters:
    ///   - capacity: The most tokens; 0…1,000,000.
    ///   - share: The part of a token that a deposit adds; 0…1.
    ///   - initial: How many there are at first; at most the capacity.
    init(capacity: Int, share: Double, initial: Int) {
        self.capacity = Int64(capacity) * Self.token
        deposit = Int64((share * Double(Self.token)).rounded())
        parts = Int64(initial) * Self.token
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

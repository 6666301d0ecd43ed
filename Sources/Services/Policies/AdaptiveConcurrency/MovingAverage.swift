/// An exponentially weighted moving average, which is the plain mean of its first ten values.
struct MovingAverage: Sendable {
    private(set) var value = 0.0
    private var count = 0
    private let weight: Double

    private static let warmUp = 10

    /// - Parameter age: Of about how many values it is the average; the newest has the weight 2 ÷ (age + 1).
    init(age: Int) { weight = 2 / Double(age + 1) }

    /// Adds a value.
    ///
    /// - Returns: The average with it.
    mutating func add(_ new: Double) -> Double {
        count = min(count + 1, Self.warmUp + 1)
        value += (new - value) * (count <= Self.warmUp ? 1 / Double(count) : weight)
        return value
    }
}

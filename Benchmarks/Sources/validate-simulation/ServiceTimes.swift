import Foundation
import PledgeFutures
import PledgeSimulation

/// The time that a worker takes for a call, never less than 20 ms.
///
/// The socket server gets numbers drawn here, with the system's logarithm and power functions. The simulation draws its
/// own.
enum ServiceTimes {
    /// Any time between two bounds, in seconds, each equally likely.
    case uniform(Double, Double)
    /// A few times are far longer than the rest.
    case pareto(minimum: Double, shape: Double)
    /// One of two times.
    case bimodal(Double, Double, shareOfSecond: Double)

    /// The same distribution for a simulated host.
    var distribution: Distribution {
        switch self {
        case .uniform(let lower, let upper): .uniform(.seconds(lower), .seconds(upper))
        case .pareto(let minimum, let shape): .pareto(minimum: .seconds(minimum), shape: shape)
        case .bimodal(let first, let second, let share):
            .bimodal(.seconds(first), .seconds(second), shareOfSecond: share)
        }
    }

    /// Draws a time, in seconds.
    func draw(_ generator: inout SeededGenerator) -> Double {
        let number = Double.random(in: 0..<1, using: &generator)
        switch self {
        case .uniform(let lower, let upper): return lower + (upper - lower) * number
        case .pareto(let minimum, let shape): return minimum * pow(1 - number, -1 / shape)
        case .bimodal(let first, let second, let share): return number < share ? second : first
        }
    }
}

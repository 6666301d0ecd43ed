import Foundation
import PledgeServices
import PledgeSimulation

/// How long a worker takes for a call: 20 ms at least.
///
/// The sockets' server gets numbers that are drawn here, with the logarithm and the power of the system. The simulation
/// draws its own.
enum ServiceTimes {
    /// Each time between two, in seconds, is as likely as any other.
    case uniform(Double, Double)
    /// Few times are far longer than most.
    case pareto(minimum: Double, shape: Double)
    /// One of two times.
    case bimodal(Double, Double, shareOfSecond: Double)

    /// The same for a simulated host.
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

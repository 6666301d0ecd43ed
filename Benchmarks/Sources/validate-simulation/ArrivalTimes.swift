import Foundation
import PledgeFutures

/// The times at which the calls of a run are made, in seconds from its beginning.
struct ArrivalTimes {
    let seconds: [Double]

    /// Independent calls at a constant rate: a Poisson process.
    static func poisson(rate: Double, for duration: Double, seed: UInt64) -> ArrivalTimes {
        var generator = SeededGenerator(seed: seed)
        var (seconds, time) = ([Double](), 0.0)
        while true {
            time -= log(1 - Double.random(in: 0..<1, using: &generator)) / rate
            if time >= duration { return ArrivalTimes(seconds: seconds) }
            seconds.append(time)
        }
    }

    /// Calls at equal intervals.
    static func even(every distance: Double, count: Int) -> ArrivalTimes {
        ArrivalTimes(seconds: (0..<count).map { Double($0) * distance })
    }
}

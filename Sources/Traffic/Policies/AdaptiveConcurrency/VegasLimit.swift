import PledgeFutures

/// A limit that estimates the service's queue: the time above the shortest round trip is waiting time.
///
/// If L is the limit, about L·(1 − shortest ÷ round trip) calls wait. Let log be the integer part of L's decimal
/// logarithm, at least 1. The limit grows by 6·log while at most log calls wait, and by log while fewer than 3·log
/// wait. It shrinks by log when more than 6·log wait, and after a drop. After 15·L to 30·L samples, the shortest round
/// trip is measured again, because it may no longer be reachable. The number of samples is chosen at random for each
/// measurement.
///
/// (Brakmo and Peterson 1995, TCP Vegas. The numbers are from Netflix's concurrency-limits. There, a drop's time may
/// become the shortest round trip; here it may not, because a refusal is faster than any answer.)
struct VegasLimit: ConcurrencyLimitMachine {
    var limit: Int { Int(exact) }

    private var exact: Double
    private let bounds: ClosedRange<Int>
    private var generator: SeededGenerator
    /// The shortest round trip since the last measurement, in nanoseconds; nil before the first answer.
    private var shortest: Int64?
    private var samples = 0
    /// The number of samples before the next measurement, as a multiple of the limit.
    private var patience: Double

    init(initial: Int, bounds: ClosedRange<Int>, _ generator: SeededGenerator) {
        exact = Double(initial)
        self.bounds = bounds
        self.generator = generator
        patience = 0
        patience = nextPatience()
    }

    mutating func record(_ sample: ConcurrencySample) {
        samples += 1
        let step = Double(wholeLogarithm(of: limit))
        if sample.isDrop { return move(by: -step) }
        let roundTrip = sample.roundTrip
        guard let shortest, roundTrip >= shortest, Double(samples) < patience * exact else {
            measure(roundTrip)
            return
        }
        // While most of the limit is unused, a round trip says nothing about the limit.
        guard Double(sample.inFlight * 2) >= exact else { return }
        let waiting = (exact * (1 - Double(shortest) / Double(roundTrip))).rounded(.up)
        if waiting <= step {
            move(by: 6 * step)
        } else if waiting < 3 * step {
            move(by: step)
        } else if waiting > 6 * step {
            move(by: -step)
        }
    }

    /// Stores a round trip as the shortest, because it is shorter or the last measurement is too old.
    private mutating func measure(_ roundTrip: Int64) {
        shortest = roundTrip
        guard Double(samples) >= patience * exact else { return }
        samples = 0
        patience = nextPatience()
    }

    private mutating func nextPatience() -> Double {
        30 * (0.5 + Double(generator.next() >> 11) * 0x1p-54)
    }

    private mutating func move(by step: Double) {
        exact = min(Double(bounds.upperBound), max(Double(bounds.lowerBound), exact + step))
    }
}

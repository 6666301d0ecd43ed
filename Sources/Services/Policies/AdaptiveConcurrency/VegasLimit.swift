import PledgeFutures

/// A limit by an estimate of the service's queue: what a call takes longer than the shortest one, it has waited.
///
/// Of L calls in flight, L·(1 − shortest ÷ round trip) wait. With log for the whole part of the decimal logarithm of L,
/// at least 1: the limit grows by 6·log while at most log calls wait, by log while fewer than 3·log wait, and shrinks
/// by log when more than 6·log wait, or with a drop. The shortest round trip is measured anew after 30·L samples, times a
/// factor from 0.5 to 1 that differs each time: what was the shortest once may not be any more.
///
/// (Brakmo and Peterson 1995, TCP Vegas; the numbers are those of Netflix's concurrency-limits. There a drop's time may
/// become the shortest; here it may not, because a refusal is faster than every answer.)
struct VegasLimit: ConcurrencyLimitMachine {
    var limit: Int { Int(exact) }

    private var exact: Double
    private let bounds: ClosedRange<Int>
    private var generator: SeededGenerator
    /// The shortest round trip since the last measurement; nil before the first answer.
    private var shortest: Int64?
    private var samples = 0
    /// After how many times the limit of samples the shortest round trip is measured anew.
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
        // A limit that is not used says nothing about what it allows.
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

    /// Takes a round trip for the shortest: it is shorter, or the last measurement is too old.
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

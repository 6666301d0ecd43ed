import PledgeFutures

/// The times at which a scenario makes calls.
public struct Arrivals: Sendable {
    enum Kind: Sendable {
        case poisson([(until: Nanoseconds, rate: Double)])
        case even(rate: Double)
        case recorded([Nanoseconds])
        case closed(clients: Int, thinkTime: Distribution)
    }

    let kind: Kind

    /// Independent calls at a constant rate: a Poisson process.
    ///
    /// - Parameter rate: Calls per second. A rate of 0 or less traps.
    public static func poisson(rate: Double) -> Arrivals {
        .poisson([(.seconds(Int64.max / 1_000_000_000), rate)])
    }

    /// A Poisson process whose rate changes, for bursts or the curve of a day.
    ///
    /// - Parameter phases: The rate of each phase, in calls per second, and the time at which the phase ends. The times
    ///   must ascend, and no rate may be below 0. After the last phase no calls are made.
    public static func poisson(_ phases: [(until: Duration, rate: Double)]) -> Arrivals {
        for phase in phases {
            precondition(phase.rate >= 0, "a rate is 0 or more, not \(phase.rate)")
        }
        precondition(
            zip(phases, phases.dropFirst()).allSatisfy { $0.until < $1.until } && !phases.isEmpty,
            "the phases of arrivals are in ascending order")
        return Arrivals(kind: .poisson(phases.map { (Nanoseconds($0.until), $0.rate) }))
    }

    /// Calls at equal intervals.
    ///
    /// - Parameter rate: Calls per second. A rate of 0 or less traps.
    public static func even(rate: Double) -> Arrivals {
        precondition(rate > 0, "a rate is above 0, not \(rate)")
        return Arrivals(kind: .even(rate: rate))
    }

    /// Calls at given times from the beginning of the run, in ascending order.
    public static func recorded(_ times: [Duration]) -> Arrivals {
        precondition(
            zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
                && (times.first ?? .zero) >= .zero,
            "recorded arrivals are in ascending order")
        return Arrivals(kind: .recorded(times.map { Nanoseconds($0) }))
    }

    /// Clients that each make one call after another, so a slow fleet gets fewer calls.
    ///
    /// - Parameters:
    ///   - clients: The number of clients. Less than 1 traps.
    ///   - thinkTime: How long a client waits before its first call, and between the end of a call and the next one.
    public static func closed(clients: Int, thinkTime: Distribution) -> Arrivals {
        precondition(clients >= 1, "a closed loop needs a client, not \(clients)")
        return Arrivals(kind: .closed(clients: clients, thinkTime: thinkTime))
    }
}

final class NextArrival: SimulatedEvent {
    private let scheduler: SimulationScheduler
    private let end: Nanoseconds
    private var times: ArrivalTimes
    private let makeCall: () -> Void

    init(
        _ times: ArrivalTimes, until end: Nanoseconds, on scheduler: SimulationScheduler,
        _ makeCall: @escaping () -> Void
    ) {
        self.times = times
        self.end = end
        self.scheduler = scheduler
        self.makeCall = makeCall
    }

    func start() { waitForNext() }

    override func happen() {
        waitForNext()
        makeCall()
    }

    private func waitForNext() {
        guard let time = times.next(), time < end else { return }
        scheduler.add(self, after: max(time - scheduler.time, 0))
    }
}

/// The times of an open loop's calls.
struct ArrivalTimes {
    private let arrivals: Arrivals.Kind
    private var generator: SeededGenerator
    private var last = 0.0
    private var count = 0

    init(_ arrivals: Arrivals.Kind, _ generator: SeededGenerator) {
        self.arrivals = arrivals
        self.generator = generator
    }

    mutating func next() -> Nanoseconds? {
        defer { count += 1 }
        switch arrivals {
        case .closed: return nil
        case .recorded(let times): return count < times.count ? times[count] : nil
        case .even(let rate): return Nanoseconds((Double(count + 1) / rate * 1e9).rounded())
        case .poisson(let phases): return nextOfPoisson(phases)
        }
    }

    /// Draws the next call's time by time rescaling: an exponentially distributed number with mean 1, which the rates,
    /// added up over the time since the last call, have to reach.
    private mutating func nextOfPoisson(_ phases: [(until: Nanoseconds, rate: Double)])
        -> Nanoseconds?
    {
        var rest = -PortableMath.log(generator.uniform())
        for phase in phases where Double(phase.until) > last {
            let room = (Double(phase.until) - last) * phase.rate * 1e-9
            if rest < room {
                last += rest / phase.rate * 1e9
                return Nanoseconds(last.rounded())
            }
            rest -= room
            last = Double(phase.until)
        }
        return nil
    }
}

extension Arrivals {
    /// `part`/`whole` of the arrivals: lower rates, fewer clients, or only the first recorded times.
    ///
    /// - Returns: Nil if nothing would change, if no calls would be left, or if the highest rate fell below 0.1 calls
    ///   per second.
    func lowered(to part: Int, of whole: Int) -> Arrivals? {
        let share = Double(part) / Double(whole)
        switch kind {
        case .poisson(let phases):
            let lowered = phases.map { (until: $0.until, rate: ($0.rate * share).rounded) }
            let (highest, before) = (lowered.map(\.rate).max()!, phases.map(\.rate).max()!)
            return 0.1 <= highest && highest < before ? Arrivals(kind: .poisson(lowered)) : nil
        case .even(let rate):
            let lowered = (rate * share).rounded
            return 0.1 <= lowered && lowered < rate ? .even(rate: lowered) : nil
        case .recorded(let times):
            let count = times.count * part / whole
            return count == 0 ? nil : Arrivals(kind: .recorded(Array(times.prefix(count))))
        case .closed(let clients, let thinkTime):
            let count = clients * part / whole
            return count == 0 ? nil : .closed(clients: count, thinkTime: thinkTime)
        }
    }
}

extension Double {
    /// Rounded to whole numbers from 10 up, and to tenths from 1 to 10, to be easy to read.
    fileprivate var rounded: Double {
        if self >= 10 { return rounded() }
        return self >= 1 ? (self * 10).rounded() / 10 : self
    }
}

import PledgeServices

/// The next call of an open loop.
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

    /// Waits for the first call.
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

/// The times of the calls of an open loop.
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

    /// An exponential distance is spent at the rates of the phases, one after the other (time rescaling).
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

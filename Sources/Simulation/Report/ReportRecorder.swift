import PledgeServices

/// What a run's tables and pictures need besides the calls.
struct ReportRecorder {
    let settings: RunSettings
    let policies: PolicyRecorder
    let gauges: GaugeRecorder
    private let recordsPolicyEvents: Bool

    init(of scenario: Scenario, on scheduler: SimulationScheduler) {
        settings = RunSettings(of: scenario)
        policies = PolicyRecorder(on: scheduler)
        gauges = GaugeRecorder(on: scheduler, until: Nanoseconds(scenario.duration))
        recordsPolicyEvents = scenario.recordsPolicyEvents
    }

    /// The service, observed if the scenario records what policies do.
    func observing<Output: Sendable>(
        _ service: @escaping Service<SimulatedRequest, Output>
    ) -> Service<SimulatedRequest, Output> {
        recordsPolicyEvents ? policies.observing(service) : service
    }
}

/// Reads values at each whole second of a run.
final class GaugeRecorder: SimulatedEvent, @unchecked Sendable {
    // Unchecked: only the scheduler's thread uses this object. `add` checks the thread; the other methods run in the
    // simulation's events, or after the run.
    private let scheduler: SimulationScheduler
    private let end: Nanoseconds
    private var gauges: [SimulationRun.Gauge] = []
    private var readers: [() -> Double] = []

    init(on scheduler: SimulationScheduler, until end: Nanoseconds) {
        self.scheduler = scheduler
        self.end = end
    }

    /// Adds a value, which is read at each whole second from now on.
    func add(_ name: String, _ read: @escaping () -> Double) {
        precondition(scheduler.isOnItsThread, "a gauge is added on the simulation's thread")
        precondition(!gauges.contains { $0.name == name }, "there is a gauge '\(name)' already")
        let next = (scheduler.time + 999_999_999) / 1_000_000_000
        if gauges.isEmpty { scheduler.add(self, after: next * 1_000_000_000 - scheduler.time) }
        gauges.append(SimulationRun.Gauge(name: name, firstSecond: Int(next), values: []))
        readers.append(read)
    }

    override func happen() {
        for index in gauges.indices { gauges[index].values.append(readers[index]()) }
        if scheduler.time.adding(1_000_000_000) <= end { scheduler.add(self, after: 1_000_000_000) }
    }

    /// Returns the values, and releases the closures that read them, which may hold this recorder.
    func finish() -> [SimulationRun.Gauge] {
        readers = []
        return gauges
    }
}

extension SimulationRun {
    /// A value that a run read at each whole second while calls were made.
    public struct Gauge: Sendable {
        /// The gauge's name.
        public let name: String
        /// The second at which the first value was read.
        package let firstSecond: Int
        /// The values, one for each second.
        public internal(set) var values: [Double]
    }
}

/// The settings that appear in a scenario's results.
struct RunSettings: Sendable {
    let hosts: [HostSettings]
    let balancing: String
    let arrivals: String
    let changes: [SimulationRun.Change]

    init(of scenario: Scenario) {
        hosts = scenario.hosts
        balancing = "\(scenario.balancing)"
        arrivals = scenario.arrivals.text
        changes = scenario.changes
    }
}

extension SimulationRun {
    /// A change of the timeline: the beginning or the end of a fault.
    public struct Change: Sendable, Hashable {
        /// The time of the change, in seconds.
        public let time: Double
        /// The change's name.
        public let name: String
    }
}

extension Scenario {
    /// The changes that happen while calls are made, by time.
    var changes: [SimulationRun.Change] {
        let changes = faults.flatMap { fault in
            let end = fault.end.map { (time: $0, name: "end: \(fault.text)") }
            return [(time: fault.time, name: fault.text), end].compactMap { change in
                change.map {
                    SimulationRun.Change(time: Nanoseconds($0.time).seconds, name: $0.name)
                }
            }
        }
        let end = Nanoseconds(duration).seconds
        // A stable sort: changes at the same time keep their order.
        return changes.enumerated().filter { $0.element.time < end }
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }
}

extension Arrivals {
    fileprivate var text: String {
        switch kind {
        case .poisson(let phases) where phases.count == 1:
            "Poisson process, \(phases[0].rate.shortText(digits: 3)) a second"
        case .poisson(let phases):
            "Poisson process, "
                + phases.map {
                    "\($0.rate.shortText(digits: 3)) a second until "
                        + "\($0.until.seconds.shortText(digits: 3)) s"
                }.joined(separator: ", ")
        case .even(let rate): "at equal distances, \(rate.shortText(digits: 3)) a second"
        case .recorded(let times):
            "recorded, \(times.count.grouped) \(times.count == 1 ? "call" : "calls")"
        case .closed(let clients, let thinkTime):
            "closed loop, \(clients) clients, mean think time "
                + "\(thinkTime.meanInSeconds.shortText(digits: 3)) s"
        }
    }
}

/// Reads values at each whole second of a run.
final class GaugeRecorder: SimulatedEvent, @unchecked Sendable {
    // Unchecked: belongs to the scheduler's thread, which `add` checks; the rest runs in events and after the run.
    private let scheduler: SimulationScheduler
    private let end: Nanoseconds
    private var gauges: [SimulationRun.Gauge] = []
    private var readers: [() -> Double] = []

    init(on scheduler: SimulationScheduler, until end: Nanoseconds) {
        self.scheduler = scheduler
        self.end = end
    }

    /// Adds a value, which is read from the next whole second on.
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

    /// Returns what was read, and releases the closures, which may hold this recorder.
    func finish() -> [SimulationRun.Gauge] {
        readers = []
        return gauges
    }
}

extension SimulationRun {
    /// A value that was read at each whole second while calls were made.
    public struct Gauge: Sendable {
        /// Its name.
        public let name: String
        /// The second of the first value.
        public let firstSecond: Int
        /// The values, one for each second.
        public internal(set) var values: [Double]
    }
}

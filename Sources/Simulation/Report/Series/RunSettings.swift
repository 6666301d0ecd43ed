/// What the results say of a scenario.
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
    /// A change of the time line: a fault, or the end of one.
    public struct Change: Sendable, Hashable {
        /// When it was made, in seconds.
        public let time: Double
        /// Its name.
        public let name: String
    }
}

extension Scenario {
    /// The changes of the time line that are made while calls are made, by their times.
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
        // A stable sort: changes of one time stay in the order in which they are made.
        return changes.enumerated().filter { $0.element.time < end }
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }
}

extension Arrivals {
    /// The arrivals in words.
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

public import PledgeFutures
public import PledgeServices

/// A fleet, the calls to it, and a timeline of faults, for a simulation to run.
///
/// ```swift
/// var scenario = Scenario(
///     hosts: 10, each: HostSettings(serviceTime: .exponential(mean: .milliseconds(20))),
///     arrivals: .poisson(rate: 300), duration: .seconds(120))
/// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
/// let run = scenario.run(seed: 1) { world in
///     stack(.retry(on: world.scheduler, random: world.random), over: world.fleet.send)
/// }
/// ```
///
/// You can run a scenario any number of times. The same seed gives the same results, to the last bit, on every machine
/// and in every build.
public struct Scenario: Sendable {
    /// The settings of the hosts, in the order of their numbers.
    public var hosts: [HostSettings]

    /// The choice of a host for calls that don't name one.
    public var balancing = Fleet.Balancing.roundRobin

    /// The times at which calls are made.
    public var arrivals: Arrivals

    /// The time during which calls are made.
    public var duration: Duration

    /// The extra time after ``duration`` for calls that have not ended by then.
    public var drainTime = Duration.seconds(60)

    /// True if runs record what the policies of the client's stack do, in ``SimulationRun/policies``.
    ///
    /// The stack is then wrapped in `Middleware.observed(by:on:named:classifier:)`, which changes no call. The run
    /// takes longer.
    public var recordsPolicyEvents = false

    /// The faults, in any order.
    ///
    /// Faults at the same time happen in the order of this array.
    public var faults: [Fault] = []

    /// Creates a scenario.
    public init(hosts: [HostSettings], arrivals: Arrivals, duration: Duration) {
        self.hosts = hosts
        self.arrivals = arrivals
        self.duration = duration
    }

    /// Creates a scenario with equal hosts.
    public init(hosts count: Int, each: HostSettings, arrivals: Arrivals, duration: Duration) {
        self.init(
            hosts: Array(repeating: each, count: count), arrivals: arrivals, duration: duration)
    }
}

/// The parts of a simulation that you build a client's stack from.
public struct SimulatedWorld: Sendable {
    /// The clock of the simulation.
    public let scheduler: SimulationScheduler

    /// The random source for the client's policies.
    public let random: RandomSource

    /// The hosts.
    public let fleet: Fleet

    let gauges: GaugeRecorder
    var gaugePrefix = ""

    /// Adds a gauge: a value that the run reads at each whole second, for its tables and pictures.
    ///
    /// The values are in ``SimulationRun/gauges``.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// world.gauge("retry budget") { Double(budget.balance) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The gauge's name. A second gauge with the same name traps. In a host's own world, the name is prefixed
    ///     with the host's name.
    ///   - read: Returns the value. It runs in the simulation and must not change anything.
    public func gauge(_ name: String, _ read: @escaping () -> Double) {
        gauges.add(gaugePrefix + name, read)
    }
}

extension Scenario {
    /// Runs the scenario with a client.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - makeService: Creates the client's stack over `world.fleet.send`, with the world's scheduler and random
    ///     source. It is called once. The stack may use tasks, as ``SimulationScheduler/enqueue(_:)`` explains.
    /// - Returns: The results. They have an ``SimulationRun/error`` if work has left the simulation. Memory is
    ///   proportional to the number of calls, and time to the number of events.
    public func run<Output: Sendable>(
        seed: UInt64 = 1, _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) -> SimulationRun {
        run(seed: seed, noting: nil, makeService)
    }

    /// Runs the scenario; notes the host numbers that a stack or a fault's closure uses.
    func run<Output: Sendable>(
        seed: UInt64, noting namedHosts: NamedHosts?,
        _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) -> SimulationRun {
        precondition(!hosts.isEmpty, "a scenario needs a host")
        let scheduler = SimulationScheduler()
        return scheduler.home.bind { run(seed: seed, noting: namedHosts, makeService, scheduler) }
    }

    private func run<Output: Sendable>(
        seed: UInt64, noting namedHosts: NamedHosts?,
        _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>,
        _ scheduler: SimulationScheduler
    ) -> SimulationRun {
        let root = SeededGenerator(seed: seed)
        let network = FleetNetwork(hosts, balancing: balancing, on: scheduler, root.split(1))
        network.namedHosts = namedHosts
        let fleet = Fleet(network)
        // Faults are added first, so that at each instant they come before everything else.
        for (time, change) in faultChanges() { scheduler.schedule(after: time) { change(fleet) } }
        let report = ReportRecorder(of: self, on: scheduler)
        let world = SimulatedWorld(
            scheduler: scheduler, random: RandomSource(root.split(2)), fleet: fleet,
            gauges: report.gauges)
        network.connect(root.split(4), report.gauges)
        let caller = Caller(report.observing(makeService(world)), on: scheduler)
        let end = Nanoseconds(duration)
        start(caller, until: end, on: scheduler, root.split(3))
        scheduler.run(until: end)
        let drained = end.adding(Nanoseconds(drainTime))
        while caller.recorder.callsInFlight > 0, scheduler.runNext(until: drained) {}
        var run = SimulationRun(
            of: caller.recorder, fleet, scheduler, seed: seed, duration: end, report)
        run.lastFaultTime = Nanoseconds(lastFaultTime).seconds
        let isQuiet = scheduler.isQuiet
        var waiting = isQuiet && !network.owesAnswers ? caller.recorder.errorOfWaiting : nil
        scheduler.endRun(network.endRun)
        // The end of the simulation has cancelled every call that waited for a lost answer. Another call that hasn't
        // ended is an error.
        if isQuiet { waiting = waiting ?? caller.recorder.errorOfWaiting }
        let escapes = scheduler.escapes.withLock { $0 }
        (run.escape, run.escapedActions) = (escapes.first ?? waiting, escapes.count)
        return run
    }

    private func start<Output: Sendable>(
        _ caller: Caller<Output>, until end: Nanoseconds, on scheduler: SimulationScheduler,
        _ generator: SeededGenerator
    ) {
        guard case .closed(let clients, let thinkTime) = arrivals.kind else {
            let times = ArrivalTimes(arrivals.kind, generator)
            return NextArrival(times, until: end, on: scheduler) { caller.call() }.start()
        }
        for number in 0..<clients {
            let client = ClosedLoopClient(
                caller, thinkTime, generator.split(UInt64(number)), until: end, on: scheduler)
            client.think()
        }
    }
}

extension Scenario {
    /// Adds a fault.
    ///
    /// - Parameter fault: The fault. If it names a host that the scenario doesn't have, running the scenario traps.
    public mutating func add(_ fault: Fault) { faults.append(fault) }

    /// Adds a change of the fleet: a fault, or the end of one.
    ///
    /// ```swift
    /// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
    /// ```
    ///
    /// - Parameters:
    ///   - time: The time of the change, from the beginning of the run.
    ///   - text: The change in words, for reports.
    ///   - change: Changes the fleet. It runs in the simulation, before anything else that happens at that time.
    public mutating func at(
        _ time: Duration, _ text: String = "a change of the fleet",
        _ change: @escaping @Sendable (Fleet) -> Void
    ) {
        add(.change(at: time, text, change))
    }

    /// When the last fault ends, or begins if it has no end.
    var lastFaultTime: Duration { faults.map { $0.end ?? $0.time }.max() ?? .zero }

    /// What the faults change, and when, in the order of the faults.
    func faultChanges() -> [(time: Duration, change: @Sendable (Fleet) -> Void)] {
        faults.enumerated().flatMap { index, fault in
            if case .change(_, let change) = fault.kind {
                let noted: @Sendable (Fleet) -> Void = { fleet in
                    fleet.network.namedHosts?.beginFault(index)
                    change(fleet)
                    fleet.network.namedHosts?.endFault()
                }
                return [(fault.time, noted)]
            }
            return [fault.time, fault.end].compactMap { time in
                time.map { ($0, change(of: fault, at: $0)) }
            }
        }
    }

    private func change(of fault: Fault, at time: Duration) -> @Sendable (Fleet) -> Void {
        let host = fault.hosts.first ?? 0
        precondition(
            fault.hosts.allSatisfy(hosts.indices.contains),
            "a fault names hosts \(fault.hosts) of \(hosts.count)")
        let strength = strength(of: fault, at: time)
        switch fault.kind {
        case .slow: return { $0.network.hosts[host].slow(by: strength ?? 1) }
        case .failures:
            let rate = strength ?? hosts[host].failureRate
            return { $0.network.hosts[host].settings.failureRate = rate }
        case .loss:
            let rate = strength ?? hosts[host].lossRate
            return { $0.network.hosts[host].settings.lossRate = rate }
        case .pause:
            // At the end of the fault, the length is zero, so the host doesn't pause again.
            let length = (fault.end ?? time) - time
            return { $0.network.hosts[host].pause(for: length) }
        case .stop where strength == nil: return { $0.network.hosts[host].start() }
        case .stop: return { if $0.network.hosts[host].isUp { $0.network.hosts[host].stop() } }
        case .partition:
            let partitions = active(fault.kind, at: time).map(\.hosts)
            return { fleet in
                fleet.network.heal()
                for hosts in partitions { fleet.network.separate(hosts, withClients: false) }
            }
        case .change(_, let change): return change
        }
    }

    /// The strength of the strongest such fault on the host; nil if none is active.
    private func strength(of fault: Fault, at time: Duration) -> Double? {
        active(fault.kind, at: time).filter { $0.hosts == fault.hosts }.map(\.kind.strength).max()
    }

    /// The active faults of a kind.
    private func active(_ kind: Fault.Kind, at time: Duration) -> [Fault] {
        faults.filter {
            $0.kind.name == kind.name && $0.time <= time && ($0.end.map { time < $0 } ?? true)
        }
    }
}

extension Fault.Kind {
    /// The kind of ``RandomFaults`` with this fault; nil for a change by a closure.
    var name: RandomFaults.Kind? {
        switch self {
        case .slow: .slow
        case .pause: .pause
        case .stop: .stop
        case .failures: .failures
        case .loss: .loss
        case .partition: .partition
        case .change: nil
        }
    }

    fileprivate var strength: Double {
        switch self {
        case .slow(let factor): factor
        case .failures(let rate), .loss(let rate): rate
        case .pause, .stop, .partition, .change: 1
        }
    }
}

import PledgeFutures
public import PledgeServices

/// A fleet, the calls to it, and the faults on a time line: what a simulation runs.
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
/// It is a value: it can be run any number of times. Runs with the same seed give the same results, to the last bit, on
/// every machine and in each build.
public struct Scenario {
    /// How the hosts work, by their numbers.
    public var hosts: [HostSettings]

    /// Which host gets a call that names none.
    public var balancing = Fleet.Balancing.roundRobin

    /// When calls are made.
    public var arrivals: Arrivals

    /// How long calls are made.
    public var duration: Duration

    /// How long the run goes on for calls that have not ended by then.
    public var drainTime = Duration.seconds(60)

    /// Whether runs record what the policies of the client's stack do: ``SimulationRun/policies``.
    ///
    /// The stack is then beneath `Middleware.observed(by:on:named:classifier:)`, which changes no call. A run takes
    /// longer.
    public var recordsPolicyEvents = false

    /// What happens to the hosts, in any order; of one time, in this order.
    public var faults: [Fault] = []

    /// Makes a scenario.
    public init(hosts: [HostSettings], arrivals: Arrivals, duration: Duration) {
        self.hosts = hosts
        self.arrivals = arrivals
        self.duration = duration
    }

    /// Makes a scenario with equal hosts.
    public init(hosts count: Int, each: HostSettings, arrivals: Arrivals, duration: Duration) {
        self.init(
            hosts: Array(repeating: each, count: count), arrivals: arrivals, duration: duration)
    }
}

/// What a client's stack is made with in a simulation.
public struct SimulatedWorld: Sendable {
    /// The time of the simulation.
    public let scheduler: SimulationScheduler

    /// The chance of the client's policies.
    public let random: RandomSource

    /// The hosts.
    public let fleet: Fleet

    let gauges: GaugeRecorder
    var gaugePrefix = ""

    /// Has the run read a value at each whole second, for its tables and pictures: ``SimulationRun/gauges``.
    ///
    /// ```swift
    /// let budget = RetryBudget()
    /// world.gauge("retry budget") { Double(budget.balance) }
    /// ```
    ///
    /// - Parameters:
    ///   - name: Its name; one that another gauge has traps. That of a host's own world begins with the host.
    ///   - read: Returns the value. It runs in the simulation and must change nothing.
    public func gauge(_ name: String, _ read: @escaping () -> Double) {
        gauges.add(gaugePrefix + name, read)
    }
}

extension Scenario {
    /// Runs it with a client.
    ///
    /// - Parameters:
    ///   - seed: What all chance depends on.
    ///   - makeService: Makes the client's stack over `world.fleet.send`, with the scheduler and the random source of
    ///     the world. Called once. The stack may use tasks, as ``SimulationScheduler/enqueue(_:)`` says.
    /// - Returns: What happened; with an ``SimulationRun/error`` if work has left the simulation. It takes memory in
    ///   proportion to the number of calls, and time to that of events.
    public func run<Output: Sendable>(
        seed: UInt64 = 1, _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) -> SimulationRun {
        run(seed: seed, noting: nil, makeService)
    }

    /// Runs it, and notes which hosts code names.
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
        // Faults first: they were added before what happens at the same time.
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
        scheduler.end(network.end)
        // By now each call has ended that waited for an answer that was lost.
        if isQuiet { waiting = waiting ?? caller.recorder.errorOfWaiting }
        let escapes = scheduler.escapes.withLock { $0 }
        (run.error, run.escapedActions) = (escapes.first ?? waiting, escapes.count)
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

extension Scenario: Sendable {}

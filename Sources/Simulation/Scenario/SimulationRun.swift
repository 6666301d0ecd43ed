/// What happened in a run of a scenario.
///
/// Times are in seconds from the beginning; a call belongs to the time at which it began. A range of time may be written
/// as `20..<40`, `20...40`, `20...` or `..<40`; its end is not part of it.
public struct SimulationRun: Sendable {
    /// The seed of the run.
    public let seed: UInt64

    /// How long calls were made, in seconds.
    public let duration: Double

    /// When the last call had ended, or the run was cut, in seconds.
    public let endTime: Double

    /// When the last fault ended, or began if it has no end, in seconds; 0 without faults.
    ///
    /// The end of a fault that a closure makes, such as a restart, is not known.
    public internal(set) var lastFaultTime = 0.0

    /// How many events happened.
    public let eventCount: Int

    /// What has left the simulation first, and what to write instead; nil if the run is valid.
    ///
    /// It is there if other threads called the fleet, set timers or ended calls, and if calls have not ended though
    /// nothing was left to happen. A call whose message a host has lost may wait forever: that is no error.
    public internal(set) var error: SimulationError?

    /// How often other threads called the fleet, set timers, ended calls or resumed tasks: work that has left the
    /// simulation.
    ///
    /// A run in which it is not 0 says nothing about the stack.
    public internal(set) var escapedActions = 0

    /// How many calls had not ended when the run ended.
    public let unfinishedCalls: Int

    /// What each host did.
    public let hosts: [Host]

    /// What the policies of the stack did, by their names; empty unless ``Scenario/recordsPolicyEvents`` is set.
    public let policies: [PolicyActivity]

    /// The values that the run has read at each second, in the order in which they were added.
    public let gauges: [Gauge]

    let settings: RunSettings
    let begins: ContiguousArray<Nanoseconds>
    let ends: ContiguousArray<Nanoseconds>
    let outcomes: ContiguousArray<UInt16>
    let kinds: [String]
    let sent: CountsBySecond

    init(
        of calls: RunRecorder, _ fleet: Fleet, _ scheduler: SimulationScheduler, seed: UInt64,
        duration: Nanoseconds, _ report: ReportRecorder
    ) {
        self.seed = seed
        self.duration = duration.seconds
        endTime = scheduler.time.seconds
        eventCount = scheduler.happened
        unfinishedCalls = calls.callsInFlight
        hosts = fleet.network.hosts.map {
            Host($0.name, $0.statistics, until: scheduler.time)
        }
        begins = calls.begins
        ends = calls.ends
        outcomes = calls.outcomes
        kinds = calls.kinds
        sent = fleet.network.sent
        settings = report.settings
        policies = report.policies.finish()
        gauges = report.gauges.finish()
    }
}

extension SimulationRun {
    /// What one host did.
    public struct Host: Sendable {
        /// Its name, or one like "host 0".
        public let name: String
        /// Calls that came, with those that were refused and lost.
        public let received: Int
        /// Calls for which its queue had no place.
        public let refused: Int
        /// Calls that a worker finished.
        public let finished: Int
        /// Of these, those whose callers had given them up: work for nothing.
        public let wasted: Int
        /// How many calls it had on average, in its queue and with its workers, until the run ended.
        public let meanCalls: Double
        /// How long the finished calls were in the host on average, in seconds; 0 if there was none.
        public let meanTime: Double

        init(_ name: String, _ statistics: HostStatistics, until end: Nanoseconds) {
            var statistics = statistics
            self.name = name
            statistics.note(0, at: end)
            received = statistics.received
            refused = statistics.refused
            finished = statistics.finished
            wasted = statistics.wasted
            meanCalls = end > 0 ? statistics.area / (Double(end) * 1e-9) : 0
            meanTime =
                finished > 0 ? statistics.timeInHost / Double(statistics.finished) : 0
        }
    }
}

// MARK: - What it says

extension SimulationRun {
    /// The changes of the time line that were made while calls were made, in order.
    public var changes: [Change] { settings.changes }

    /// How many calls were made.
    public var callCount: Int { begins.count }

    /// How many calls began within a time, in seconds.
    public func offered(in time: some RangeExpression<Double>) -> Int { calls(in: time).count }

    /// Which part of the calls that began within a time succeeded; 1 if none began.
    public func goodput(in time: some RangeExpression<Double>) -> Double {
        let calls = calls(in: time)
        if calls.isEmpty { return 1 }
        return Double(calls.count { hasSucceeded($0) }) / Double(calls.count)
    }

    /// Which part of all calls succeeded.
    public var goodput: Double { goodput(in: 0..<duration) }

    /// How many calls the clients sent to the hosts for each call that was made: 1 without retries and hedges.
    ///
    /// The calls of hosts to others are not among them: ``Host/received`` has them.
    public var amplification: Double {
        begins.isEmpty ? 1 : Double(sent.total) / Double(begins.count)
    }

    /// The same of a time: calls sent to the hosts in it, for each call that began in it.
    ///
    /// The hosts' calls are counted by the second, so the time is widened to whole seconds.
    public func amplification(in time: some RangeExpression<Double>) -> Double {
        // A bound may be infinite.
        let time = bounds(of: time).clamped(to: 0..<1e9)
        let (start, end) = (time.lowerBound.rounded(.down), time.upperBound.rounded(.up))
        let offered = calls(in: start..<end).count
        return offered == 0 ? 1 : Double(sent.sum(in: Int(start)..<Int(end))) / Double(offered)
    }

    /// Which calls have failed and how, with their numbers; those with the same number in alphabetical order.
    public var failures: [(kind: String, count: Int)] {
        var counts = Array(repeating: 0, count: kinds.count)
        for index in outcomes.indices where ends[index] >= 0 { counts[Int(outcomes[index])] += 1 }
        return zip(kinds, counts).dropFirst()
            .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }.map { ($0.0, $0.1) }
    }

    /// How long the calls took that succeeded, in seconds; otherwise as ``latency(_:in:)``.
    public func latency(_ percentile: Double) -> Double? { latency(percentile, in: 0..<duration) }

    /// How long the calls took that succeeded and began within a time, in seconds.
    ///
    /// Linear in the number of calls, and n·log n in those of that time.
    ///
    /// - Parameters:
    ///   - percentile: From 0 to 100: 99 is what 99 of 100 calls stay within. Otherwise it traps.
    ///   - time: When the calls began.
    /// - Returns: The time, or nil if no call succeeded.
    public func latency(_ percentile: Double, in time: some RangeExpression<Double>) -> Double? {
        precondition(percentile >= 0 && percentile <= 100, "a percentile is from 0 to 100")
        let times = calls(in: time).filter { hasSucceeded($0) }
            .map { ends[$0] - begins[$0] }.sorted()
        return times.percentile(percentile)
    }

    /// The mean time of the calls that succeeded, in seconds; nil if there is none.
    public func meanLatency() -> Double? { meanLatency(in: 0..<duration) }

    /// The mean time of the calls that succeeded and began within a time, in seconds; nil if there is none.
    public func meanLatency(in time: some RangeExpression<Double>) -> Double? {
        let calls = calls(in: time).filter { hasSucceeded($0) }
        if calls.isEmpty { return nil }
        return calls.reduce(0) { $0 + (ends[$1] - begins[$1]).seconds } / Double(calls.count)
    }

    /// Whether the fleet is as good as before soon after a fault.
    ///
    /// - Parameters:
    ///   - limit: Within which time.
    ///   - end: When the fault ended, in seconds; nil means at ``lastFaultTime``.
    ///   - goodput: What is as good as before: which part of the calls of each second succeeds, until the end.
    public func recovers(
        within limit: Duration, after end: Double? = nil, to goodput: Double = 0.99
    ) -> Bool {
        let start = (end ?? lastFaultTime) + Nanoseconds(limit).seconds
        var second = start
        while second + 1 <= duration {
            if self.goodput(in: second..<(second + 1)) < goodput { return false }
            second += 1
        }
        return true
    }

    /// The calls that began within a time: begins are in ascending order.
    func calls(in time: some RangeExpression<Double>) -> Range<Int> {
        let time = bounds(of: time)
        return begins.firstIndex(from: time.lowerBound)..<begins.firstIndex(from: time.upperBound)
    }

    /// The bounds of a time, which lasts from 0 to the run's end where it has none.
    private func bounds(of time: some RangeExpression<Double>) -> Range<Double> {
        switch time {
        case let time as Range<Double>: time
        case let time as ClosedRange<Double>: time.lowerBound..<time.upperBound
        case let time as PartialRangeFrom<Double>: time.lowerBound..<max(time.lowerBound, duration)
        case let time as PartialRangeUpTo<Double>: min(0, time.upperBound)..<time.upperBound
        case let time as PartialRangeThrough<Double>: min(0, time.upperBound)..<time.upperBound
        default: preconditionFailure("a time is one of Swift's own ranges, not \(time)")
        }
    }

    func hasSucceeded(_ index: Int) -> Bool { ends[index] >= 0 && outcomes[index] == 0 }
}

extension ContiguousArray<Nanoseconds> {
    /// The index of the first time that is not before a number of seconds.
    fileprivate func firstIndex(from seconds: Double) -> Int {
        let time = Nanoseconds(Swift.min(Swift.max(seconds * 1e9, 0), 9e18).rounded())
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

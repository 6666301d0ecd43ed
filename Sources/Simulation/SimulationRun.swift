/// The results of a run of a scenario.
///
/// Times are in seconds from the beginning. A call belongs to the time at which it began. Write a range of times as
/// `20..<40`, `20...40`, `20...` or `..<40`; the end never belongs to the range, even with `...`.
public struct SimulationRun: Sendable {
    /// The seed of the run.
    public let seed: UInt64

    /// The time during which calls were made, in seconds.
    public let duration: Double

    /// The time at which the last call ended or the run was cut off, in seconds.
    public let endTime: Double

    /// The time at which the last fault ended, or began if it has no end, in seconds; 0 without faults.
    ///
    /// If a closure makes a fault, such as a restart, the end of that fault isn't known.
    package internal(set) var lastFaultTime = 0.0

    /// The number of events that happened.
    package let eventCount: Int

    /// The first error of the run, with a text that says what to write instead; nil if the run is valid.
    ///
    /// A run has an error if another thread called the fleet, set a timer or ended a call, or if the stack used real
    /// time or the system's random numbers. It also has one if calls have not ended though there was nothing left to
    /// happen. If a call waits forever because one of its messages was lost, that isn't an error.
    public var error: (any Error)? { escape }

    /// The same error, with its code.
    package internal(set) var escape: SimulationError?

    /// The number of actions outside the simulation.
    ///
    /// These are calls of the fleet, timers, ends of calls and resumed tasks on other threads, and uses of real time
    /// and of the system's random numbers. If it isn't 0, the run says nothing about the stack.
    public internal(set) var escapedActions = 0

    /// The number of calls that had not ended when the run ended.
    public let unfinishedCalls: Int

    /// The figures of each host.
    public let hosts: [Host]

    /// The actions of the stack's policies, sorted by name; empty unless ``Scenario/recordsPolicyEvents`` is set.
    public let policies: [PolicyActivity]

    /// The gauges, with the values that the run read at each second, in the order in which they were added.
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
    /// The figures of one host.
    public struct Host: Sendable {
        /// The host's name, or one like "host 0".
        public let name: String
        /// Calls that arrived, including those that were refused or lost.
        public let received: Int
        /// Calls that found the queue full.
        public let refused: Int
        /// Calls that a worker finished.
        public let finished: Int
        /// Finished calls that their callers had cancelled: work for nothing.
        public let wasted: Int
        /// The average number of calls in the queue and with the workers, until the run ended.
        package let meanCalls: Double
        /// The average time that the finished calls spent in the host, in seconds; 0 if none finished.
        package let meanTime: Double

        init(_ name: String, _ statistics: HostStatistics, until end: Nanoseconds) {
            var statistics = statistics
            self.name = name
            statistics.noteChange(0, at: end)
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

extension SimulationRun {
    /// The changes of the timeline that happened while calls were made, in order.
    public var changes: [Change] { settings.changes }

    /// The number of calls.
    public var callCount: Int { begins.count }

    /// Returns how many calls began within a time, in seconds.
    public func offered(in time: some RangeExpression<Double>) -> Int { calls(in: time).count }

    /// Returns the share of successful calls among those that began within a time; 1 if none began.
    public func goodput(in time: some RangeExpression<Double>) -> Double {
        let calls = calls(in: time)
        if calls.isEmpty { return 1 }
        return Double(calls.count { hasSucceeded($0) }) / Double(calls.count)
    }

    /// The share of all calls that succeeded.
    public var goodput: Double { goodput(in: 0..<duration) }

    /// The number of calls that the clients sent to the hosts, per call made: 1 without retries and hedges.
    ///
    /// Calls between hosts aren't counted here, but in ``Host/received``.
    public var amplification: Double {
        begins.isEmpty ? 1 : Double(sent.total) / Double(begins.count)
    }

    /// Returns the number of calls that the clients sent to the hosts within a time, per call that began within it.
    ///
    /// Sent calls are counted by the second, so the time is widened to whole seconds.
    public func amplification(in time: some RangeExpression<Double>) -> Double {
        // A bound may be infinite, which doesn't convert to `Int`.
        let time = bounds(of: time).clamped(to: 0..<1e9)
        let (start, end) = (time.lowerBound.rounded(.down), time.upperBound.rounded(.up))
        let offered = calls(in: start..<end).count
        return offered == 0 ? 1 : Double(sent.sum(in: Int(start)..<Int(end))) / Double(offered)
    }

    /// The kinds of failure with their counts, the most frequent first.
    ///
    /// Equal counts are in alphabetical order.
    public var failures: [(kind: String, count: Int)] {
        var counts = Array(repeating: 0, count: kinds.count)
        for index in outcomes.indices where ends[index] >= 0 { counts[Int(outcomes[index])] += 1 }
        return zip(kinds, counts).dropFirst()
            .sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 > $1.1 }.map { ($0.0, $0.1) }
    }

    /// Returns a percentile of the latencies of all successful calls, in seconds; see ``latency(_:in:)``.
    public func latency(_ percentile: Double) -> Double? { latency(percentile, in: 0..<duration) }

    /// Returns a percentile of the latencies, in seconds, of the successful calls that began within a time.
    ///
    /// The method takes O(n + m·log m), for n calls in all and m calls within the time.
    ///
    /// - Parameters:
    ///   - percentile: From 0 to 100, such as 99 for the time that 99 of 100 calls stay within. Any other value traps.
    ///   - time: The range of times in which the calls began.
    /// - Returns: The percentile; nil if no call succeeded.
    public func latency(_ percentile: Double, in time: some RangeExpression<Double>) -> Double? {
        precondition(percentile >= 0 && percentile <= 100, "a percentile is from 0 to 100")
        let times = calls(in: time).filter { hasSucceeded($0) }
            .map { ends[$0] - begins[$0] }.sorted()
        return times.percentile(percentile)
    }

    /// Returns the mean time of the successful calls, in seconds; nil if no call succeeded.
    public func meanLatency() -> Double? { meanLatency(in: 0..<duration) }

    /// Returns the mean time of the successful calls that began within a time, in seconds; nil if no call succeeded.
    public func meanLatency(in time: some RangeExpression<Double>) -> Double? {
        let calls = calls(in: time).filter { hasSucceeded($0) }
        if calls.isEmpty { return nil }
        return calls.reduce(0) { $0 + (ends[$1] - begins[$1]).seconds } / Double(calls.count)
    }

    /// Returns whether the goodput recovers soon after a fault, and stays up until the run ends.
    ///
    /// - Parameters:
    ///   - limit: How long the recovery may take.
    ///   - end: The time at which the fault ended, in seconds; by default `lastFaultTime`.
    ///   - goodput: The share of calls that must succeed in each second after the limit.
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

    /// The calls that began within a time; `begins` ascends.
    func calls(in time: some RangeExpression<Double>) -> Range<Int> {
        let time = bounds(of: time)
        return begins.firstIndex(from: time.lowerBound)..<begins.firstIndex(from: time.upperBound)
    }

    /// A missing bound is 0 or the end of the run.
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
    /// The first time at or after a number of seconds.
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

extension SimulationRun {
    /// The figures of the calls that began within a part of a run.
    package struct Interval: Sendable {
        /// The beginning of the interval, in seconds.
        package let start: Double
        /// The end of the interval, in seconds.
        ///
        /// The end itself belongs to the next interval.
        package let end: Double
        /// The number of calls that began.
        package let offered: Int
        /// The number of calls that began in the interval and succeeded, even if they ended after it.
        package let succeeded: Int
        /// The number of calls that began in the interval and failed.
        ///
        /// A call that had not ended when the run ended counts as neither failed nor succeeded.
        package let failed: Int
        /// The number of calls sent to the hosts within the interval, including attempts of earlier calls.
        package let sent: Int
        /// The median time of the successful calls, in seconds; nil if no call succeeded.
        package let p50: Double?
        /// The time that 90 of 100 successful calls stay within, in seconds; nil if no call succeeded.
        package let p90: Double?
        /// The time that 99 of 100 successful calls stay within, in seconds; nil if no call succeeded.
        package let p99: Double?
        /// The time that 999 of 1,000 successful calls stay within, in seconds; nil if no call succeeded.
        package let p999: Double?

        /// The number of calls sent to the hosts per call that began; 1 if none began.
        package var amplification: Double {
            offered == 0 ? 1 : Double(sent) / Double(offered)
        }

        /// The share of calls that succeeded; 1 if none began.
        package var goodput: Double {
            offered == 0 ? 1 : Double(succeeded) / Double(offered)
        }

        /// The length of the interval, in seconds.
        package var length: Double { end - start }
    }

    /// Returns the run in intervals of equal length.
    ///
    /// The last interval may be shorter. The method takes O(n·log n) for n calls.
    ///
    /// - Parameter seconds: The length of each interval. Less than 1 traps.
    /// - Returns: The intervals in order, for as long as calls are made.
    package func series(every seconds: Int = 1) -> [Interval] {
        precondition(seconds >= 1, "an interval is a second or longer, not \(seconds)")
        var intervals: [Interval] = []
        var start = 0
        while Double(start) < duration {
            let end = min(Double(start + seconds), duration)
            intervals.append(
                interval(Double(start)...end, sent: sent.sum(in: start..<(start + seconds))))
            start += seconds
        }
        return intervals
    }

    /// The figures of the calls that began within a time.
    func interval(_ time: ClosedRange<Double>, sent: Int) -> Interval {
        let calls = calls(in: time)
        let times = calls.filter { hasSucceeded($0) }.map { ends[$0] - begins[$0] }.sorted()
        let unfinished = calls.count { ends[$0] < 0 }
        return Interval(
            start: time.lowerBound, end: time.upperBound, offered: calls.count,
            succeeded: times.count, failed: calls.count - times.count - unfinished, sent: sent,
            p50: times.percentile(50), p90: times.percentile(90), p99: times.percentile(99),
            p999: times.percentile(99.9))
    }
}

extension [Nanoseconds] {
    /// The nearest rank, in seconds; nil if the array is empty.
    ///
    /// The times must ascend.
    func percentile(_ percentile: Double) -> Double? {
        if isEmpty { return nil }
        let rank = (Double(count) * percentile / 100).rounded(.up)
        return self[Swift.max(Int(rank), 1) - 1].seconds
    }
}

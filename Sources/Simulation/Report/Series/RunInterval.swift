extension SimulationRun {
    /// What happened to the calls that began within a part of a run.
    public struct Interval: Sendable {
        /// When it began, in seconds.
        public let start: Double
        /// When it ended, in seconds; what happens at that time belongs to the next one.
        public let end: Double
        /// How many calls began.
        public let offered: Int
        /// How many of them succeeded, also after the interval.
        public let succeeded: Int
        /// How many of them failed; the others had not ended when the run ended.
        public let failed: Int
        /// How many calls the hosts were sent, for calls that began in this interval or before.
        public let sent: Int
        /// The median time of the calls that succeeded, in seconds; nil if there is none.
        public let p50: Double?
        /// What 90 of 100 calls that succeeded stay within, in seconds; nil if there is none.
        public let p90: Double?
        /// What 99 of 100 calls that succeeded stay within, in seconds; nil if there is none.
        public let p99: Double?
        /// What 999 of 1,000 calls that succeeded stay within, in seconds; nil if there is none.
        public let p999: Double?

        /// How many calls the hosts were sent for each call that began; 1 if none began.
        public var amplification: Double {
            offered == 0 ? 1 : Double(sent) / Double(offered)
        }

        /// Which part of the calls succeeded; 1 if none began.
        public var goodput: Double {
            offered == 0 ? 1 : Double(succeeded) / Double(offered)
        }

        /// How long it is, in seconds.
        public var length: Double { end - start }
    }

    /// The run in intervals of equal length; the last one may be shorter.
    ///
    /// It takes O(n·log n) for n calls.
    ///
    /// - Parameter seconds: How long each is; less than 1 traps.
    /// - Returns: The intervals in order, until calls are no longer made.
    public func series(every seconds: Int = 1) -> [Interval] {
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

    /// What happened to the calls that began within a time.
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
    /// A percentile of times in ascending order, in seconds; nil if there is none.
    ///
    /// The nearest rank: the smallest time that so many of 100 do not exceed.
    func percentile(_ percentile: Double) -> Double? {
        if isEmpty { return nil }
        let rank = (Double(count) * percentile / 100).rounded(.up)
        return self[Swift.max(Int(rank), 1) - 1].seconds
    }
}

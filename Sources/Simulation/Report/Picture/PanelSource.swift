/// What panels show of one run.
struct PanelSource {
    /// The most points that a line has.
    private static let mostPoints = 400

    private let run: SimulationRun
    private let intervals: [SimulationRun.Interval]
    private let step: Int

    init(_ run: SimulationRun) {
        self.run = run
        step = max(1, Int((run.duration / Double(Self.mostPoints)).rounded(.up)))
        intervals = run.series(every: step)
    }

    /// A value of each interval, at its middle.
    func line(
        _ name: String?, _ look: PictureLook, _ value: (SimulationRun.Interval) -> Double?
    ) -> PanelPlan.Line {
        PanelPlan.Line(
            name: name, look: look,
            points: intervals.map { (($0.start + $0.end) / 2, value($0)) })
    }

    /// The actions of policies that are of interest over time, as far as there are any.
    var actionLines: [PanelPlan.Line] {
        let kinds: [(name: String, prefix: String)] = [
            ("retries", "retrying"), ("withheld retries", "retry_withheld"),
            ("refusals", "refused"), ("hedges", "hedged"), ("timeouts", "timed_out"),
        ]
        let present = kinds.filter { kind in
            run.policies.contains { $0.actions.contains { $0.action.hasPrefix(kind.prefix) } }
        }
        return present.enumerated().map { index, kind in
            line(kind.name, .line(index)) { interval in
                interval.rate(of: count(of: kind.prefix, in: interval))
            }
        }
    }

    private func count(of prefix: String, in interval: SimulationRun.Interval) -> Int {
        let seconds = Int(interval.start)..<(Int(interval.start) + step)
        var count = 0
        for policy in run.policies {
            for (action, _) in policy.actions where action.hasPrefix(prefix) {
                count += policy.count(of: action, in: seconds)
            }
        }
        return count
    }
}

extension SimulationRun.Interval {
    /// How many there are in each second.
    func rate(of count: Int) -> Double { length > 0 ? Double(count) / length : 0 }
}

extension SimulationRun.Gauge {
    /// The values at their times; of a long run, those of each so many seconds.
    var points: [(time: Double, value: Double?)] {
        let step = values.count / 400 + 1
        return stride(from: 0, to: values.count, by: step).map { index in
            (Double(firstSecond + index), values[index].isFinite ? values[index] : nil)
        }
    }
}

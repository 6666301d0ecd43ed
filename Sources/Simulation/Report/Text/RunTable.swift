extension SimulationRun {
    /// The run as text: offered load, goodput, amplification and latencies of the whole run and of its phases,
    /// failures, what policies did, and the hosts that differ from the others.
    ///
    /// ```text
    /// seed 1, 27,027 calls in 90 s, 1 host
    ///             offered/s  goodput  amplification      p50      p90      p99    p99.9
    /// whole run       300.3  99.87 %          1.060  22.4 ms  60.1 ms   1.20 s   3.40 s
    /// failures:
    ///   35 ServiceError.timedOut
    /// ```
    ///
    /// It has the same bytes for the same seed, on every machine. A host differs if it got, or took, less than half or
    /// more than twice of what the median host did, or refused or wasted a share of its calls that is larger by 0.01 or
    /// more; ten such hosts are shown.
    ///
    /// - Parameter phases: The times, in seconds, that have lines of their own. Nil means the times between the
    ///   ``changes``, if these are at ten or fewer times. Calls that were sent are counted in whole seconds.
    /// - Returns: Lines with a newline after each. A run whose work has left the simulation says so first.
    public func table(phases: [ClosedRange<Double>]? = nil) -> String {
        text(summaryLines(phases: phases) + policyLines + hostLines)
    }

    /// What makes the run say nothing; nil if it is valid.
    var warning: String? {
        if error == nil { return nil }
        if escapedActions == 0 {
            let calls =
                unfinishedCalls == 1 ? "1 call has" : "\(unfinishedCalls.grouped) calls have"
            return "INVALID: \(calls) not ended, and nothing is left to happen."
        }
        let actions = escapedActions == 1 ? "1 action" : "\(escapedActions.grouped) actions"
        return "INVALID: \(actions) left the simulation (a task, a thread). "
            + "This run says nothing about the stack."
    }

    private func text(_ lines: [String]) -> String {
        lines.map { $0 + "\n" }.joined()
    }
}

extension SimulationRun: CustomStringConvertible {
    /// The ``table(phases:)`` without policies and hosts: what a failed expectation about the run prints.
    public var description: String { summaryLines(phases: nil).joined(separator: "\n") }
}

extension SimulationRun {
    fileprivate func summaryLines(phases: [ClosedRange<Double>]?) -> [String] {
        var table = TextColumns()
        table.add([
            "", "offered/s", "goodput", "amplification", "p50", "p90", "p99", "p99.9",
        ])
        table.add(["whole run"] + cells(of: interval(0...duration, sent: sent.total)))
        for phase in phases ?? phasesBetweenChanges {
            let seconds = Int(phase.lowerBound)..<Int(phase.upperBound.rounded(.up))
            let name =
                "\(phase.lowerBound.shortText(digits: 3))-\(phase.upperBound.shortText(digits: 3)) s"
            table.add([name] + cells(of: interval(phase, sent: sent.sum(in: seconds))))
        }
        return warningLines + [heading] + table.lines + changeLines + failureLines
    }

    private var warningLines: [String] {
        guard let warning, let error else { return [] }
        return [warning, "\(error)"]
    }

    private var heading: String {
        "seed \(seed), \(callCount.grouped) calls in \(duration.shortText(digits: 3)) s, "
            + "\(hosts.count.grouped) \(hosts.count == 1 ? "host" : "hosts")"
    }

    private func cells(of interval: Interval) -> [String] {
        let rate = interval.length > 0 ? Double(interval.offered) / interval.length : 0
        return [
            rate.text(digits: 1), "\((interval.goodput * 100).text(digits: 2)) %",
            interval.amplification.text(digits: 3),
        ]
            + [interval.p50, interval.p90, interval.p99, interval.p999].map {
                $0?.textOfSeconds ?? "-"
            }
    }

    /// The times between the changes, in which nothing changes.
    private var phasesBetweenChanges: [ClosedRange<Double>] {
        var times = [0.0]
        for change in changes where change.time > times.last! { times.append(change.time) }
        if times.count == 1 || times.count > 11 { return [] }
        return zip(times, times.dropFirst() + [duration]).map { $0...$1 }
    }

    private var changeLines: [String] {
        if changes.isEmpty { return [] }
        if changes.count > 20 { return ["changes: \(changes.count)"] }
        return ["changes:"]
            + changes.map { "  \($0.time.shortText(digits: 3)) s  \($0.name.inOneLine)" }
    }

    private var failureLines: [String] {
        let unfinished = unfinishedCalls == 0 ? [] : ["not ended: \(unfinishedCalls.grouped)"]
        if failures.isEmpty { return ["failures: none"] + unfinished }
        return ["failures:"] + failures.map { "  \($0.count.grouped) \($0.kind)" } + unfinished
    }

    fileprivate var policyLines: [String] {
        if policies.isEmpty { return [] }
        return ["policies:"]
            + policies.map { policy in
                let actions = policy.actions.map { "\($0.count.grouped) \($0.action)" }
                return "  \(policy.title.inOneLine): \(actions.joined(separator: ", "))"
            }
    }
}

extension String {
    /// The text with a space for each character that begins a line or controls a terminal.
    var inOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map {
                    switch $0.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    default: $0
                    }
                }))
    }
}

extension SimulationRun {
    /// Returns the run as text.
    ///
    /// It has the offered load, goodput, amplification and latencies of the whole run and of its phases, followed by
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
    /// The same seed gives the same bytes, on every machine. A host differs if its received calls, mean calls or mean
    /// time are below half the median or above twice the median, or if its share of refused or wasted calls is above
    /// the median host's by 0.01 or more. At most ten such hosts are shown.
    ///
    /// - Parameter phases: The parts of the run, in seconds, that each get a line. By default, these are the parts
    ///   between the ``changes``, or none if the changes are at more than ten different times. Sent calls are recorded
    ///   by the second, so a part's sent calls include those of its whole first and last second.
    /// - Returns: Lines, each with a newline. If the run has an ``error``, the first line says so.
    public func table(phases: [ClosedRange<Double>]? = nil) -> String {
        text(summaryLines(phases: phases) + policyLines + hostLines)
    }

    /// Why the run says nothing about its stack; nil if it's valid.
    var warning: String? {
        if error == nil { return nil }
        if escapedActions == 0 {
            let calls =
                unfinishedCalls == 1 ? "1 call has" : "\(unfinishedCalls.grouped) calls have"
            return "INVALID: \(calls) not ended, and nothing is left to happen."
        }
        let actions = escapedActions == 1 ? "1 action" : "\(escapedActions.grouped) actions"
        return "INVALID: \(actions) left the simulation. "
            + "This run says nothing about the stack."
    }

    private func text(_ lines: [String]) -> String {
        lines.map { $0 + "\n" }.joined()
    }
}

extension SimulationRun: CustomStringConvertible {
    /// The ``table(phases:)`` without policies and hosts.
    ///
    /// Test frameworks print this text when an expectation about the run fails.
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
    /// With a space in place of each line break and control character.
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

extension SimulationRun {
    /// The hosts that differ from the median host, by number.
    var differingHosts: [Int] {
        let median = medianHost
        return hosts.indices.filter { hosts[$0].differs(from: median) }
    }

    /// The medians of the hosts' figures.
    ///
    /// For an even number of hosts, the lower of the two middle values.
    var medianHost: HostFigures {
        let figures = hosts.map { HostFigures(of: $0) }
        func median(_ value: (HostFigures) -> Double) -> Double {
            figures.map(value).sorted()[(figures.count - 1) / 2]
        }
        return HostFigures(
            received: median(\.received), refused: median(\.refused), wasted: median(\.wasted),
            meanCalls: median(\.meanCalls), meanTime: median(\.meanTime))
    }

    /// A table of the hosts that differ; empty if none does.
    var hostLines: [String] {
        let differing = differingHosts
        if differing.isEmpty { return [] }
        var table = TextColumns()
        table.add([
            "hosts that differ", "received", "refused", "wasted", "mean calls", "mean time",
        ])
        table.add(["median of \(hosts.count.grouped)"] + medianHost.cells)
        for number in differing.prefix(10) {
            table.add([hosts[number].name.inOneLine] + HostFigures(of: hosts[number]).cells)
        }
        let others = differing.count - 10
        return table.lines + (others > 0 ? ["and \(others.grouped) more"] : [])
    }
}

/// The figures that are compared with the medians.
struct HostFigures {
    let received: Double
    let refused: Double
    let wasted: Double
    let meanCalls: Double
    let meanTime: Double

    fileprivate var cells: [String] {
        [received, refused, wasted].map { Int($0).grouped }
            + [meanCalls.text(digits: 2), meanTime.textOfSeconds]
    }
}

extension HostFigures {
    fileprivate init(of host: SimulationRun.Host) {
        self.init(
            received: Double(host.received), refused: Double(host.refused),
            wasted: Double(host.wasted), meanCalls: host.meanCalls, meanTime: host.meanTime)
    }

    fileprivate func share(of count: Double) -> Double { received > 0 ? count / received : 0 }
}

extension SimulationRun.Host {
    fileprivate func differs(from median: HostFigures) -> Bool {
        let figures = HostFigures(of: self)
        func isFar(_ value: Double, from median: Double) -> Bool {
            value < median / 2 || value > median * 2
        }
        if isFar(figures.received, from: median.received) { return true }
        if isFar(figures.meanTime, from: median.meanTime) { return true }
        if isFar(figures.meanCalls, from: median.meanCalls) { return true }
        let refused = figures.share(of: figures.refused) - median.share(of: median.refused)
        let wasted = figures.share(of: figures.wasted) - median.share(of: median.wasted)
        return max(refused, wasted) >= 0.01
    }
}

/// A text table: the first column aligned left, the others right.
struct TextColumns {
    private var rows: [[String]] = []

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// Without trailing spaces.
    var lines: [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let spaces = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + spaces : spaces + cell
            }
            var line = cells.joined(separator: "  ")[...]
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }
}

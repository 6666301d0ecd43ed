/// The steps: each says whether the scenario has become smaller.
extension Shrinker {
    func removeFaults() -> Bool {
        let (whole, origins) = (least, origins)
        let kept = MinimalFailure.subset(of: Array(whole.faults.indices)) { indexes in
            var scenario = whole
            scenario.faults = indexes.map { whole.faults[$0] }
            return fails(scenario, indexes.map { origins[$0] })
        }
        return kept.count < whole.faults.count
    }

    /// Hosts up to the highest one that code names stay, and those of faults.
    func removeHosts() -> Bool {
        let whole = least
        let highest = origins.map { named.highestOfFaults[$0] ?? -1 }
            .reduce(named.highestOfStack, max)
        let touched = Set(whole.faults.flatMap(\.hosts))
        let removable = whole.hosts.indices.filter { $0 > highest && !touched.contains($0) }
        _ = MinimalFailure.subset(of: removable) { rest in
            let removed = Set(removable).subtracting(rest)
            let kept = whole.hosts.indices.filter { !removed.contains($0) }
            return !kept.isEmpty && fails(whole.keeping(kept))
        }
        return least.hosts.count < whole.hosts.count
    }

    func shortenFaults() -> Bool {
        var hasChanged = false
        for index in least.faults.indices {
            let (whole, fault) = (least, least.faults[index])
            guard let end = fault.end else { continue }
            let length = (end - fault.time).units
            let found = MinimalFailure.number(upTo: length, from: 1) { units in
                var scenario = whole
                scenario.faults[index].end = fault.time + .units(units)
                return fails(scenario)
            }
            if found < length { hasChanged = true }
        }
        return hasChanged
    }

    /// All faults begin earlier by the same time.
    func moveFaults() -> Bool {
        let whole = least
        guard let first = whole.faults.map(\.time).min() else { return false }
        let found = MinimalFailure.number(upTo: first.units, from: 0) { units in
            var scenario = whole
            for index in scenario.faults.indices {
                scenario.faults[index].time -= first - .units(units)
                scenario.faults[index].end? -= first - .units(units)
            }
            return fails(scenario)
        }
        return found < first.units
    }

    func shortenRun() -> Bool {
        let whole = least
        let found = MinimalFailure.number(upTo: whole.duration.units, from: 1) { units in
            var scenario = whole
            scenario.duration = .units(units)
            return fails(scenario)
        }
        return found < whole.duration.units
    }

    func lowerArrivals() -> Bool {
        let whole = least
        let found = MinimalFailure.number(upTo: 64, from: 1) { part in
            var scenario = whole
            guard let arrivals = whole.arrivals.lowered(to: part, of: 64) else { return false }
            scenario.arrivals = arrivals
            return fails(scenario)
        }
        return found < 64
    }

    func removeCalls() -> Bool {
        let (whole, times) = (least, Array(run.begins))
        var count = times.count
        switch whole.arrivals.kind {
        case .closed: return false
        // Those after the end of the run are removed as well.
        case .recorded(let times): count = times.count
        case .poisson, .even: break
        }
        let failsWith: ([Nanoseconds]) -> Bool = { [self] times in
            var scenario = whole
            scenario.arrivals = Arrivals(kind: .recorded(times))
            return fails(scenario)
        }
        if times.count < count, !failsWith(times) { return false }
        return MinimalFailure.subset(of: times, thatFails: failsWith).count < count
    }

    /// The time begins with the first fault or call, where the arrivals are recorded.
    func skipQuietTime() -> Bool {
        guard case .recorded(let times) = least.arrivals.kind else { return false }
        let begins = least.faults.map { Nanoseconds($0.time) } + times.prefix(1)
        let skipped = (begins.min() ?? 0) / 1_000_000 * 1_000_000
        guard skipped > 0, skipped < Nanoseconds(least.duration) else { return false }
        var scenario = least
        for index in scenario.faults.indices {
            scenario.faults[index].time -= .nanoseconds(skipped)
            scenario.faults[index].end? -= .nanoseconds(skipped)
        }
        scenario.duration -= .nanoseconds(skipped)
        scenario.arrivals = Arrivals(kind: .recorded(times.map { $0 - skipped }))
        return fails(scenario)
    }

    /// Recorded arrivals become whole milliseconds, which are easy to read.
    func roundCalls() -> Bool {
        guard case .recorded(let times) = least.arrivals.kind else { return false }
        let rounded = times.map { $0 / 1_000_000 * 1_000_000 }
        if rounded == times { return false }
        var scenario = least
        scenario.arrivals = Arrivals(kind: .recorded(rounded))
        return fails(scenario)
    }
}

extension Scenario {
    /// The scenario with some of its hosts, by their numbers, which the faults then have anew.
    ///
    /// - Parameter numbers: In ascending order, with those of all faults.
    fileprivate func keeping(_ numbers: [Int]) -> Scenario {
        var scenario = self
        scenario.hosts = numbers.map { hosts[$0] }
        for index in faults.indices {
            scenario.faults[index].hosts = faults[index].hosts.compactMap(numbers.firstIndex)
        }
        return scenario
    }
}

extension Duration {
    /// What times are shortened by, as a report should be easy to read.
    private static let unit = Duration.milliseconds(10)

    fileprivate static func units(_ count: Int) -> Duration { unit * count }

    /// How many units it has, rounded up.
    fileprivate var units: Int {
        let unit = Nanoseconds(Duration.unit)
        return Int(Nanoseconds(self).adding(unit - 1) / unit)
    }
}

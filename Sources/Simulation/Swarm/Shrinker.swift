/// The settings for making a failing case smaller: the parts to shrink, and a limit on the runs.
package struct Shrinking: Sendable {
    /// A part of a scenario that can be made smaller.
    package enum Part: Sendable, Hashable, CaseIterable {
        /// Removes faults.
        case faults
        /// Removes hosts that no fault and no stack refers to by number.
        case hosts
        /// Makes faults begin earlier and end sooner.
        case faultTimes
        /// Shortens the time during which calls are made.
        case duration
        /// Lowers the rate of calls, or the number of clients.
        case arrivals
        /// Turns the arrivals into a list of times, and removes calls from the list.
        ///
        /// A closed loop stays as it is.
        case calls
    }

    /// The parts to make smaller.
    package var parts = Set(Part.allCases)

    /// The maximum number of runs.
    package var maxRuns = 500

    /// Creates the default: all parts, in at most 500 runs.
    package init() {}

    /// Leaves the failing case as it is.
    package static var none: Shrinking {
        var shrinking = Shrinking()
        shrinking.parts = []
        return shrinking
    }
}

/// Makes a failing scenario smaller, as long as it fails in the same way with the same seed.
///
/// The order of the tries depends only on the scenario.
final class Shrinker {
    /// The smallest failing scenario so far.
    private(set) var least: Scenario
    /// The failure of ``least``.
    private(set) var text: String
    private(set) var run: SimulationRun
    private(set) var runCount = 0

    private let shrinking: Shrinking
    private let kind: String
    private let judge: (Scenario) -> (SimulationRun, text: String?)
    /// Each remaining fault's index in the scenario that was first found to fail.
    private(set) var origins: [Int]
    let named: NamedHosts

    /// - Parameters:
    ///   - named: The highest host numbers that stacks and faults' closures refer to.
    ///   - judge: Runs a scenario, and returns the run and its failure.
    init(
        _ scenario: Scenario, _ run: SimulationRun, failingWith text: String, _ named: NamedHosts,
        _ shrinking: Shrinking, _ judge: @escaping (Scenario) -> (SimulationRun, text: String?)
    ) {
        least = scenario
        self.run = run
        self.text = text
        self.shrinking = shrinking
        self.judge = judge
        self.named = named
        kind = text.withoutNumbers
        origins = Array(scenario.faults.indices)
    }

    /// Shrinks part by part, until a round changes nothing or the limit of runs is reached.
    func shrink() {
        let steps: [(Shrinking.Part, () -> Bool)] = [
            (.faults, removeFaults), (.hosts, removeHosts), (.faultTimes, shortenFaults),
            (.faultTimes, moveFaults), (.duration, shortenRun), (.arrivals, lowerArrivals),
            (.calls, removeCalls), (.calls, skipQuietTime), (.calls, roundCalls),
        ]
        var hasChanged = true
        while hasChanged, runCount < shrinking.maxRuns {
            hasChanged = false
            for (part, step) in steps where shrinking.parts.contains(part) {
                if step() { hasChanged = true }
            }
        }
    }

    /// Runs a scenario, and makes it the smallest one if it fails in the same way.
    func fails(_ scenario: Scenario, _ origins: [Int]? = nil) -> Bool {
        guard runCount < shrinking.maxRuns else { return false }
        runCount += 1
        let (run, text) = judge(scenario)
        guard let text, text.withoutNumbers == kind else { return false }
        (least, self.run, self.text) = (scenario, run, text)
        if let origins { self.origins = origins }
        return true
    }
}

extension String {
    /// Stays the same if only amounts change.
    fileprivate var withoutNumbers: String {
        filter { !$0.isNumber && !".,-−+".contains($0) }
    }
}

/// The steps; each returns whether it has made the scenario smaller.
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

    /// Removes the hosts with the highest numbers, if no fault, no stack and no fault's closure refers to them.
    func removeHosts() -> Bool {
        let whole = least
        let highest = origins.map { named.highestOfFaults[$0] ?? -1 }
            .reduce(named.highestOfStack, max)
        let touched = Set(whole.faults.flatMap(\.hosts))
        let removable = whole.hosts.indices.filter { $0 > highest && !touched.contains($0) }
        _ = MinimalFailure.subset(of: removable) { rest in
            let removed = Set(removable).subtracting(rest)
            let kept = whole.hosts.indices.filter { !removed.contains($0) }
            return !kept.isEmpty && fails(whole.withOnlyHosts(kept))
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

    /// Makes all faults begin earlier, by the same time.
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
        // Recorded calls after the end of the run were never made, and count as removed.
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

    /// Cuts off the time before the first fault or call, if the arrivals are recorded.
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

    /// Rounds recorded arrivals down to whole milliseconds, to be easy to read.
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
    /// The scenario with some of its hosts, renumbered.
    ///
    /// - Parameter numbers: The hosts to keep, in ascending order, with all that are in faults.
    fileprivate func withOnlyHosts(_ numbers: [Int]) -> Scenario {
        var scenario = self
        scenario.hosts = numbers.map { hosts[$0] }
        for index in faults.indices {
            scenario.faults[index].hosts = faults[index].hosts.compactMap(numbers.firstIndex)
        }
        return scenario
    }
}

extension Duration {
    /// Times are shortened in whole steps, to be easy to read.
    private static let unit = Duration.milliseconds(10)

    fileprivate static func units(_ count: Int) -> Duration { unit * count }

    /// The number of steps, rounded up.
    fileprivate var units: Int {
        let unit = Nanoseconds(Duration.unit)
        return Int(Nanoseconds(self).adding(unit - 1) / unit)
    }
}

enum MinimalFailure {
    /// Removes elements as long as the rest still fails.
    ///
    /// It first tries no elements, and then leaves out halves, quarters and so on, until no single element can be
    /// removed: the complements of Zeller and Hildebrandt ("Simplifying and isolating failure-inducing input", 2002).
    /// For n elements, there are at most n² + 3n tries, and usually far fewer.
    ///
    /// - Parameters:
    ///   - elements: A list that fails.
    ///   - fails: Returns whether a subset fails; it keeps the order of the elements.
    /// - Returns: A subset that fails.
    static func subset<Element>(
        of elements: [Element], thatFails fails: ([Element]) -> Bool
    ) -> [Element] {
        if elements.isEmpty || fails([]) { return [] }
        var (least, size) = (elements, elements.count / 2)
        while size >= 1 {
            let count = least.count
            var start = 0
            while start < least.count {
                var rest = least
                rest.removeSubrange(start..<min(start + size, least.count))
                // The empty subset was tried first.
                if !rest.isEmpty, fails(rest) { least = rest } else { start += size }
            }
            if size > 1 || least.count == count { size /= 2 }
        }
        return least
    }

    /// Finds a smaller number that fails, by halving the distance to one that doesn't.
    ///
    /// If all numbers above a failing one fail too, it finds the smallest; otherwise, a smaller one may exist.
    ///
    /// - Parameters:
    ///   - upper: A number that fails.
    ///   - lower: The smallest number to try.
    ///   - fails: Returns whether a number fails.
    /// - Returns: A number that fails, after at most 1 + log₂(upper − lower) tries.
    static func number(
        upTo upper: Int, from lower: Int, thatFails fails: (Int) -> Bool
    ) -> Int {
        if upper <= lower || fails(lower) { return min(lower, upper) }
        var (passing, failing) = (lower, upper)
        while failing - passing > 1 {
            let middle = passing + (failing - passing) / 2
            if fails(middle) { failing = middle } else { passing = middle }
        }
        return failing
    }
}

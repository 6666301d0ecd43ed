import PledgeFutures

/// Faults that each seed of a swarm draws anew.
///
/// ```swift
/// var faults = RandomFaults()
/// faults.kinds = [.slow, .pause]
/// faults.part = 0.2...0.5
/// ```
///
/// Each seed first draws the kinds of faults for its run, because many runs that each leave out some kinds find more
/// bugs than runs with all kinds (Groce et al., "Swarm testing", ISSTA 2012). Then the seed draws the number of faults,
/// and for each fault the kind, the host, the times and the strength. The same seed draws the same faults on every
/// machine.
public struct RandomFaults: Sendable {
    /// The kinds of faults.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A host takes longer.
        case slow
        /// A host does no work for a while.
        case pause
        /// A host is down for a while.
        case stop
        /// A host fails a share of its calls.
        case failures
        /// A host loses a share of its messages.
        case loss
        /// Some hosts, up to half of them, are cut off from all others.
        case partition
    }

    /// The kinds of faults to choose from.
    public var kinds = Set(Kind.allCases)

    /// The number of faults in a run.
    ///
    /// If ``kinds`` is empty, there are no faults.
    public var count = 1...5

    /// The part of the run that contains the faults: 0 is the beginning of the run, and 1 its end.
    public var part = 0.1...0.6

    /// The length of a fault, as a share of the run.
    public var length = 0.01...0.2

    /// The slowdown factor of a slow host.
    package var slowness = 2.0...20.0

    /// The share of calls that fail, or of messages that are lost.
    public var rate = 0.05...1.0

    /// Creates the default: all kinds, and 1 to 5 faults between 10 % and 60 % of the run.
    public init() {}

    /// Returns the faults that a seed draws for a scenario.
    ///
    /// - Parameters:
    ///   - seed: The seed of the run.
    ///   - scenario: The scenario. Only its number of hosts and its duration count.
    package func faults(for seed: UInt64, in scenario: Scenario) -> [Fault] {
        var generator = SeededGenerator(seed: seed).split(0xFA17)
        let wanted = Kind.allCases.filter(kinds.contains)
        let kinds = generator.subset(of: wanted)
        if kinds.isEmpty { return [] }
        let count = generator.number(in: count)
        return (0..<count).map { _ in fault(of: kinds, in: scenario, &generator) }
            .sorted { $0.time < $1.time }
    }

    private func fault(
        of kinds: [Kind], in scenario: Scenario, _ generator: inout SeededGenerator
    ) -> Fault {
        let kind = kinds[generator.number(in: 0...(kinds.count - 1))]
        let host = generator.number(in: 0...(scenario.hosts.count - 1))
        let length = min(generator.number(in: length), part.upperBound - part.lowerBound)
        let begin = generator.number(in: part.lowerBound...(part.upperBound - length))
        let time = scenario.duration.share(begin)
        let end = max(scenario.duration.share(begin + length), time + .milliseconds(1))
        switch kind {
        case .slow:
            let factor = generator.number(in: slowness).rounded(toTenths: slowness)
            return .slow(host: host, by: factor, from: time, to: end)
        case .pause: return .pause(host: host, from: time, to: end)
        case .stop: return .stop(host: host, from: time, to: end)
        case .failures: return .failures(host: host, rate: rate(&generator), from: time, to: end)
        case .loss: return .loss(host: host, rate: rate(&generator), from: time, to: end)
        case .partition:
            let hosts = hosts(of: scenario.hosts.count, with: host, &generator)
            return .partition(hosts: hosts, from: time, to: end)
        }
    }

    /// The given host and random others, together at most half of all, in ascending order.
    private func hosts(
        of count: Int, with host: Int, _ generator: inout SeededGenerator
    ) -> [Int] {
        var chosen = [host]
        var others = (0..<count).filter { $0 != host }
        for _ in 0..<generator.number(in: 0...max(count / 2 - 1, 0)) {
            chosen.append(others.remove(at: generator.number(in: 0...(others.count - 1))))
        }
        return chosen.sorted()
    }

    /// Rounded to hundredths, unless that leaves the range.
    private func rate(_ generator: inout SeededGenerator) -> Double {
        let rate = generator.number(in: rate)
        let rounded = (rate * 100).rounded() / 100
        return self.rate.contains(rounded) ? rounded : rate
    }
}

extension Duration {
    /// A share of the duration, in whole milliseconds.
    fileprivate func share(_ share: Double) -> Duration {
        .milliseconds(Int64((Double(Nanoseconds(self)) * share / 1e6).rounded()))
    }
}

extension Double {
    /// Rounded to tenths, unless that leaves the range.
    fileprivate func rounded(toTenths range: ClosedRange<Double>) -> Double {
        let rounded = (self * 10).rounded() / 10
        return range.contains(rounded) ? rounded : self
    }
}

extension SeededGenerator {
    fileprivate mutating func number(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// All numbers are equally likely, up to the rounding of a `Double`.
    fileprivate mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(uniform() * Double(range.upperBound - range.lowerBound + 1))
    }

    /// A subset, not empty, each equally likely; empty only if there are no elements.
    fileprivate mutating func subset<Element>(of elements: [Element]) -> [Element] {
        if elements.isEmpty { return [] }
        while true {
            let chosen = elements.filter { _ in uniform() < 0.5 }
            if !chosen.isEmpty { return chosen }
        }
    }
}

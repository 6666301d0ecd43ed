import PledgeServices

/// A disturbance of a scenario's hosts, which begins at some time and usually ends later.
///
/// ```swift
/// scenario.add(.slow(host: 3, by: 10, from: .seconds(30), to: .seconds(60)))
/// ```
///
/// A fault is a value with a text, so that ``RandomFaults`` can create it, and a swarm over seeds can remove, move and
/// print it. If several faults of the same kind overlap on a host, only the strongest has an effect. When the last of
/// them ends, the host returns to its settings in the scenario.
public struct Fault: Sendable {
    enum Kind: Sendable {
        case slow(by: Double)
        case pause
        case stop
        case failures(rate: Double)
        case loss(rate: Double)
        case partition
        case change(text: String, @Sendable (Fleet) -> Void)
    }

    let kind: Kind

    /// The numbers of the hosts.
    ///
    /// A partition may have several hosts, and a change by a closure has none. Every other fault has one host.
    package internal(set) var hosts: [Int]

    /// The time at which the fault begins, from the beginning of the run.
    package internal(set) var time: Duration

    /// The time at which the fault ends; nil if the fault has no end, or if a closure ends the fault.
    package internal(set) var end: Duration?

    init(_ kind: Kind, hosts: [Int], from time: Duration, to end: Duration?) {
        precondition(time >= .zero, "a fault begins at zero or later, not at \(time)")
        precondition(
            end.map { $0 > time } ?? true, "a fault ends after it begins, not at \(end ?? time)")
        self.kind = kind
        self.hosts = hosts
        self.time = time
        self.end = end
    }
}

extension Fault {
    /// Makes a host's work take longer.
    ///
    /// A fault that lies outside the run has no effect. An end that isn't after the beginning is a programming error
    /// and traps; this is true of every kind of fault.
    ///
    /// - Parameters:
    ///   - host: The host's number.
    ///   - factor: How many times as long the work takes. 0 or less traps.
    ///   - time: The time at which the fault begins.
    ///   - end: The time at which the fault ends; nil if it doesn't end.
    public static func slow(
        host: Int, by factor: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(factor > 0, "a host is slowed by a factor above 0, not \(factor)")
        return Fault(.slow(by: factor), hosts: [host], from: time, to: end)
    }

    /// Stops a host's work for a while.
    ///
    /// Calls that arrive meanwhile wait.
    public static func pause(host: Int, from time: Duration, to end: Duration) -> Fault {
        Fault(.pause, hosts: [host], from: time, to: end)
    }

    /// Takes a host down, and starts it again when the fault ends.
    ///
    /// If `end` is nil, the host stays down.
    public static func stop(host: Int, from time: Duration, to end: Duration? = nil) -> Fault {
        Fault(.stop, hosts: [host], from: time, to: end)
    }

    /// Makes a share of a host's calls fail.
    ///
    /// A rate outside 0 to 1 traps.
    public static func failures(
        host: Int, rate: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(rate >= 0 && rate <= 1, "a rate is from 0 to 1, not \(rate)")
        return Fault(.failures(rate: rate), hosts: [host], from: time, to: end)
    }

    /// Loses a share of the messages to and from a host.
    ///
    /// A rate outside 0 to 1 traps.
    public static func loss(
        host: Int, rate: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(rate >= 0 && rate <= 1, "a rate is from 0 to 1, not \(rate)")
        return Fault(.loss(rate: rate), hosts: [host], from: time, to: end)
    }

    /// Cuts some hosts off from all others and from the clients.
    ///
    /// Changes by a closure can make partitions, too. If a closure calls ``Fleet/heal()``, this fault's partition ends
    /// as well. This fault, in turn, ends the closures' partitions when it begins and when it ends.
    ///
    /// - Parameters:
    ///   - hosts: The numbers of the hosts, which still reach each other. An empty array traps.
    ///   - time: The time at which the fault begins.
    ///   - end: The time at which the fault ends; nil if it doesn't end.
    public static func partition(
        hosts: [Int], from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(!hosts.isEmpty, "a partition needs a host")
        return Fault(.partition, hosts: hosts, from: time, to: end)
    }

    /// Changes the fleet in any way, at a time.
    ///
    /// - Parameters:
    ///   - time: The time of the change.
    ///   - text: The change in words, for reports.
    ///   - change: Changes the fleet. It runs in the simulation, before anything else that happens at that time.
    public static func change(
        at time: Duration, _ text: String = "a change of the fleet",
        _ change: @escaping @Sendable (Fleet) -> Void
    ) -> Fault {
        Fault(.change(text: text, change), hosts: [], from: time, to: nil)
    }
}

extension Fault: CustomStringConvertible {
    /// The times and the effect, such as "30 s to 60 s: host 3 takes 10 times as long".
    public var description: String {
        let times = "\(time.inSeconds)\(end.map { " to \($0.inSeconds)" } ?? "")"
        return "\(times): \(text)"
    }

    /// In words, without the times.
    var text: String {
        let numbers = hosts.map { "\($0)" }.joined(separator: ", ")
        let host = "\(hosts.count == 1 ? "host" : "hosts") \(numbers)"
        return switch kind {
        case .slow(let factor): "\(host) takes \(factor.plainText) times as long"
        case .pause: "\(host) is paused"
        case .stop: "\(host) is down"
        case .failures(let rate): "\(host) fails \((rate * 100).plainText) % of its calls"
        case .loss(let rate): "\(host) loses \((rate * 100).plainText) % of its messages"
        case .partition: "\(host) cannot be reached from outside"
        case .change(let text, _): text
        }
    }
}

extension Duration {
    /// Exact to the nanosecond, such as "3.25 s".
    var inSeconds: String { "\(decimal(in: .second)) s" }
}

extension Double {
    /// At most two decimals, without zeros at the end.
    var plainText: String {
        let hundredths = Int64((Swift.min(magnitude, 1e15) * 100).rounded())
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        let sign = self < 0 && hundredths > 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return
            "\(sign)\(whole).\(rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")"
    }
}

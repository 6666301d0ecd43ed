/// Something that happens to a host of a scenario, from a time on and mostly for a while.
///
/// ```swift
/// scenario.add(.slow(host: 3, by: 10, from: .seconds(30), to: .seconds(60)))
/// ```
///
/// It is a value with a text, so that ``RandomFaults`` can make it, and a swarm over seeds can remove it, move it, and
/// print it. Where faults of the same kind overlap on a host, the strongest counts; when the last one ends, the host is
/// as its settings in the scenario say.
public struct Fault {
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

    /// The numbers of the hosts: one, or those of a partition; none for a change of the fleet by a closure.
    public internal(set) var hosts: [Int]

    /// When it begins, from the beginning of the run.
    public internal(set) var time: Duration

    /// When it ends; nil if it does not end, or if a closure decides that.
    public internal(set) var end: Duration?

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
    /// A host's work takes longer.
    ///
    /// A time outside the run has no effect. An end that is not after the beginning is a programming error and traps,
    /// for this and all other faults.
    ///
    /// - Parameters:
    ///   - host: The host's number.
    ///   - factor: How many times as long; 0 or less traps.
    ///   - time: When it begins.
    ///   - end: When it ends; nil: not.
    public static func slow(
        host: Int, by factor: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(factor > 0, "a host is slowed by a factor above 0, not \(factor)")
        return Fault(.slow(by: factor), hosts: [host], from: time, to: end)
    }

    /// A host does no work for a while; what comes meanwhile waits.
    public static func pause(host: Int, from time: Duration, to end: Duration) -> Fault {
        Fault(.pause, hosts: [host], from: time, to: end)
    }

    /// A host goes down, and starts again at the end; nil: not.
    public static func stop(host: Int, from time: Duration, to end: Duration? = nil) -> Fault {
        Fault(.stop, hosts: [host], from: time, to: end)
    }

    /// A host fails a share of its calls, from 0 to 1; any other rate traps.
    public static func failures(
        host: Int, rate: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(rate >= 0 && rate <= 1, "a rate is from 0 to 1, not \(rate)")
        return Fault(.failures(rate: rate), hosts: [host], from: time, to: end)
    }

    /// A share of the messages to a host is lost, from 0 to 1; any other rate traps.
    public static func loss(
        host: Int, rate: Double, from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(rate >= 0 && rate <= 1, "a rate is from 0 to 1, not \(rate)")
        return Fault(.loss(rate: rate), hosts: [host], from: time, to: end)
    }

    /// No message passes between some hosts and all others, the clients among these.
    ///
    /// A ``Fleet/heal()`` of a closure ends it too, and the end of a partition ends those of closures.
    ///
    /// - Parameters:
    ///   - hosts: The hosts' numbers; they reach each other. None traps.
    ///   - time: When it begins.
    ///   - end: When it ends; nil: not.
    public static func partition(
        hosts: [Int], from time: Duration, to end: Duration? = nil
    ) -> Fault {
        precondition(!hosts.isEmpty, "a partition needs a host")
        return Fault(.partition, hosts: hosts, from: time, to: end)
    }

    /// Any change of the fleet at a time.
    ///
    /// - Parameters:
    ///   - time: When.
    ///   - text: What changes, for a report.
    ///   - change: Runs in the simulation, before what else happens at that time.
    public static func change(
        at time: Duration, _ text: String = "a change of the fleet",
        _ change: @escaping @Sendable (Fleet) -> Void
    ) -> Fault {
        Fault(.change(text: text, change), hosts: [], from: time, to: nil)
    }
}

extension Fault: Sendable {}

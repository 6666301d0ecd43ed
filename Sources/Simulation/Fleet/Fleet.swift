public import Futures
import Services

/// The hosts of a simulation, as one service.
///
/// It belongs to the thread of its simulation.
public final class Fleet: @unchecked Sendable {
    /// Which host gets a call that names none.
    public enum Balancing: Sendable, Hashable {
        /// One host after the other.
        case roundRobin
        /// Any, each as likely as any other.
        case random
        /// The one with the fewest calls, of two that are chosen at random (Mitzenmacher 2001).
        case fewerCallsOfTwo
    }

    /// The hosts, by their numbers.
    public let hosts: [SimulatedHost]

    private let balancing: Balancing
    private let scheduler: SimulationScheduler
    private var generator: SeededGenerator
    private var nextHost = 0
    /// How many calls were sent, in each second.
    private(set) var sent = CountsBySecond()

    init(
        _ settings: [HostSettings], balancing: Balancing, on scheduler: SimulationScheduler,
        _ generator: SeededGenerator
    ) {
        for (number, host) in settings.enumerated() {
            precondition(host.workers >= 1, "host \(number) needs a worker, not \(host.workers)")
            precondition(
                host.queueLimit >= 0, "host \(number) needs a queue of 0 or more calls")
        }
        hosts = settings.enumerated().map { number, settings in
            SimulatedHost(number, settings, on: scheduler, generator.split(UInt64(number) + 1))
        }
        self.balancing = balancing
        self.scheduler = scheduler
        self.generator = generator.split(0)
    }

    /// A host, by its number.
    public func host(_ number: Int) -> SimulatedHost { hosts[number] }

    /// Sends a call to the host that it names, or to one that the fleet chooses.
    ///
    /// A client's stack goes around this. The future settles in an event of the simulation. Cancelling it leaves the
    /// host at work, unless ``HostSettings/finishesAbandonedCalls`` is false.
    ///
    /// - Returns: The answer; it rejects with ``SimulatedFailure``.
    @Sendable
    public func send(_ request: SimulatedRequest) -> Future<SimulatedResponse> {
        precondition(scheduler.isOnItsThread, "a simulation's calls are made in its own events")
        sent.add(at: scheduler.time)
        return hosts[request.host ?? choose()].call()
    }

    private func choose() -> Int {
        if hosts.count == 1 { return 0 }
        switch balancing {
        case .roundRobin:
            defer { nextHost = (nextHost + 1) % hosts.count }
            return nextHost
        case .random: return random(below: hosts.count)
        case .fewerCallsOfTwo:
            let first = random(below: hosts.count)
            let other = random(below: hosts.count - 1)
            let second = other >= first ? other + 1 : other
            return load(of: second) < load(of: first) ? second : first
        }
    }

    private func load(of number: Int) -> Int {
        hosts[number].callsInWork + hosts[number].callsWaiting
    }

    private func random(below count: Int) -> Int { Int(generator.uniform() * Double(count)) }
}

/// How many things happened in each second of a simulation.
struct CountsBySecond: Sendable {
    private(set) var counts: [Int] = []
    private(set) var total = 0

    /// Counts one that happened at a time.
    mutating func add(at time: Nanoseconds) {
        let second = Int(time / 1_000_000_000)
        while counts.count <= second { counts.append(0) }
        counts[second] += 1
        total += 1
    }

    /// How many happened in some seconds.
    func sum(in seconds: Range<Int>) -> Int {
        counts[seconds.clamped(to: 0..<counts.count)].reduce(0, +)
    }
}

import PledgeFutures
import PledgeServices

/// What all views of a fleet share: its hosts, what lies between them, and how a host is chosen.
final class FleetNetwork {
    let hosts: [SimulatedHost]
    let scheduler: SimulationScheduler
    /// How many calls the clients have sent, in each second.
    @exclusivity(unchecked) var sent = CountsBySecond()
    /// Notes which hosts code names by their numbers, for a swarm that removes others.
    var namedHosts: NamedHosts?

    /// The hosts with names, by these in lower case.
    private var numbers: [String: Int] = [:]
    private var isOver = false
    private let balancing: Fleet.Balancing
    private var generator: SeededGenerator
    private var nextHost = 0
    /// On which side of the partitions the clients are, and then each host; empty without a partition.
    private var sides: ContiguousArray<Int> = []
    private var sideCount = 1

    init(
        _ settings: [HostSettings], balancing: Fleet.Balancing, on scheduler: SimulationScheduler,
        _ generator: SeededGenerator
    ) {
        hosts = settings.enumerated().map { number, settings in
            settings.validate(number)
            return SimulatedHost(
                number, settings, on: scheduler, generator.split(UInt64(number) + 1))
        }
        self.balancing = balancing
        self.scheduler = scheduler
        self.generator = generator.split(0)
        for host in hosts {
            host.network = self
            guard let name = host.settings.name else { continue }
            let other = numbers.updateValue(host.number, forKey: name.lowercased())
            precondition(other == nil, "two hosts have the name \(name)")
        }
    }

    /// The number of a host, by its name.
    func number(named name: String) -> Int? {
        numbers.isEmpty ? nil : numbers[name.lowercased()]
    }

    /// Makes the stacks through which hosts call others.
    func connect(_ generator: SeededGenerator, _ gauges: GaugeRecorder) {
        for host in hosts {
            guard let makeDownstream = host.settings.makeDownstream else { continue }
            host.downstream = makeDownstream(
                SimulatedWorld(
                    scheduler: scheduler,
                    random: RandomSource(generator.split(UInt64(host.number))),
                    fleet: Fleet(self, from: host.number), gauges: gauges,
                    gaugePrefix: "\(host.name): "))
        }
    }

    /// Gives up all calls, and releases the hosts' stacks, which hold the network.
    ///
    /// Calls that are sent later are given up at once.
    func end() {
        isOver = true
        for host in hosts { host.end() }
    }

    /// Whether a caller waits for an answer that was lost.
    var owesAnswers: Bool { hosts.contains(where: \.owesAnswers) }

    /// Sends a call from a host, or from the clients, to the host that it names, or to one that is chosen.
    func send(_ request: SimulatedRequest, from origin: Int?) -> Future<SimulatedResponse> {
        guard scheduler.isOnItsThread else {
            let error = SimulationError(.callOnAnotherThread)
            scheduler.note(error)
            return Future(error: error)
        }
        if isOver {
            scheduler.cancelPresentTask()
            return Future(error: CancellationError())
        }
        if origin == nil { sent.add(at: scheduler.time) }
        if let named = request.host { namedHosts?.note(named) }
        return hosts[request.host ?? choose()].call(request, from: origin)
    }
}

// MARK: - Partitions

extension FleetNetwork {
    /// Puts the hosts of a list on a new side of their own.
    func separate(_ separated: [Int], withClients: Bool) {
        if sides.isEmpty { sides = .init(repeating: 0, count: hosts.count + 1) }
        for number in separated { sides[number + 1] = sideCount }
        if withClients { sides[0] = sideCount }
        sideCount += 1
    }

    /// Ends all partitions.
    func heal() { sides = [] }

    /// Whether messages between the clients, or a host, and another host are lost.
    func isCut(between origin: Int?, and host: Int) -> Bool {
        if sides.isEmpty { return false }
        return sides[origin.map { $0 + 1 } ?? 0] != sides[host + 1]
    }
}

// MARK: - Balancing

extension FleetNetwork {
    private func choose() -> Int {
        if hosts.count == 1 { return 0 }
        switch balancing {
        case .roundRobin:
            defer { nextHost = nextHost + 1 == hosts.count ? 0 : nextHost + 1 }
            return nextHost
        case .random: return random(below: hosts.count)
        case .fewerCallsOfTwo:
            let first = random(below: hosts.count)
            let other = random(below: hosts.count - 1)
            let second = other >= first ? other + 1 : other
            return hosts[second].load < hosts[first].load ? second : first
        }
    }

    private func random(below count: Int) -> Int { Int(generator.uniform() * Double(count)) }
}

/// How many things happened in each second of a simulation.
struct CountsBySecond: Sendable {
    private(set) var counts: [Int] = []
    private(set) var total = 0
    private var second = 0
    private var endOfSecond: Nanoseconds = 0

    /// Counts one that happened at a time, which is not before the last one.
    mutating func add(at time: Nanoseconds) {
        if time >= endOfSecond {
            second = Int(time / 1_000_000_000)
            endOfSecond = (Nanoseconds(second) * 1_000_000_000).adding(1_000_000_000)
            while counts.count <= second { counts.append(0) }
        }
        counts[second] += 1
        total += 1
    }

    /// How many happened in some seconds.
    func sum(in seconds: Range<Int>) -> Int {
        counts[seconds.clamped(to: 0..<counts.count)].reduce(0, +)
    }
}

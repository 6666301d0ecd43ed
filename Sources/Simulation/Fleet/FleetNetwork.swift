import PledgeFutures
import PledgeServices

/// What all views of a fleet share: hosts, network and balancing.
final class FleetNetwork {
    let hosts: [SimulatedHost]
    let scheduler: SimulationScheduler
    /// How many calls the clients have sent in each second.
    @exclusivity(unchecked) var sent = CountsBySecond()
    /// Notes the host numbers that a stack or a fault's closure uses, so that a swarm can remove other hosts.
    var namedHosts: NamedHosts?

    /// By lowercase name.
    private var numbers: [String: Int] = [:]
    private var isOver = false
    private let balancing: Fleet.Balancing
    private var generator: SeededGenerator
    private var nextHost = 0
    /// The clients' side, and then each host's; empty without a partition.
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

    func number(named name: String) -> Int? {
        numbers.isEmpty ? nil : numbers[name.lowercased()]
    }

    /// Creates the stacks by which hosts call other hosts.
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

    /// Cancels all calls, and releases the hosts' stacks, which would keep this network alive.
    ///
    /// Later calls are cancelled at once.
    func endRun() {
        isOver = true
        for host in hosts { host.endRun() }
    }

    /// True if a caller still waits for a lost message.
    var owesAnswers: Bool { hosts.contains(where: \.owesAnswers) }

    /// Sends a call to the host that it names, or to one that the balancing chooses.
    ///
    /// - Parameter origin: The host that makes the call; nil for a client.
    func send(_ request: SimulatedRequest, from origin: Int?) -> Future<SimulatedResponse> {
        guard scheduler.isOnItsThread else {
            let error = SimulationError(.callOnAnotherThread)
            scheduler.noteError(error)
            return Future(error: error)
        }
        if isOver {
            scheduler.cancelPresentTask()
            return Future(error: CancellationError())
        }
        if origin == nil { sent.add(at: scheduler.time) }
        if let named = request.host { namedHosts?.noteHost(named) }
        return hosts[request.host ?? choose()].call(request, from: origin)
    }
}

extension FleetNetwork {
    /// Puts hosts on a new side of their own.
    func separate(_ separated: [Int], withClients: Bool) {
        if sides.isEmpty { sides = .init(repeating: 0, count: hosts.count + 1) }
        for number in separated { sides[number + 1] = sideCount }
        if withClients { sides[0] = sideCount }
        sideCount += 1
    }

    func heal() { sides = [] }

    /// Returns whether a partition separates a host from a caller, so that messages between them are lost; `origin` is
    /// nil for a client.
    func isCut(between origin: Int?, and host: Int) -> Bool {
        if sides.isEmpty { return false }
        return sides[origin.map { $0 + 1 } ?? 0] != sides[host + 1]
    }
}

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

struct CountsBySecond: Sendable {
    private(set) var counts: [Int] = []
    private(set) var total = 0
    private var second = 0
    private var endOfSecond: Nanoseconds = 0

    /// Counts an occurrence; times must not descend.
    mutating func add(at time: Nanoseconds) {
        if time >= endOfSecond {
            second = Int(time / 1_000_000_000)
            endOfSecond = (Nanoseconds(second) * 1_000_000_000).adding(1_000_000_000)
            while counts.count <= second { counts.append(0) }
        }
        counts[second] += 1
        total += 1
    }

    func sum(in seconds: Range<Int>) -> Int {
        counts[seconds.clamped(to: 0..<counts.count)].reduce(0, +)
    }
}

/// The highest host numbers that the stacks, and each fault's closure, refer to.
///
/// A swarm may remove hosts with higher numbers.
final class NamedHosts: @unchecked Sendable {
    // Unchecked: only the simulation's thread uses this object.

    /// −1 for none.
    private(set) var highestOfStack = -1
    /// By the fault's index.
    private(set) var highestOfFaults: [Int: Int] = [:]
    private var fault: Int?

    /// Until ``endFault()``, numbers count for this fault's closure.
    func beginFault(_ index: Int) { fault = index }

    /// From now on, numbers count for the stacks.
    func endFault() { fault = nil }

    func noteHost(_ number: Int) {
        guard let fault else {
            highestOfStack = max(highestOfStack, number)
            return
        }
        highestOfFaults[fault] = max(highestOfFaults[fault] ?? -1, number)
    }
}

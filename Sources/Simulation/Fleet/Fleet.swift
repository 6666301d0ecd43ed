public import PledgeFutures
import PledgeServices

/// The hosts of a simulation, as one service.
///
/// Use it in the simulation's own events. On another thread `send` fails the call and the run; nothing else checks.
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
    public var hosts: [SimulatedHost] {
        network.namedHosts?.note(network.hosts.count - 1)
        return network.hosts
    }

    // Unchecked: neither property changes, and the network belongs to the thread of the simulation, as documented.
    let network: FleetNetwork
    /// The host whose calls it sends; nil for the clients.
    private let origin: Int?

    init(_ network: FleetNetwork, from origin: Int? = nil) {
        self.network = network
        self.origin = origin
    }

    /// A host, by its number.
    public func host(_ number: Int) -> SimulatedHost {
        network.namedHosts?.note(number)
        return network.hosts[number]
    }

    /// A host, by the name in its ``HostSettings``; a name without a host traps.
    public func host(named name: String) -> SimulatedHost {
        guard let number = network.number(named: name) else {
            preconditionFailure("no host has the name \(name)")
        }
        return host(number)
    }

    /// Sends a call to the host that it names, or to one that the fleet chooses.
    ///
    /// A client's stack goes around this. The future settles in an event of the simulation. Cancelling it leaves the
    /// host at work, unless ``HostSettings/finishesAbandonedCalls`` is false.
    ///
    /// - Returns: The answer; it rejects with ``SimulatedFailure``, and on another thread with ``SimulationError``.
    @Sendable
    public func send(_ request: SimulatedRequest) -> Future<SimulatedResponse> {
        network.send(request, from: origin)
    }
}

// MARK: - Partitions

extension Fleet {
    /// Separates hosts from the others: no message passes between the two sides.
    ///
    /// A message that is lost, also one that was under way, gets no answer. Hosts of one side reach each other. A
    /// further partition separates its hosts from all others as well.
    ///
    /// ```swift
    /// scenario.at(.seconds(30)) { $0.partition([2, 3]) }
    /// scenario.at(.seconds(40)) { $0.heal() }
    /// ```
    ///
    /// - Parameters:
    ///   - numbers: The hosts. A number without a host traps.
    ///   - withClients: Whether the clients are on their side. Otherwise they are with the others.
    public func partition(_ numbers: [Int], withClients: Bool = false) {
        network.namedHosts?.note(numbers.max() ?? -1)
        network.separate(numbers, withClients: withClients)
    }

    /// Ends all partitions.
    public func heal() { network.heal() }
}

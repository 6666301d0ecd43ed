import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A timeline for judging a default.
struct Trial: Sendable {
    private(set) var name: String
    let scenario: Scenario
    /// The seconds of the fault; all seconds, if there is no fault or it lasts the whole time.
    let fault: Range<Int>
    /// The number of clients that make the calls, each with its own policies.
    private(set) var clients = 1
    /// The number of connections of each client; nil if a client opens one for each call.
    private(set) var connections: Int?
    /// True if each host is its own origin, and calls go to the origins in turn.
    var hostsAreOrigins = false

    init(name: String, scenario: Scenario, fault: Range<Int>) {
        self.name = name
        self.scenario = scenario
        self.fault = fault
    }

    /// Returns the same trial with the calls spread over several clients.
    func over(clients: Int) -> Trial {
        var trial = self
        trial.name += ", \(clients) clients"
        trial.clients = clients
        return trial
    }

    /// Returns the same trial with a limit on the connections of each client; further calls wait.
    func over(connections: Int) -> Trial {
        var trial = self
        trial.name += ", \(connections) connections"
        trial.connections = connections
        return trial
    }
}

extension Trial {
    /// Returns the clients that make the calls, each with a stack of its own.
    func service(
        in world: SimulatedWorld, of make: (SimulatedWorld) -> JudgedDefault.Part
    ) -> Service<SimulatedRequest, SimulatedResponse> {
        let clients = (0..<clients).map { _ in
            let connections =
                connections.map { JudgedDefault.Part.connections($0, in: world) } ?? .passThrough
            return stack(make(world), connections, over: world.fleet.send)
        }
        let origins = hostsAreOrigins ? scenario.hosts.count : nil
        return { request in
            var request = request
            request.host = origins.map { request.number % $0 }
            return clients[request.number % clients.count](request)
        }
    }
}

extension Trial {
    /// The calls per second that five hosts with two workers each can handle together.
    ///
    /// A call takes 22.7 ms on average.
    static let capacity = 440.0

    /// Returns a scenario with hosts under a load for some seconds; the load is a share of five hosts' capacity.
    static func fleet(
        load: Double, seconds: Int, hosts: Int = 5,
        _ change: (inout HostSettings) -> Void = { _ in }
    ) -> Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        host.workers = 2
        host.queueLimit = 100
        host.latency = .constant(.milliseconds(1))
        change(&host)
        return Scenario(
            hosts: hosts, each: host, arrivals: .poisson(rate: load * capacity),
            duration: .seconds(seconds))
    }

    /// Returns a trial with a fault, by default from the tenth second on and with half a minute afterwards.
    static func fault(
        _ name: String, seconds: Int, load: Double = 0.5,
        _ host: (inout HostSettings) -> Void = { _ in }, hosts: Int = 5, after start: Int = 10,
        then rest: Int = 30, begin: @escaping @Sendable (Fleet) -> Void,
        end: @escaping @Sendable (Fleet) -> Void = { _ in }
    ) -> Trial {
        let until = start + seconds
        var scenario = fleet(load: load, seconds: until + rest, hosts: hosts, host)
        scenario.at(.seconds(start), "\(name) begins", begin)
        scenario.at(.seconds(until), "\(name) ends", end)
        return Trial(name: name, scenario: scenario, fault: start..<until)
    }
}

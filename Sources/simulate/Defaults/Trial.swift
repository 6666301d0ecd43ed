import Simulation

/// A time line by which a default is judged.
struct Trial: Sendable {
    let name: String
    let scenario: Scenario
    /// The seconds in which the fault is there; all, if there is none or it is there all the time.
    let fault: Range<Int>
    /// How many clients make the calls, each with policies of its own.
    var clients = 1

    /// The same trial with the calls spread over a number of clients.
    func over(clients: Int) -> Trial {
        var trial = Trial(name: "\(name), \(clients) clients", scenario: scenario, fault: fault)
        trial.clients = clients
        return trial
    }
}

extension Trial {
    /// How many calls a second five hosts with two workers can do: a call takes 22.7 ms on average.
    static let capacity = 440.0

    /// Hosts at a load, a part of the capacity of five, for a number of seconds.
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

    /// A fault from the tenth second on, with half a minute afterwards.
    static func fault(
        _ name: String, seconds: Int, load: Double = 0.5,
        _ host: (inout HostSettings) -> Void = { _ in }, hosts: Int = 5,
        begin: @escaping @Sendable (Fleet) -> Void,
        end: @escaping @Sendable (Fleet) -> Void = { _ in }
    ) -> Trial {
        let until = 10 + seconds
        var scenario = fleet(load: load, seconds: until + 30, hosts: hosts, host)
        scenario.at(.seconds(10), "\(name) begins", begin)
        scenario.at(.seconds(until), "\(name) ends", end)
        return Trial(name: name, scenario: scenario, fault: 10..<until)
    }
}

import PledgeSimulation

extension Trial {
    /// Nothing fails.
    static let healthy = steady("healthy") { _ in }

    /// Each host fails a share of the calls, at random.
    static func errors(_ percentage: Int) -> Trial {
        steady("errors \(percentage) %") { $0.failureRate = Double(percentage) / 100 }
    }

    /// Each message is lost with a probability of 1 %.
    static let loss = steady("loss 1 %") { $0.lossRate = 0.01 }

    /// One call in a hundred takes ten times as long.
    static let tail = steady("slow calls 1 %") {
        $0.serviceTime = .bimodal(
            .milliseconds(20), .milliseconds(300), shareOfSecond: 0.01)
    }

    /// All hosts are down for 0.2 of every 2 seconds.
    static let blips: Trial = {
        var scenario = fleet(load: 0.5, seconds: 60)
        for second in stride(from: 1, to: 60, by: 2) {
            scenario.at(.seconds(second), "blip") { fleet in
                for host in fleet.hosts { host.restart(after: .milliseconds(200)) }
            }
        }
        return Trial(name: "outages 0.2 s", scenario: scenario, fault: 0..<60)
    }()

    /// Every ten seconds all hosts lose their connections, and refuse new ones for a while.
    static func lostConnections(_ milliseconds: Int) -> Trial {
        var scenario = fleet(load: 0.5, seconds: 60)
        for second in stride(from: 3, to: 60, by: 10) {
            scenario.at(.seconds(second), "lost connections") { fleet in
                for host in fleet.hosts { host.restart(after: .milliseconds(milliseconds)) }
            }
        }
        return Trial(
            name: "lost for \(milliseconds) ms", scenario: scenario, fault: 0..<60)
    }

    /// Every ten seconds a client makes a number of calls at once.
    ///
    /// In addition, there is a steady load of a fifth of the hosts' capacity.
    static func bursts(of count: Int) -> Trial {
        bursts(of: count, every: 10, beside: 0.2 * capacity, name: "\(count) at once")
    }

    /// Every five seconds a client makes ten calls at once, and no others.
    static let quiet = bursts(of: 10, every: 5, beside: 0, name: "10 in 5 s")

    /// The trial ``quiet`` for ten minutes.
    static let quietForLong = bursts(
        of: 10, every: 5, beside: 0, for: 600, name: "10 in 5 s, 10 minutes")

    /// The trial ``quietForLong`` with a service whose calls take 0.2 seconds.
    static let slowBursts = bursts(
        of: 10, every: 5, beside: 0, for: 600, name: "10 in 5 s, slow"
    ) { $0.serviceTime = .logNormal(median: .milliseconds(200), sigma: 0.5) }

    /// Every ten seconds a client makes 60 calls at once, and otherwise one per second.
    ///
    /// The hosts fail a quarter of the calls.
    static let burstsWithErrors = bursts(
        of: 60, every: 10, beside: 1, for: 600, name: "60 in 10 s, errors 25 %"
    ) { $0.failureRate = 0.25 }

    private static func bursts(
        of count: Int, every interval: Double, beside rate: Double, for seconds: Int = 60,
        name: String, _ change: (inout HostSettings) -> Void = { _ in }
    ) -> Trial {
        var scenario = fleet(load: 0.5, seconds: seconds, change)
        let steady = (0..<Int(Double(seconds) * rate)).map { Double($0) / rate }
        let bursts = stride(from: interval / 2, to: Double(seconds), by: interval)
            .flatMap { Array(repeating: $0, count: count) }
        scenario.arrivals = .recorded((steady + bursts).sorted().map { .seconds($0) })
        return Trial(name: name, scenario: scenario, fault: 0..<seconds)
    }

    /// Calls at a rate to a service with a round trip of 0.1 seconds that can handle ten thousand calls per second.
    static func far(_ rate: Int) -> Trial {
        let scenario = fleet(load: Double(rate) / capacity, seconds: 10) {
            $0.workers = 50
            $0.latency = .constant(.milliseconds(50))
        }
        return Trial(name: "\(rate) a second, far", scenario: scenario, fault: 0..<10)
    }

    /// Each of 20 hosts is an origin, and fails a tenth of its calls.
    ///
    /// Some of the origins are down for half a minute.
    static func origins(down count: Int) -> Trial {
        var trial = fault(
            "\(count) of 20 origins down", seconds: 30, { $0.failureRate = 0.1 }, hosts: 20,
            begin: { fleet in for host in fleet.hosts.prefix(count) { host.stop() } })
        trial.hostsAreOrigins = true
        return trial
    }

    private static func steady(_ name: String, _ change: (inout HostSettings) -> Void) -> Trial {
        Trial(name: name, scenario: fleet(load: 0.5, seconds: 60, change), fault: 0..<60)
    }

    /// All hosts are down, and refuse connections at once.
    static func outage(
        _ seconds: Int, named name: String? = nil, load: Double = 0.5, after start: Int = 10,
        then rest: Int = 30
    ) -> Trial {
        fault(
            name ?? "outage \(seconds) s", seconds: seconds, load: load, after: start, then: rest,
            begin: { fleet in for host in fleet.hosts { host.stop() } },
            end: { fleet in for host in fleet.hosts { host.start() } })
    }

    /// One of five hosts is down.
    static let oneDown = fault(
        "1 of 5 down", seconds: 30, begin: { $0.host(0).stop() }, end: { $0.host(0).start() })

    /// One of three hosts is down, and the others can handle the load.
    static let oneOfThreeDown = fault(
        "1 of 3 down", seconds: 30, load: 0.3, { _ in }, hosts: 3,
        begin: { $0.host(0).stop() }, end: { $0.host(0).start() })

    /// One of five hosts is ten times slower.
    static let oneSlow = fault(
        "1 of 5 slow", seconds: 30,
        begin: { $0.host(0).slow(by: 10) }, end: { $0.host(0).slow(by: 1) })

    /// All hosts stand still for 5 seconds under load, but keep all calls that arrive.
    static func stall(
        load: Double, named name: String? = nil, after start: Int = 10, then rest: Int = 30
    ) -> Trial {
        fault(
            name ?? "stall at \(Int((load * 100).rounded())) %", seconds: 5, load: load,
            { $0.queueLimit = .max }, after: start, then: rest,
            begin: { fleet in for host in fleet.hosts { host.pause(for: .seconds(5)) } })
    }

    /// For half a minute, the load is 1.2 times what the hosts can handle.
    static let overload: Trial = {
        var scenario = fleet(load: 0.5, seconds: 70)
        scenario.arrivals = .poisson([
            (.seconds(10), 0.5 * capacity), (.seconds(40), 1.2 * capacity),
            (.seconds(70), 0.5 * capacity),
        ])
        return Trial(name: "overload 1.2", scenario: scenario, fault: 10..<40)
    }()
}

import Pledge
import PledgeSimulation

/// Five hosts behind one name, some of which turn bad for half a minute, while clients go on calling the name.
struct ShippedTrial: Sendable {
    /// What a bad host does.
    enum Fault: String, CaseIterable, Sendable {
        case losesMessages = "loses all messages"
        case hangs = "hangs"
        case slow = "is ten times slower"
        case refuses = "refuses connections"
        case fails = "answers 500 at once"
        case asksForWait = "answers 429, Retry-After 10 s"
        case isAway = "answers 503, Retry-After 10 s"
    }

    let fault: Fault
    /// The number of bad hosts, of five.
    let bad: Int
    /// Calls per second, of all clients together.
    let rate: Double
    /// The number of clients that make the calls, each with its own policies.
    var clients = 1
    /// The number of connections of each client, as `CurlTransport` limits them; nil for no limit.
    var connections: Int?

    /// The seconds of the fault.
    static let faultTime = 10.0..<40.0
    /// The times within which answers are counted, in seconds.
    static let limits = [0.1, 0.3, 1, 3, 10, 30]
}

extension ShippedTrial {
    var scenario: Scenario {
        var host = HostSettings(serviceTime: .logNormal(median: .milliseconds(20), sigma: 0.5))
        // Four healthy hosts can handle all calls, and three nearly all of them.
        host.workers = 4
        host.latency = .constant(.milliseconds(1))
        var scenario = Scenario(
            hosts: 5, each: host, arrivals: .poisson(rate: rate), duration: .seconds(45))
        scenario.balancing = .roundRobin
        scenario.drainTime = .seconds(120)
        let (fault, bad) = (fault, bad)
        scenario.at(.seconds(Int(Self.faultTime.lowerBound)), "begin") { fleet in
            for number in 0..<bad { fault.begin(fleet.host(number)) }
        }
        scenario.at(.seconds(Int(Self.faultTime.upperBound)), "end") { fleet in
            for number in 0..<bad { fault.end(fleet.host(number)) }
        }
        return scenario
    }

    /// Runs the trial with clients that a variant makes.
    func outcome(of variant: ShippedVariant, _ settings: ScenarioSettings) -> ShippedOutcome {
        let ends = Locked<[CallEnd]>([])
        let run = settings.run(scenario) { world in
            let services = (0..<clients).map { _ in
                variant.service(in: world, over: transport(in: world))
            }
            let scheduler = world.scheduler
            return { request in
                let start = scheduler.now
                let call = services[Self.client(of: request.number, among: services.count)](request)
                call.observe { result in
                    let time = start.duration(to: scheduler.now).inSeconds
                    let isSuccess = (try? result.get()) != nil
                    ends.withLock {
                        $0.append(
                            CallEnd(
                                start: start.offset.inSeconds, time: time, isSuccess: isSuccess))
                    }
                }
                return call
            }
        }
        return ShippedOutcome(of: run, ends.withLock { $0 })
    }

    /// Returns the client that makes a call.
    ///
    /// The numbers are mixed. If the clients made the calls in turn, each client's calls would go to the same host.
    private static func client(of number: Int, among count: Int) -> Int {
        let mixed = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 33) % count
    }

    /// Returns the network of one client.
    ///
    /// The hosts answer within about 20 ms, so a silent connection counts for 50 ms if other calls wait.
    private func transport(in world: SimulatedWorld) -> Service<HTTPRequest, HTTPResponse> {
        let send: Service<HTTPRequest, HTTPResponse> = world.fleet.send
        guard let connections else { return send }
        return Middleware.connections(
            connections, silentAfter: .milliseconds(50), in: world)(send)
    }
}

extension ShippedTrial.Fault {
    fileprivate func begin(_ host: SimulatedHost) {
        switch self {
        case .losesMessages: host.settings.lossRate = 1
        case .hangs: host.pause(for: .seconds(30))
        case .slow: host.slow(by: 10)
        case .refuses: host.stop()
        case .fails: host.settings.answer = { _ in HTTPResponse(status: 500) }
        case .asksForWait: host.answer(429)
        case .isAway: host.answer(503)
        }
    }

    fileprivate func end(_ host: SimulatedHost) {
        switch self {
        case .losesMessages: host.settings.lossRate = 0
        case .hangs: break
        case .slow: host.slow(by: 1)
        case .refuses: host.start()
        case .fails, .asksForWait, .isAway: host.settings.answer = nil
        }
    }
}

extension SimulatedHost {
    fileprivate func answer(_ status: Int) {
        settings.answer = { _ in HTTPResponse(status: status, headers: ["Retry-After": "10"]) }
    }
}

/// The end of a call: when it began, how long it took, in seconds, and whether it succeeded.
struct CallEnd: Sendable {
    let start: Double
    let time: Double
    let isSuccess: Bool
}

/// What became of the calls that were made during a fault.
struct ShippedOutcome: Sendable {
    /// The share of all calls that succeeded within each of ``ShippedTrial/limits``.
    let within: [Double]
    /// Requests sent for each call.
    let sent: Double
    /// The seconds from the end of the fault to the end of the last second with a call that failed.
    let recovery: Int

    init(of run: SimulationRun, _ ends: [CallEnd]) {
        let fault = ShippedTrial.faultTime
        let offered = Double(max(1, run.offered(in: fault)))
        let good = ends.filter { $0.isSuccess && fault.contains($0.start) }
        within = ShippedTrial.limits.map { limit in
            Double(good.count { $0.time <= limit }) / offered
        }
        sent = run.amplification(in: fault)
        let last = ends.filter { !$0.isSuccess && $0.start >= fault.upperBound }.map(\.start).max()
        recovery = last.map { Int(($0 - fault.upperBound).rounded(.up)) } ?? 0
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}

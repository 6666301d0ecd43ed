import PledgeFutures
import PledgeServices
import PledgeSimulation

/// Requests that each call many servers and wait for all of them.
///
/// A server answers in 10 ms, and one call in 100, in 1,000 or in 10,000 takes more than a second (Dean and Barroso,
/// "The Tail at Scale", Communications of the ACM 56 (2), 2013).
struct FanOut {
    /// The number of servers that a request calls.
    let servers: Int
    /// The share of calls that are slow.
    let slowShare: Double
    /// The number of requests.
    let requests: Int

    /// The share of requests that take more than a second, if calls are independent.
    var expected: Double {
        var allFast = 1.0
        for _ in 0..<servers { allFast *= 1 - slowShare }
        return 1 - allFast
    }

    /// Returns the share of requests that took more than a second in a run.
    func slowRequests(_ settings: ScenarioSettings) -> Double {
        // A call gets a worker at once, so nothing waits in a queue.
        var server = HostSettings(
            serviceTime: .bimodal(
                .milliseconds(10), .milliseconds(1_010), shareOfSecond: slowShare))
        server.workers = .max
        let scenario = Scenario(
            hosts: servers, each: server, arrivals: .even(rate: 10),
            duration: .milliseconds(100 * requests + 50))
        let slow = Locked(0)
        let servers = servers
        _ = settings.run(scenario) { world in
            { request in
                let start = world.scheduler.now
                let calls = (0..<servers).map {
                    world.fleet.send(SimulatedRequest(number: request.number, host: $0))
                }
                return Future.all(calls).onSuccess { _ in
                    if start.duration(to: world.scheduler.now) > .seconds(1) {
                        slow.withLock { $0 += 1 }
                    }
                }
            }
        }
        return Double(slow.withLock { $0 }) / Double(requests)
    }
}

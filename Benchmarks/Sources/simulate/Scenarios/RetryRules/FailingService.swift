import PledgeServices
import PledgeSimulation

/// A service that fails a share of its calls at any load, and 100 clients with ten calls per second each.
///
/// (Brooker 2022, "Simulating performance".)
struct FailingService {
    /// The share of calls that fail.
    let failureRate: Double
    /// The time during which calls are made, in seconds.
    ///
    /// Only calls in the last half are counted.
    let duration: Int
    private static let clients = 100
    private static let rate = 1_000.0

    /// Returns the number of calls to the service per call made, and the share of calls that succeeded.
    func outcome(
        of rule: RetryRule, _ settings: ScenarioSettings
    ) -> (load: Double, successRate: Double) {
        var service = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        service.workers = .max
        service.failureRate = failureRate
        let scenario = Scenario(
            hosts: [service], arrivals: .poisson(rate: Self.rate), duration: .seconds(duration))
        let run = settings.run(scenario) { world in
            let clients = (0..<Self.clients).map { _ in
                stack(rule.make(world), over: world.fleet.send)
            }
            return { request in clients[request.number % Self.clients](request) }
        }
        let secondHalf = Double(duration / 2)..<Double(duration)
        return (run.amplification(in: secondHalf), run.goodput(in: secondHalf))
    }
}

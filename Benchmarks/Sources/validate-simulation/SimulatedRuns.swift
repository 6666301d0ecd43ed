import Pledge
import PledgeSimulation

extension ServerLoad {
    /// Simulates the load, with the seeds 1 to 10.
    ///
    /// - Parameter latency: The time that a message takes each way, in seconds.
    func simulate(_ arrivals: ArrivalTimes, latency: Double) -> [Outcome] {
        var host = HostSettings(serviceTime: serviceTimes.distribution)
        host.workers = workers
        host.queueLimit = queueLimit
        host.latency = .constant(.seconds(max(latency, 0)))
        let scenario = Scenario(
            hosts: [host], arrivals: .recorded(arrivals.seconds.map { .seconds($0) }),
            duration: .seconds(duration))
        return (1...10).map { seed in
            Outcome(
                scenario.run(seed: seed) { world in
                    let client = client(
                        base: Fleet.base, over: world.fleet.send, on: world.scheduler,
                        random: world.random)
                    return { call in client.networking(Endpoint(path: "/products/\(call.number)")) }
                })
        }
    }
}

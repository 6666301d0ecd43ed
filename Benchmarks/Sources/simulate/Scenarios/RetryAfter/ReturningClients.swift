import PledgeServices
import PledgeSimulation

/// Clients that all call a host in the same tenth of a second.
///
/// The host tells all of them to come back after the same time.
struct ReturningClients {
    var clients = 1_000
    /// The time in Retry-After.
    var retryAfter = Duration.seconds(10)
    /// The length of the stretches for counting calls.
    private static let stretch = Duration.milliseconds(100)

    /// The findings of a run.
    struct Outcome {
        let run: SimulationRun
        /// The largest number of calls that came back in a tenth of a second.
        let peak: Int
        /// The largest number of calls that came back in a second.
        let peakOfSecond: Int
        /// Calls in each tenth of a second.
        let counts: [Int]
    }

    func outcome(of rule: ReturnRule, _ settings: ScenarioSettings) -> Outcome {
        // Ten workers handle a tenth of the calls in a second. A twentieth of the calls may wait in the queue.
        var host = HostSettings(
            serviceTime: .constant(.nanoseconds(100_000_000_000 / Int64(clients))))
        host.workers = 10
        host.queueLimit = clients / 20
        host.retryAfter = retryAfter
        let tally = CallTally(each: Self.stretch)
        var scenario = Scenario(
            hosts: [host], arrivals: .even(rate: Double(clients) * 10), duration: Self.stretch)
        scenario.drainTime = .seconds(3_600)
        let run = settings.run(scenario) { world in
            let service = stack(
                rule.make(world, retryAfter),
                over: { request in
                    tally.add(at: world.scheduler.now)
                    return world.fleet.send(request)
                })
            return service
        }
        let counts = tally.all
        return Outcome(
            run: run, peak: tally.peak(from: 2),
            peakOfSecond: counts.indices.dropFirst(2)
                .map { counts[$0..<min($0 + 10, counts.count)].reduce(0, +) }.max() ?? 0,
            counts: counts)
    }
}

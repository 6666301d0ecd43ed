import Foundation
import Pledge
import PledgeSimulation

/// A server, the calls to it, and the client that makes them.
///
/// The measurement over sockets and the simulation use the same load.
struct ServerLoad {
    let name: String
    let workers: Int
    var queueLimit = Int.max
    let serviceTimes: ServiceTimes
    /// The share of the workers' time that the calls would need if each were sent once.
    let utilisation: Double
    /// The time during which calls are made, in seconds.
    let duration: Double
    /// Fills the client's slots.
    let configure: @Sendable (inout HTTPClient) -> Void

    /// Calls per second.
    var rate: Double { utilisation * Double(workers) / serviceTimes.distribution.meanInSeconds }

    /// Creates the client, over sockets or in the simulation.
    ///
    /// Only these arguments differ between the two.
    func client(
        base: URL, over send: @escaping HTTPService, on scheduler: any FutureScheduler,
        random: RandomSource
    ) -> HTTPClient {
        var client = HTTPClient(base: base, over: send)
        client.scheduler = scheduler
        client.random = random
        configure(&client)
        return client
    }

    static let all = [
        ServerLoad(
            name: "half load", workers: 8, serviceTimes: .pareto(minimum: 0.02, shape: 3),
            utilisation: 0.5, duration: 30
        ) { _ in },
        ServerLoad(
            name: "high load, timeouts and retries", workers: 16, queueLimit: 32,
            serviceTimes: .pareto(minimum: 0.02, shape: 3), utilisation: 0.8, duration: 40
        ) { client in
            client.attemptTimeout = .milliseconds(80)
            client.retry = Retry(
                attempts: 3, backoff: .fullJitter(base: .milliseconds(50)))
        },
        ServerLoad(
            name: "slow calls, hedged", workers: 16,
            serviceTimes: .pareto(minimum: 0.02, shape: 2.5), utilisation: 0.4, duration: 30
        ) { client in
            client.hedge = .perOrigin(Hedge(after: .milliseconds(60), maxExtraLoad: 0.1))
        },
        ServerLoad(
            name: "overload, short queue, retries, bulkhead", workers: 8, queueLimit: 16,
            serviceTimes: .uniform(0.02, 0.06), utilisation: 1.2, duration: 30
        ) { client in
            client.bulkhead = .perOrigin(Bulkhead(limit: 28))
        },
    ]
}

import Foundation
import Pledge

/// The real world: the system's clock, threads, sockets, and the default transport.
struct SocketWorld {
    private let transport: any HTTPTransport
    private let seed: UInt64

    /// Creates a default transport.
    ///
    /// - Parameters:
    ///   - seed: The seed of the service times and the client's random choices.
    ///   - connections: The largest number of connections. A simulated network has no such limit.
    init(seed: UInt64, connections: Int = 1_000) {
        self.seed = seed
        #if os(Linux)
        let limits = CurlTransport.Configuration(maxConnectionsPerHost: connections)
        transport = try! CurlTransport(limits)
        #else
        let limits = SessionTransport.Configuration(maxConnectionsPerHost: connections)
        transport = SessionTransport(limits)
        #endif
    }

    /// Measures a load.
    ///
    /// - Returns: The outcome, and the 99th percentile of the delays of the calls' starts, in seconds.
    func measure(_ load: ServerLoad, _ arrivals: ArrivalTimes) -> (outcome: Outcome, delay: Double)
    {
        var generator = SeededGenerator(seed: seed &+ 1)
        let server = SocketServer(
            workers: load.workers, queueLimit: load.queueLimit,
            times: (0..<100_000).map { _ in load.serviceTimes.draw(&generator) })
        let client = client(of: load, server)
        let (times, delay) = OpenLoop.run(arrivals) { number in
            client.networking(Endpoint(path: "/products/\(number)"))
        }
        let calls = arrivals.seconds.count
        return (Outcome(times: times, calls: calls, requests: server.received), delay)
    }

    /// Returns the time that a call takes beyond its service time if it never waits.
    ///
    /// It is the median of 100 calls, in seconds.
    func overhead() -> Double {
        let service = 0.02
        let idle = ServerLoad(
            name: "idle", workers: 8, serviceTimes: .uniform(service, service), utilisation: 0,
            duration: 0
        ) { _ in }
        let server = SocketServer(workers: 8, queueLimit: .max, times: [service])
        let client = client(of: idle, server)
        let (times, _) = OpenLoop.run(.even(every: 0.025, count: 100)) { _ in
            client.networking(Endpoint(path: "/"))
        }
        guard let median = times.sorted().percentile(50) else {
            fatalError("no call to \(server.base) succeeds")
        }
        return median - service
    }

    private func client(of load: ServerLoad, _ server: SocketServer) -> HTTPClient {
        load.client(
            base: server.base, over: transport.send, on: LiveScheduler.live,
            random: .seeded(seed &+ 2))
    }
}

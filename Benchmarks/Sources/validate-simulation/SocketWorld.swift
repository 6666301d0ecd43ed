import Foundation
import Pledge

/// The world of sockets: the system's clock, threads, and the default transport.
struct SocketWorld {
    private let transport = SocketWorld.makeTransport()
    private let seed: UInt64

    init(seed: UInt64) { self.seed = seed }

    /// Measures a load.
    ///
    /// - Returns: What was measured; and by how much 99 of 100 calls were made late at most, in seconds.
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

    /// What a call takes beyond its service time where it never waits: the median of 200 calls, in seconds.
    func overhead() -> Double {
        let service = 0.02
        let idle = ServerLoad(
            name: "idle", workers: 8, serviceTimes: .uniform(service, service), utilisation: 0,
            duration: 0
        ) { _ in }
        let server = SocketServer(workers: 8, queueLimit: .max, times: [service])
        let client = client(of: idle, server)
        let (times, _) = OpenLoop.run(.even(every: 0.025, count: 200)) { _ in
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

    /// The default transport without its limit on connections to a host, which a simulated network does not have.
    private static func makeTransport() -> any HTTPTransport {
        switch DefaultTransport.ofThisSystem {
        case .curl: try! CurlTransport(CurlTransport.Configuration(maxConnectionsPerHost: 1_000))
        case .urlsession:
            SessionTransport(SessionTransport.Configuration(maxConnectionsPerHost: 1_000))
        }
    }
}

import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A host that can handle 300 calls per second, with callers that each wait for one second.
struct OverloadedHost {
    /// The load, as a multiple of what the host can handle.
    let load: Double
    /// The time during which calls are made, in seconds.
    ///
    /// Only calls in the last three quarters are counted.
    let duration: Int
    static let capacity = 300.0

    func run(_ order: WaitingOrder, _ settings: ScenarioSettings) -> SimulationRun {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        host.workers = 3
        order.change(&host)
        let scenario = Scenario(
            hosts: [host], arrivals: .poisson(rate: Self.capacity * load),
            duration: .seconds(duration))
        return settings.run(scenario) { world in
            if order.isAdaptive { follow(world) }
            return stack(.deadline(.seconds(1), on: world.scheduler), over: world.fleet.send)
        }
    }

    /// Checks the queue every 10 ms.
    ///
    /// The last call goes first while more calls wait than the host handles in 100 ms.
    private func follow(_ world: SimulatedWorld) {
        let host = world.fleet.host(0)
        host.settings.queueOrder =
            host.callsWaiting > Int(Self.capacity * 0.1) ? .lastInFirstOut : .firstInFirstOut
        if world.scheduler.now.offset < .seconds(duration) {
            world.scheduler.schedule(after: .milliseconds(10)) { follow(world) }
        }
    }

    /// The time during which calls are counted.
    var countedTime: ClosedRange<Double> { Double(duration) / 4...Double(duration) }
}

/// The order of a host's waiting calls, and the calls that it refuses to begin.
struct WaitingOrder: Sendable {
    let name: String
    /// True if the order changes with the length of the queue.
    var isAdaptive = false
    var change: @Sendable (inout HostSettings) -> Void = { _ in }
}

extension WaitingOrder {
    static let all: [WaitingOrder] = [
        WaitingOrder(name: "first in, first out"),
        WaitingOrder(name: "last in, first out") { $0.queueOrder = .lastInFirstOut },
        WaitingOrder(name: "adaptive", isAdaptive: true),
        WaitingOrder(name: "first, knows deadlines") { $0.knowsDeadlines = true },
        WaitingOrder(name: "first, 100 wait") { $0.queueLimit = 100 },
        WaitingOrder(name: "last, knows deadlines") {
            $0.queueOrder = .lastInFirstOut
            $0.knowsDeadlines = true
        },
    ]
}

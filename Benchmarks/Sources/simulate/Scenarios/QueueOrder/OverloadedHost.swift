import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A host of 300 calls a second whose callers wait for a second each.
struct OverloadedHost {
    /// Calls a second for each that it can do.
    let load: Double
    /// How long calls are made, in seconds; those of the last three quarters are counted.
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

    /// Looks at the queue every ten milliseconds: the last call is first while the queue does not get empty.
    private func follow(_ world: SimulatedWorld) {
        let host = world.fleet.host(0)
        host.settings.queueOrder =
            host.callsWaiting > Int(Self.capacity * 0.1) ? .lastInFirstOut : .firstInFirstOut
        if world.scheduler.now.offset < .seconds(duration) {
            world.scheduler.schedule(after: .milliseconds(10)) { follow(world) }
        }
    }

    /// When calls are counted.
    var countedTime: ClosedRange<Double> { Double(duration) / 4...Double(duration) }
}

/// In which order the calls that wait at a host are begun, and which of them are not.
struct WaitingOrder: Sendable {
    let name: String
    /// Whether the order changes with the queue's length.
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

import Foundation
import PledgeAdmission
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import PledgeSimulation

extension Case {
    /// A call of a simulation.
    ///
    /// Calls arrive by a Poisson process. One of four workers of one of ten hosts takes an exponentially distributed
    /// time for each.
    static let simulatedCall = Case(
        name: "simulated call",
        counted: 20_000,
        ways: [
            Way("Pledge") { count in simulate(count) { $0.fleet.send } },
            Way("through 5 policies") { count in simulate(count, fivePolicies) },
            Way("through HTTPClient") { count in simulate(count, httpClient) },
            Way("heap of closures") { count in HeapOfClosures().simulate(count) },
        ]
    )
}

private let ratePerSecond = 3_000.0
private let hostCount = 10
private let workerCount = 4

private func simulate<Output: Sendable>(
    _ count: Int, _ makeService: (SimulatedWorld) -> Service<SimulatedRequest, Output>
) {
    var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
    host.workers = workerCount
    let scenario = Scenario(
        hosts: hostCount, each: host, arrivals: .poisson(rate: ratePerSecond),
        duration: .seconds(Double(count) / ratePerSecond))
    keep(scenario.run(makeService).callCount)
}

@Sendable
private func fivePolicies(_ world: SimulatedWorld) -> Service<SimulatedRequest, SimulatedResponse> {
    let breaker = CircuitBreaker(on: world.scheduler, random: world.random)
    return stack(
        .deadline(.seconds(2), on: world.scheduler),
        .bulkhead(sharing: Bulkhead(limit: 200, queue: 0, leaseTime: nil, on: world.scheduler)),
        .retry(on: world.scheduler, random: world.random),
        .circuitBreaker(sharing: breaker),
        .timeout(.milliseconds(500), on: world.scheduler),
        over: world.fleet.send)
}

@Sendable
private func httpClient(_ world: SimulatedWorld) -> Service<SimulatedRequest, HTTPResponse> {
    var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
    client.scheduler = world.scheduler
    client.random = world.random
    let send = client.futures.send
    let request = HTTPRequest(.get, Fleet.base.appending(path: "products/1"))
    return { _ in send(request) }
}

/// The model of the simulated call, written by hand: a heap of closures, without futures, cancellation or statistics.
private final class HeapOfClosures {
    private typealias Entry = (time: Double, action: () -> Void)

    private var entries: [Entry] = []
    private var now = 0.0
    private var generator = SeededGenerator(seed: 1)
    private var busy = Array(repeating: 0, count: hostCount)
    private var waiting = Array(repeating: [Double](), count: hostCount)
    private var ended: [Double] = []

    func simulate(_ count: Int) {
        arrive(0, of: count)
        while let first = entries.first {
            removeFirst()
            now = first.time
            first.action()
        }
        keep(ended.count)
    }

    private func arrive(_ number: Int, of count: Int) {
        if number == count { return }
        add(after: exponential(1 / ratePerSecond)) { [self] in
            arrive(number + 1, of: count)
            let host = number % hostCount
            if busy[host] == workerCount { return waiting[host].append(now) }
            work(host, since: now)
        }
    }

    private func work(_ host: Int, since begin: Double) {
        busy[host] += 1
        add(after: exponential(0.01)) { [self] in
            ended.append(now - begin)
            busy[host] -= 1
            if !waiting[host].isEmpty { work(host, since: waiting[host].removeFirst()) }
        }
    }

    private func exponential(_ mean: Double) -> Double {
        -mean * log((Double(generator.next() >> 11) + 0.5) * 0x1p-53)
    }

    private func add(after delay: Double, _ action: @escaping () -> Void) {
        entries.append((now + delay, action))
        var index = entries.count - 1
        while index > 0, entries[index].time < entries[(index - 1) / 2].time {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in 2 * index + 1...2 * index + 2
            where child < entries.count && entries[child].time < entries[least].time {
                least = child
            }
            if least == index { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}

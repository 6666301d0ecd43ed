import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeSimulation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

private final class Numbered: SimulatedEvent {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@Suite struct EventQueueTests {
    /// Against a sorted array.
    @Test func eventsComeInOrderAndThoseOfOneInstantAsTheyWereAdded() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let queue = EventQueue()
            var now: Nanoseconds = 0
            var events: [Numbered] = []
            var expected: [(instant: Nanoseconds, number: Int)] = []
            func takeOne() {
                let taken = queue.next(from: now, until: .max)
                let first = expected.min { ($0.instant, $0.number) < ($1.instant, $1.number) }
                #expect(taken?.instant == first?.instant)
                #expect((taken?.event as? Numbered)?.number == first?.number)
                now = taken?.instant ?? now
                expected.removeAll { $0.number == first?.number }
            }
            for number in 0..<Int(generator.next() % 200) {
                if generator.next() % 4 == 0 { takeOne() }
                let isStep = generator.next() % 2 == 0
                let instant = isStep ? now : now + Nanoseconds(generator.next() % 20)
                let event = Numbered(number)
                if isStep {
                    queue.addNow(event)
                } else {
                    queue.add(event, at: instant)
                    events.append(event)
                }
                expected.append((instant, number))
            }
            if generator.next() % 3 == 0 {
                // Those that were taken already are in no queue, and nothing happens.
                for event in events where event.number % 2 == 0 {
                    queue.remove(event)
                    expected.removeAll { $0.number == event.number }
                }
            }
            while !expected.isEmpty { takeOne() }
            #expect(queue.isEmpty)
        }
    }

    @Test func anEventAfterTheEndStays() {
        let queue = EventQueue()
        queue.add(Numbered(1), at: 10)
        #expect(queue.next(from: 0, until: 9) == nil)
        #expect(!queue.isEmpty)
        #expect(queue.next(from: 0, until: 10)?.instant == 10)
    }

    @Test func aQueueReleasesWhatIsLeft() {
        weak var event: Numbered?
        do {
            let queue = EventQueue()
            let kept = Numbered(1)
            event = kept
            queue.add(kept, at: 1)
        }
        #expect(event == nil)
    }
}

/// A stack with async functions runs in the simulation.
@Suite(.oneAtATime) struct SimulationSchedulerTasksTests {
    typealias Load = @Sendable (SimulatedRequest) async throws -> Int

    /// Hosts that fail, refuse and are slow, of which one is down for a while.
    private func scenario(duration: Duration = .seconds(5)) -> Scenario {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))
        host.latency = .logNormal(median: .milliseconds(2), sigma: 0.5)
        host.failureRate = 0.03
        host.queueLimit = 10
        host.finishesAbandonedCalls = false
        var scenario = Scenario(
            hosts: 3, each: host, arrivals: .poisson(rate: 60), duration: duration)
        scenario.add(.stop(host: 1, from: .seconds(1), to: .seconds(2)))
        return scenario
    }

    /// Counts calls, and loads through itself.
    private actor Counter {
        private let world: SimulatedWorld
        private var count = 0

        init(_ world: SimulatedWorld) { self.world = world }

        func load(_ request: SimulatedRequest) async throws -> Int {
            count += 1
            let number = count
            let host = try await world.fleet.send(request).value.host
            return host + number + count
        }
    }

    private static let services: [(name: String, make: @Sendable (SimulatedWorld) -> Load)] = [
        (
            "async let",
            { world in
                { call in
                    async let first = world.fleet.send(call).value.host
                    async let second = world.fleet.send(call).value.host
                    return try await first * 10 + second
                }
            }
        ),
        (
            "a task group",
            { world in
                { call in
                    try await withThrowingTaskGroup(of: Int.self) { group in
                        for number in 0..<3 {
                            group.addTask {
                                try await Task.sleep(
                                    for: .milliseconds(number), clock: world.scheduler.clock)
                                return try await world.fleet.send(call).value.host
                            }
                        }
                        var hosts = 0
                        for try await host in group { hosts = hosts * 10 + host }
                        return hosts
                    }
                }
            }
        ),
        (
            "an actor",
            { world in
                let counter = Counter(world)
                return { call in
                    async let first = counter.load(call)
                    async let second = counter.load(call)
                    return try await first * 10 + second
                }
            }
        ),
        (
            "a task with the scheduler as its executor",
            { world in
                { call in
                    let task = Task(executorPreference: world.scheduler) {
                        await Task.yield()
                        return try await world.fleet.send(call).value.host
                    }
                    return try await task.value
                }
            }
        ),
    ]

    private static let hashes: [UInt64] = [
        2_003_101_457_780_135_785, 13_453_000_414_154_058_806, 7_719_016_630_827_897_914,
        2_709_343_685_677_873_920,
    ]

    /// The run, and what the service logs: when which step of which call came.
    private func run(_ make: (SimulatedWorld) -> Load, seed: UInt64) -> (
        run: SimulationRun, log: [String]
    ) {
        let log = TestLog<String>()
        let run = scenario().run(seed: seed) { world in
            let load = make(world)
            return { call in
                Future {
                    log.append("\(call.number) begins at \(world.scheduler.now)")
                    do {
                        let result = try await load(call)
                        log.append("\(call.number) got \(result) at \(world.scheduler.now)")
                        return result
                    } catch {
                        log.append("\(call.number) failed at \(world.scheduler.now): \(error)")
                        throw error
                    }
                }
            }
        }
        return (run, log.elements)
    }

    @Test(arguments: 0..<4) func equalSeedsGiveEqualLogs(_ index: Int) {
        let make = Self.services[index].make
        let first = run(make, seed: 1)
        #expect(first.run.error == nil && first.run.unfinishedCalls == 0)
        #expect(first.run.callCount > 200 && first.log.count == 2 * first.run.callCount)
        #expect(first.run.goodput > 0.5 && first.run.goodput < 1)
        let second = run(make, seed: 1)
        #expect(first.log == second.log && first.run.digest == second.run.digest)
        #expect(first.log != run(make, seed: 2).log)
        // The same in each build, on each machine; a change of the simulator may change it.
        #expect(ReportedRuns.hash(of: first.log.joined(separator: "\n")) == Self.hashes[index])
    }

    @Test func equalSeedsGiveEqualLogsOnABusyMachine() async {
        let make = Self.services[2].make
        let log = run(make, seed: 1).log
        await withTaskGroup(of: [String].self) { group in
            for priority in [TaskPriority.low, .medium, .high] {
                group.addTask(priority: priority) { run(make, seed: 1).log }
            }
            for await found in group { #expect(found == log) }
        }
    }

    @Test func anAsyncServiceIsAsGoodAsItsFutures() {
        func figures(_ make: (SimulatedWorld) -> Service<SimulatedRequest, Int>) -> [String] {
            let run = scenario(duration: .seconds(20)).run(seed: 3) { world in
                stack(.timeout(.milliseconds(150), on: world.scheduler), over: make(world))
            }
            #expect(run.error == nil)
            let hosts = run.hosts.map {
                "\($0.received) \($0.finished) \($0.wasted) \($0.meanTime)"
            }
            return hosts + [
                "\(run.goodput) \(run.amplification) \(run.failures)",
                "\([50, 90, 99, 100].map { run.latency($0) })",
            ]
        }
        let futures = figures { world in
            { call in
                world.fleet.send(call).flatMap { first in
                    world.fleet.send(call).map { first.host * 10 + $0.host }
                }
            }
        }
        let functions = figures { world in
            { call in
                Future {
                    let first = try await world.fleet.send(call).value
                    let second = try await world.fleet.send(call).value
                    return first.host * 10 + second.host
                }
            }
        }
        #expect(futures == functions)
        #expect(futures[3].contains("ServiceError.timedOut"))
    }

    @Test func anAppsClientIsAsGoodWithAwait() {
        func figures(_ call: @escaping @Sendable (HTTPClient, Int) -> Future<Data>) -> String {
            let run = scenario().run(seed: 4) { world in
                var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
                client.scheduler = world.scheduler
                client.random = world.random
                client.attemptTimeout = .milliseconds(200)
                let made = client
                return { call(made, $0.number) }
            }
            #expect(run.error == nil)
            return "\(run.goodput) \(run.amplification) \([50, 99].map { run.latency($0) })"
        }
        let futures = figures { $0.networking(Endpoint(path: "/\($1)")) }
        let functions = figures { client, number in
            Future { try await client.networking(Endpoint(path: "/\(number)")).value }
        }
        #expect(futures == functions)
    }

    @Test func tasksEndAfterTheRun() {
        var host = HostSettings(serviceTime: .constant(.milliseconds(10)))
        host.lossRate = 1
        let scenario = Scenario(hosts: [host], arrivals: .even(rate: 1), duration: .seconds(4))
        let ended = TestLog<String>()
        weak var scheduler: SimulationScheduler?
        let run = scenario.run { world in
            scheduler = world.scheduler
            // One that is asleep when the run ends.
            let heart = Future {
                defer { ended.append("heart") }
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1), clock: world.scheduler.clock)
                }
            }
            return { call in
                Future {
                    _ = heart
                    defer { ended.append("\(call.number)") }
                    while !Task.isCancelled { _ = try? await world.fleet.send(call).value }
                }
            }
        }
        #expect(run.callCount == 3 && run.unfinishedCalls == 3)
        #expect(ended.elements.sorted() == ["0", "1", "2", "heart"])
        #expect(scheduler == nil)
    }
}

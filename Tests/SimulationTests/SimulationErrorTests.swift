import Foundation
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPCaching
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

/// What leaves the simulation fails the run, at once and in words.
@Suite(.oneAtATime) struct SimulationErrorTests {
    private static let host = HostSettings(serviceTime: .constant(.milliseconds(10)))

    private let scenario = Scenario(
        hosts: [Self.host], arrivals: .even(rate: 10), duration: .seconds(1))

    /// Ways out, of which each call takes one before it calls the fleet.
    ///
    /// They take a while, since what has ended before it is awaited suspends no task, and leaves no trace.
    private static let waysOut: [(name: String, leave: @Sendable () async throws -> Void)] = [
        ("Task { }", { try await Task { try await aWhile() }.value }),
        ("Task.detached", { try await Task.detached { try await aWhile() }.value }),
        // Longer than any test may take: nothing waits for it.
        ("Task.sleep", { try await Task.sleep(for: .seconds(3_600)) }),
        ("a short Task.sleep", { try await aWhile() }),
        ("@MainActor", { await onMainActor() }),
    ]

    private static func aWhile() async throws { try await Task.sleep(for: .milliseconds(2)) }

    @MainActor private static func onMainActor() {}

    @Test(arguments: 0..<5) func aWayOutFailsTheRun(_ index: Int) throws {
        let leave = Self.waysOut[index].leave
        let run = scenario.run { world in
            { call in
                Future {
                    try await leave()
                    return try await world.fleet.send(call).value
                }
            }
        }
        let error = try #require(run.escape)
        // The other thread is late, or comes while calls are made.
        #expect(error.code == .neverEnds || error.code == .taskOnAnotherThread)
        #expect(run.unfinishedCalls > 0)
        let text = "\(error)"
        for word in ["Task { }", "Task.detached", "Task.sleep(for:)", "@MainActor"] {
            #expect(text.contains("`\(word)`"))
        }
        #expect(text.contains("write `Future { }`") && text.contains("world.scheduler.clock"))
        #expect(run.table().hasPrefix("INVALID: ") && run.table().contains(text))
        #expect(run.json().contains("\"warning\": \"INVALID: "))
    }

    @Test func aCallOnAnotherThreadFails() throws {
        let errors = TestLog<SimulationError?>()
        let run = scenario.run { world in
            { call in
                onThreads(1) { _ in
                    world.fleet.send(call).observe { result in
                        if case .failure(let error) = result {
                            errors.append(error as? SimulationError)
                        }
                    }
                }
                return world.fleet.send(call)
            }
        }
        let error = try #require(run.escape)
        #expect(error.code == .callOnAnotherThread)
        #expect("\(error)".hasPrefix("the fleet was called on another thread. "))
        #expect(errors.elements == Array(repeating: error, count: 9))
        #expect(run.escapedActions == 9 && run.goodput == 1)
    }

    @Test func aTimerOnAnotherThreadFailsTheRun() throws {
        let run = scenario.run { world in
            { call in
                let timer = world.scheduler.schedule(after: .seconds(1)) {}
                onThreads(1) { _ in timer.cancel() }
                return world.fleet.send(call)
            }
        }
        #expect(run.escape?.code == .actionOnAnotherThread && run.escapedActions == 9)
    }

    @Test func anEndOnAnotherThreadFailsTheRun() throws {
        let run = scenario.run { world in
            { call in
                let promise = Promise<Int>()
                world.scheduler.schedule(after: .milliseconds(1)) {
                    onThreads(1) { _ in promise.resolve(with: call.number) }
                }
                return promise
            }
        }
        let error = try #require(run.escape)
        #expect(error.code == .endOnAnotherThread && error.call == 0)
        #expect("\(error)".hasPrefix("call 0 ended, or was given up, on another thread. "))
    }

    private let forgotten = Promise<Int>()

    /// Its call 3 waits for a promise that nobody settles.
    private func forgetful(_ world: SimulatedWorld) -> Service<SimulatedRequest, Int> {
        { [forgotten] call in
            Future {
                if call.number == 3 {
                    return try await forgotten.value
                }
                return try await world.fleet.send(call).value.host
            }
        }
    }

    @Test func aCallThatNeverEndsFailsTheRunByItsName() throws {
        let run = scenario.run(forgetful)
        let error = try #require(run.escape)
        #expect(error.code == .neverEnds && error.call == 3)
        #expect("\(error)".hasPrefix("call 3 has not ended, and nothing is left to happen"))
        #expect(run.unfinishedCalls == 1 && run.escapedActions == 0)
        let warning = "INVALID: 1 call has not ended, and nothing is left to happen.\n\(error)\n"
        #expect(run.table().hasPrefix(warning))
    }

    @Test func aCallThatNeverEndsFailsASwarm() throws {
        let result = scenario.swarm(seeds: 1...5) {
            forgetful($0)
        } expecting: { _ in
            nil
        }
        let failure = try #require(result.failure)
        #expect(failure.found.text.hasPrefix("call 3 has not ended"))
        #expect(failure.isReproducible && failure.least.run.callCount == 4)
        let judged = scenario.swarm(seeds: 1...1) {
            forgetful($0)
        } expecting: {
            $0.unfinishedCalls > 0 ? "a call is out" : nil
        }
        #expect(judged.failure?.found.text == "a call is out")
    }

    @Test func aLostMessageIsNoError() {
        var scenario = scenario
        scenario.hosts[0].lossRate = 0.5
        let run = scenario.run(seed: 2) { world in
            { call in Future { try await world.fleet.send(call).value } }
        }
        #expect(run.error == nil && run.unfinishedCalls > 0 && run.unfinishedCalls < 9)
    }

    @Test func lostMessagesDoNotHideACallThatNeverEnds() throws {
        var scenario = scenario
        scenario.hosts[0].lossRate = 0.5
        let never = Promise<Void>()
        let run = scenario.run(seed: 2) { world in
            { call in
                Future {
                    if call.number == 7 { try await never.value }
                    return try await world.fleet.send(call).value
                }
            }
        }
        #expect(run.escape?.code == .neverEnds && run.escape?.call == 7)
        #expect(run.unfinishedCalls > 1)
        withExtendedLifetime(never) {}
    }

    #if os(Linux) && compiler(>=6.3) && compiler(<6.4)
    @Test func aRealSleepIsNoticedWhenItBegins() {
        let run = scenario.run { world in
            { call in
                Future {
                    try await Task.sleep(for: .seconds(3_600))
                    return try await world.fleet.send(call).value
                }
            }
        }
        #expect(run.escape?.code == .taskOnAnotherThread)
        #expect(run.escapedActions == run.callCount)
    }
    #endif

    @Test func aHostsOwnStackMayLeaveToo() throws {
        var front = Self.host
        let never = Promise<Void>()
        front.calls { world in
            { call in
                Future {
                    try await never.value
                    return try await world.fleet.send(SimulatedRequest(number: 0, host: 1)).value
                }
            }
        }
        var scenario = scenario
        scenario.hosts = [front, Self.host]
        let run = scenario.run { world in
            { call in world.fleet.send(SimulatedRequest(number: call.number, host: 0)) }
        }
        #expect(run.escape?.code == .neverEnds && run.escape?.call == 0)
        withExtendedLifetime(never) {}
    }

    /// A run of a client, with an outage that opens its breaker.
    private func run(
        _ arrivals: Arrivals = .even(rate: 10), _ set: (inout HTTPClient, SimulatedWorld) -> Void
    ) -> SimulationRun {
        var scenario = scenario
        scenario.arrivals = arrivals
        scenario.duration = .seconds(10)
        scenario.add(.stop(host: 0, from: .seconds(2), to: .seconds(4)))
        return scenario.run { world in
            var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
            set(&client, world)
            let networking = client.networking
            return { call in networking(Endpoint(path: "/\(call.number)")) }
        }
    }

    @Test(arguments: [false, true]) func aForgottenSchedulerFailsTheRun(retries: Bool) throws {
        let run = run { client, world in
            if !retries { client.retry = nil }
            client.random = world.random
        }
        let error = try #require(run.escape)
        #expect(error.code == .liveScheduler && run.escapedActions > 0)
        #expect("\(error)".contains("Set `client.scheduler = world.scheduler`"))
        #expect(run.table().hasPrefix("INVALID: ") && run.table().contains("\(error)"))
    }

    /// Its one call begins after the outage, and nothing fails.
    @Test func aForgottenSchedulerFailsAHealthyRunToo() {
        let run = run(.closed(clients: 1, thinkTime: .constant(.seconds(6)))) { client, world in
            client.random = world.random
        }
        #expect(run.callCount == 1 && run.escape?.code == .liveScheduler)
    }

    @Test(arguments: [false, true]) func aForgottenRandomFailsTheRun(retries: Bool) throws {
        let run = run { client, world in
            if !retries { client.retry = nil }
            client.scheduler = world.scheduler
        }
        let error = try #require(run.escape)
        #expect(error.code == .systemRandom && run.escapedActions > 0)
        #expect("\(error)".contains("Set `client.random = world.random`"))
    }

    /// No part of this client draws a number or has a limit of time.
    @Test func forgottenSlotsThatNoPartUsesFailTheRunToo() {
        func bare(_ set: (inout HTTPClient, SimulatedWorld) -> Void) -> SimulationError.Code? {
            scenario.run { world in
                var client = HTTPClient(base: Fleet.base, over: world.fleet.send)
                (client.retry, client.circuitBreaker, client.bulkhead) = (nil, nil, nil)
                (client.attemptTimeout, client.deadline) = (nil, nil)
                set(&client, world)
                return { [client] call in client.networking(Endpoint(path: "/\(call.number)")) }
            }.escape?.code
        }
        #expect(bare { $0.scheduler = $1.scheduler } == .systemRandom)
        #expect(bare { $0.random = $1.random } == .liveScheduler)
        #expect(bare { ($0.scheduler, $0.random) = ($1.scheduler, $1.random) } == nil)
    }

    @Test func aPolicysOwnTimerAndChanceFailTheRun() {
        let timed = scenario.run { stack(.timeout(.seconds(1)), over: $0.fleet.send) }
        #expect(timed.escape?.code == .liveScheduler && timed.escapedActions >= 9)
        let chance = scenario.run { world in
            stack(.chaos(.failure(probability: 0.5), on: world.scheduler), over: world.fleet.send)
        }
        #expect(chance.escape?.code == .systemRandom)
    }

    @Test func aCachesOwnClockFailsTheRun() throws {
        let live = run { client, world in
            (client.scheduler, client.random) = (world.scheduler, world.random)
            client.cache = HTTPCache()
        }
        let error = try #require(live.escape)
        #expect(error.code == .liveScheduler)
        #expect("\(error)".contains("`HTTPCache(on: world.scheduler)`"))
        let simulated = run { client, world in
            (client.scheduler, client.random) = (world.scheduler, world.random)
            client.cache = HTTPCache(on: world.scheduler)
        }
        #expect(simulated.error == nil && simulated.escapedActions == 0)
    }

    @Test func whatNoFigureDependsOnIsNoError() {
        let made = TestLog<String>()
        let run = run { client, world in
            client.scheduler = world.scheduler
            client.random = world.random
            client.aroundExchange = .init(changing: { request in
                made.append("\(Date.now) \(UUID()) \(TraceContext.newTrace()) \(Multipart([]))")
                return request
            })
        }
        #expect(run.error == nil && run.escapedActions == 0 && !made.elements.isEmpty)
    }
}

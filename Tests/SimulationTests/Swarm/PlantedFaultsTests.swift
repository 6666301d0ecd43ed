import Foundation
import PledgeFutures
import PledgeSimulation
import TestSupport
import Testing

@testable import PledgeAdmission
@testable import PledgeServices

private let isWhole = ProcessInfo.processInfo.environment["PLEDGE_SIMULATIONS"] == "whole"

/// How many seeds a sound stack has to pass.
private let seedsOfSoundStacks: ClosedRange<UInt64> = 1...(isWhole ? 10_000 : 25)

/// Faults in policies that a swarm finds, and policies without a fault in which it finds nothing.
///
/// PLEDGE_SIMULATIONS=whole runs the sound stacks with 10,000 seeds. It needs a release build.
@Suite(.oneAtATime) struct PlantedFaultsTests {
    typealias Stack = @Sendable (SimulatedWorld) -> Service<SimulatedRequest, SimulatedResponse>
    typealias Expectation = @Sendable (SimulationRun) -> String?

    /// Four hosts with faults in the first half of six seconds, and 25 calls a second.
    private let scenario: Scenario = {
        let host = HostSettings(serviceTime: .exponential(mean: .milliseconds(20)))
        return Scenario(
            hosts: 4, each: host, arrivals: .poisson(rate: 25), duration: .seconds(6))
    }()

    private func faults(_ kinds: Set<RandomFaults.Kind>) -> RandomFaults {
        var faults = RandomFaults()
        faults.kinds = kinds
        faults.part = 0.1...0.5
        return faults
    }

    /// Fails unless the sound stack passes all seeds, and the faulty one fails in one of the first hundred.
    ///
    /// - Returns: The least case of the faulty stack. The sound one passes it.
    private func leastCase(
        with faults: RandomFaults, of faulty: Stack, beside sound: Stack,
        _ expectation: Expectation, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> SwarmFailure.Case {
        let passed = scenario.swarm(
            seeds: seedsOfSoundStacks, adding: faults, sound, expecting: expectation)
        #expect(passed.failure == nil, sourceLocation: sourceLocation)
        #expect(passed.runCount == seedsOfSoundStacks.count, sourceLocation: sourceLocation)
        let found = scenario.swarm(
            seeds: 1...100, adding: faults, faulty, expecting: expectation)
        let failure = try #require(found.failure, sourceLocation: sourceLocation)
        let least = failure.least
        let cured = least.scenario.run(seed: failure.seed, sound)
        #expect(expectation(cured) == nil, "\(failure)", sourceLocation: sourceLocation)
        #expect(least.scenario.hosts.count == 1, "\(failure)", sourceLocation: sourceLocation)
        return least
    }
}

// MARK: - A budget that leaks

extension PlantedFaultsTests {
    private func retried(leaking: Bool) -> Stack {
        { world in
            let budget = RetryBudget(capacity: 1, retriesPerSuccess: 0)
            let retry = Middleware<SimulatedRequest, SimulatedResponse>.retry(
                Retry(backoff: .constant(.milliseconds(20))), budget: budget, on: world.scheduler,
                random: world.random)
            let repaired = Locked(0)
            world.gauge("repaired") { Double(repaired.withLock { $0 }) }
            let leak = leak(from: budget, isLeaking: leaking)
            return retry { request in
                let isRetry = CallContext.current.attempt > 1
                return leak(world.fleet.send)(request).onSuccess { _ in
                    if isRetry { repaired.withLock { $0 += 1 } }
                }
            }
        }
    }

    private func isWithinBudget(_ run: SimulationRun) -> String? {
        let sent = run.hosts.reduce(0) { $0 + $1.received }
        // A retry that succeeds costs nothing. The faults end long before the last second, at which this is read.
        let repaired = Int(run.gauges.first?.values.last ?? 0)
        let limit = run.callCount + 1 + repaired
        return sent <= limit ? nil : "\(sent) attempts are more than \(limit)"
    }

    @Test func aBudgetThatLeaksIsFound() throws {
        let least = try leastCase(
            with: faults([.stop, .failures, .pause]), of: retried(leaking: true),
            beside: retried(leaking: false), isWithinBudget)
        #expect(least.scenario.faults.count == 1 && least.run.callCount <= 5)
    }
}

// MARK: - A breaker that never half-opens

extension PlantedFaultsTests {
    private func guarded(_ rule: TestedBreaker.Rule) -> Stack {
        { world in
            TestedBreaker(rule, openTime: .milliseconds(500), on: world.scheduler)
                .middleware(world.fleet.send)
        }
    }

    /// Few calls, of which some are refused, would not say that the stack never recovers.
    private func stillServes(_ run: SimulationRun) -> String? {
        let after = min(run.lastFaultTime + 2, run.duration)...run.duration
        if run.offered(in: after) < 5 || run.goodput(in: after) > 0 { return nil }
        return "no call succeeds any more"
    }

    @Test func aBreakerThatNeverHalfOpensIsFound() throws {
        let least = try leastCase(
            with: faults([.stop, .failures, .slow]), of: guarded(.refusalsProlong),
            beside: guarded(.sound), stillServes)
        #expect(least.scenario.faults.count == 1)
        #expect(least.run.callCount <= 15, "\(least.run.callCount)")
    }
}

// MARK: - A hedge that is not cancelled

extension PlantedFaultsTests {
    private func hedged(shielded: Bool) -> Stack {
        { world in
            let hedge = Middleware<SimulatedRequest, SimulatedResponse>.hedge(
                sharing: Hedge(after: .milliseconds(100), maxExtraLoad: 0.2, on: world.scheduler))
            return hedge { call in
                let future = world.fleet.send(call)
                return shielded ? future.shielded() : future
            }
        }
    }

    private func wastesNothing(_ run: SimulationRun) -> String? {
        let useful = run.hosts.reduce(0) { $0 + $1.finished - $1.wasted }
        return useful <= run.callCount ? nil : "more answers than calls: \(useful)"
    }

    @Test func aHedgeThatIsNotCancelledIsFound() throws {
        let least = try leastCase(
            with: faults([.slow, .pause]), of: hedged(shielded: true),
            beside: hedged(shielded: false), wastesNothing)
        // A call is slow by chance.
        #expect(least.scenario.faults.isEmpty && least.run.callCount <= 30)
    }
}

// MARK: - A bulkhead that loses a place

extension PlantedFaultsTests {
    /// Two stacks share the bulkhead: the calls of one wait for longer than those of the other.
    ///
    /// With the same timeout for all, no call is given up while it waits: those before it are given up earlier.
    private func limited(_ rule: TestedBulkhead.Rule) -> Stack {
        { world in
            let bulkhead = TestedBulkhead(rule, limit: 2, queue: 20).middleware
            let timeouts = [Duration.seconds(1), .milliseconds(200)].map { time in
                stack(.timeout(time, on: world.scheduler), bulkhead, over: world.fleet.send)
            }
            return { call in timeouts[call.number % 2](call) }
        }
    }

    @Test func aBulkheadThatLosesAPlaceIsFound() throws {
        let least = try leastCase(
            with: faults([.slow, .pause]), of: limited(.cancelledCallsStay),
            beside: limited(.sound), stillServes)
        #expect(least.scenario.faults.count == 1 && least.run.callCount <= 15)
    }
}

/// The machine of the circuit breaker, with or without a fault in what is around it.
final class TestedBreaker: Sendable {
    /// What is around the machine.
    enum Rule {
        /// The machine decides.
        case sound
        /// A refused call begins the time anew in which the breaker is open: under load it never half-opens.
        case refusalsProlong
    }

    private struct State {
        var machine: CircuitBreakerMachine
        var lastRefusal: SchedulerInstant?
    }

    private let rule: Rule
    private let openTime: Duration
    private let scheduler: SimulationScheduler
    private let state = Locked(
        State(
            machine: CircuitBreakerMachine(
                CircuitBreakerLimits(
                    failuresInARow: 3, failuresLasting: .zero, successRate: 0.8,
                    window: .seconds(30), minimumRequests: 5, slowCallRate: 1, probes: 1))))

    init(_ rule: Rule, openTime: Duration, on scheduler: SimulationScheduler) {
        self.rule = rule
        self.openTime = openTime
        self.scheduler = scheduler
    }

    var middleware: Middleware<SimulatedRequest, SimulatedResponse> {
        Middleware { [self] service in
            { [self] request in
                guard let ticket = enter() else {
                    return Future(error: ServiceError(.circuitOpen, policy: "tested"))
                }
                return service(request).onEnd { result in self.end(ticket, result) }
            }
        }
    }

    private func enter() -> Int? {
        let now = scheduler.now
        return state.withLock { state in
            if rule == .refusalsProlong, let last = state.lastRefusal,
                last.duration(to: now) < openTime
            {
                state.lastRefusal = now
                return nil
            }
            switch state.machine.admitCall(at: now) {
            case .admitted(let ticket, _):
                state.lastRefusal = nil
                return ticket
            case .refused:
                state.lastRefusal = now
                return nil
            }
        }
    }

    private func end(_ ticket: Int, _ result: Result<SimulatedResponse, any Error>) {
        let health = Classifier<SimulatedResponse>.standard(result).health
        let now = scheduler.now
        state.withLock { state in
            if case .tripped = state.machine.endCall(ticket, with: health, at: now) {
                state.machine.open(for: openTime, at: now)
            }
        }
    }
}

/// The machine of the bulkhead, with or without a fault in what is around it.
final class TestedBulkhead: Sendable {
    /// What is around the machine.
    enum Rule {
        /// A waiting call that is given up leaves the queue.
        case sound
        /// It stays in the queue: it gets a place later, which it never leaves.
        case cancelledCallsStay
    }

    private let rule: Rule
    private let machine: Locked<BulkheadMachine<Promise<Void>>>

    init(_ rule: Rule, limit: Int, queue: Int) {
        self.rule = rule
        machine = Locked(BulkheadMachine(limit: limit, queue: queue))
    }

    var middleware: Middleware<SimulatedRequest, SimulatedResponse> {
        Middleware { [self] service in
            { [self] request in
                let turn = Promise<Void>()
                switch machine.withLock({ $0.admitOrQueue(turn) }) {
                case .admitted: return callInPlace(service, request)
                case .refused: return Future(error: ServiceError(.bulkheadFull, policy: "tested"))
                case .queued(let ticket, _):
                    if rule == .sound {
                        turn.onCancel { [self] in
                            machine.withLock { $0.leave(ticket) }.next?.waiter.resolve()
                        }
                    }
                    return turn.flatMap { self.callInPlace(service, request) }
                }
            }
        }
    }

    private func callInPlace(
        _ service: Service<SimulatedRequest, SimulatedResponse>, _ request: SimulatedRequest
    ) -> Future<SimulatedResponse> {
        service(request).onEnd { _ in
            self.machine.withLock { $0.leave(BulkheadLease()) }?.waiter.resolve()
        }
    }
}

/// Beneath a retry: an attempt without a connection puts a token back into the budget.
func leak(
    from budget: RetryBudget, isLeaking: Bool
) -> Middleware<SimulatedRequest, SimulatedResponse> {
    Middleware(named: "leak") { service in
        { request in
            service(request).onFailure { error in
                if (error as? SimulatedFailure)?.code == .failed { return }
                if isLeaking { budget.refund() }
            }
        }
    }
}

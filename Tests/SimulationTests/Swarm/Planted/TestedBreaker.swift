import PledgeFutures
import PledgeSimulation
import TestSupport

@testable import PledgeServices

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
                CircuitBreakerLimits(failuresInARow: 3, successRate: 0.8))))

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
            switch state.machine.enter(at: now) {
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
            if case .tripped = state.machine.end(ticket, with: health, at: now) {
                state.machine.open(for: openTime, at: now)
            }
        }
    }
}

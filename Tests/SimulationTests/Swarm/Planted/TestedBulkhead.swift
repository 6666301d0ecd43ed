import PledgeFutures
import PledgeSimulation
import TestSupport

@testable import PledgeServices

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
                switch machine.withLock({ $0.enter(turn) }) {
                case .admitted: return callInPlace(service, request)
                case .refused: return Future(error: ServiceError(.bulkheadFull, policy: "tested"))
                case .queued(let ticket, _):
                    if rule == .sound {
                        turn.onCancel { [self] in
                            machine.withLock { $0.leave(ticket) }.next?.resolve()
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
            self.machine.withLock { $0.leave() }?.resolve()
        }
    }
}

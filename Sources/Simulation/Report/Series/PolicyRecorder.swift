import PledgeFutures
import PledgeServices

/// Records what the policies of a stack do.
final class PolicyRecorder: @unchecked Sendable {
    private struct Key: Hashable {
        let policy: String
        let name: String?
    }

    // Unchecked: `activities` belongs to the scheduler's thread, which `note` checks.
    private let scheduler: SimulationScheduler
    private var activities: [Key: SimulationRun.PolicyActivity] = [:]

    init(on scheduler: SimulationScheduler) { self.scheduler = scheduler }

    /// The same service, whose policies report to this recorder.
    func observing<Output: Sendable>(
        _ service: @escaping Service<SimulatedRequest, Output>
    ) -> Service<SimulatedRequest, Output> {
        let observer = ServiceObserver { [self] event in note(event) }
        return stack(.observed(by: observer, on: scheduler), over: service)
    }

    private func note(_ event: PolicyEvent) {
        // What happens on another thread has left the simulation, and its time means nothing.
        guard scheduler.isOnItsThread, let action = event.kind.countedAction else { return }
        let key = Key(policy: event.policy, name: event.policyName)
        activities[
            key, default: SimulationRun.PolicyActivity(policy: key.policy, name: key.name)
        ].note(action, event.kind, at: scheduler.time)
    }

    /// What was recorded, by the names of the policies.
    func finish() -> [SimulationRun.PolicyActivity] {
        activities.values.sorted {
            ($0.policy, $0.name ?? "") < ($1.policy, $1.name ?? "")
        }
    }
}

extension PolicyEvent.Kind {
    /// The word by which the action is counted; nil of what is no action of a policy.
    fileprivate var countedAction: String? {
        switch self {
        case .began, .ended, .traced, .note: nil
        case .retryWithheld(let reason): "\(word).\(reason.rawValue)"
        default: word
        }
    }
}

import PledgeFutures
import PledgeServices

extension SimulationRun {
    /// The actions of one policy of the stack during a run.
    ///
    /// Policies of the same kind are counted together if they have the same name or no name.
    public struct PolicyActivity: Sendable {
        /// The kind of policy, such as "retry" or "circuitBreaker".
        public let policy: String
        /// The name of the policy's state, such as a breaker's name; nil if it has none.
        public let name: String?
        /// The changes from state to state, in order.
        package private(set) var stateChanges: [StateChange] = []
        private var counts: [String: CountsBySecond] = [:]

        init(policy: String, name: String?) {
            self.policy = policy
            self.name = name
        }

        mutating func noteAction(_ action: String, _ kind: PolicyEvent.Kind, at time: Nanoseconds) {
            counts[action, default: CountsBySecond()].add(at: time)
            if case .stateChanged(let old, let new) = kind {
                stateChanges.append(
                    StateChange(time: time.seconds, old: old, new: new))
            }
        }
    }

    /// A change of a policy from one state to another.
    package struct StateChange: Sendable, Hashable {
        /// The time of the change, in seconds.
        package let time: Double
        /// The state before, such as "closed", "open" or "half-open".
        package let old: String
        /// The state after.
        package let new: String
    }
}

extension SimulationRun.PolicyActivity {
    /// The policy's actions with their counts, in alphabetical order.
    ///
    /// Actions are words such as "retrying", "refused", "hedged" and "retry_withheld.budget".
    public var actions: [(action: String, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.total) }
    }

    /// Returns how often the policy took an action within a range of seconds; 0 if it never did.
    public func count(of action: String, in seconds: Range<Int>) -> Int {
        counts[action]?.sum(in: seconds) ?? 0
    }

    /// How often the policy took an action in each second, up to the last one with that action.
    func counts(of action: String) -> [Int] { counts[action]?.counts ?? [] }

    var title: String { name.map { "\(policy) \($0)" } ?? policy }

    /// The policy's states over time, from second 0, each with the time at which it began.
    ///
    /// If several breakers share a name, the array has the state of the one that refuses most: for example, open if one
    /// of them is open. The array is empty if the state never changed.
    public var states: [(time: Double, state: String)] {
        guard let first = stateChanges.first else { return [] }
        var states = [(time: 0.0, state: first.old)]
        var numbers: [String: Int] = [:]
        for change in stateChanges {
            // Before a breaker's first change, its state isn't counted, so the old state's count may be zero.
            numbers[change.old] = max((numbers[change.old] ?? 0) - 1, 0)
            numbers[change.new, default: 0] += 1
            let state = numbers.filter { $0.value > 0 }
                .max { ($0.key.severity, $1.key) < ($1.key.severity, $0.key) }?.key
            guard let state, state != states.last?.state else { continue }
            if states.last?.time == change.time { states.removeLast() }
            if state != states.last?.state { states.append((change.time, state)) }
        }
        return states
    }
}

extension String {
    /// The more calls a breaker's state refuses, the higher its rank.
    fileprivate var severity: Int {
        switch self {
        case "isolated": 4
        case "open": 3
        case "half-open": 2
        case "closed": 0
        default: 1
        }
    }
}

/// Records what a stack's policies do.
final class PolicyRecorder: @unchecked Sendable {
    private struct Key: Hashable {
        let policy: String
        let name: String?
    }

    // Unchecked: `activities` belongs to the scheduler's thread, which `noteEvent` checks.
    private let scheduler: SimulationScheduler
    private var activities: [Key: SimulationRun.PolicyActivity] = [:]

    init(on scheduler: SimulationScheduler) { self.scheduler = scheduler }

    /// The same service, with policies that report to this recorder.
    func observing<Output: Sendable>(
        _ service: @escaping Service<SimulatedRequest, Output>
    ) -> Service<SimulatedRequest, Output> {
        let observer = ServiceObserver { [self] event in noteEvent(event) }
        return stack(.observed(by: observer, on: scheduler), over: service)
    }

    private func noteEvent(_ event: PolicyEvent) {
        // On another thread, an action has no defined time, so it isn't counted.
        guard scheduler.isOnItsThread, let action = event.kind.countedAction else { return }
        let key = Key(policy: event.policy, name: event.policyName)
        activities[
            key, default: SimulationRun.PolicyActivity(policy: key.policy, name: key.name)
        ].noteAction(action, event.kind, at: scheduler.time)
    }

    /// The activities, sorted by the policies' names.
    func finish() -> [SimulationRun.PolicyActivity] {
        activities.values.sorted {
            ($0.policy, $0.name ?? "") < ($1.policy, $1.name ?? "")
        }
    }
}

extension PolicyEvent.Kind {
    /// The word under which the action is counted; nil if it isn't.
    fileprivate var countedAction: String? {
        switch self {
        case .began, .ended, .traced, .note: nil
        case .retryWithheld(let reason): "\(word).\(reason)"
        default: word
        }
    }
}

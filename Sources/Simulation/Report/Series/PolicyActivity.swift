import PledgeServices

extension SimulationRun {
    /// What a policy of the stack did in a run.
    ///
    /// Policies of one kind that have the same name, or none, are counted together.
    public struct PolicyActivity: Sendable {
        /// The kind of policy: "retry", "circuitBreaker".
        public let policy: String
        /// The name of the policy's state, such as that of a breaker; nil if it has none.
        public let name: String?
        /// The changes from state to state, in order.
        public private(set) var stateChanges: [StateChange] = []
        private var counts: [String: CountsBySecond] = [:]

        init(policy: String, name: String?) {
            self.policy = policy
            self.name = name
        }

        mutating func note(_ action: String, _ kind: PolicyEvent.Kind, at time: Nanoseconds) {
            counts[action, default: CountsBySecond()].add(at: time)
            if case .stateChanged(let old, let new) = kind {
                stateChanges.append(
                    StateChange(time: time.seconds, old: old, new: new))
            }
        }
    }

    /// A change of a policy from one state to another.
    public struct StateChange: Sendable, Hashable {
        /// When, in seconds.
        public let time: Double
        /// The state before: "closed", "open", "half-open".
        public let old: String
        /// The state after.
        public let new: String
    }
}

extension SimulationRun.PolicyActivity {
    /// What it did and how often: "retrying", "refused", "hedged", "retry_withheld.budget"; in alphabetical order.
    public var actions: [(action: String, count: Int)] {
        counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.total) }
    }

    /// How often it did something within some seconds; 0 if it never did.
    public func count(of action: String, in seconds: Range<Int>) -> Int {
        counts[action]?.sum(in: seconds) ?? 0
    }

    /// How often it did something in each second, until the last time.
    func counts(of action: String) -> [Int] { counts[action]?.counts ?? [] }

    /// The policy and its name.
    var title: String { name.map { "\(policy) \($0)" } ?? policy }

    /// The states over time, from second 0, each with when it began.
    ///
    /// Of several breakers with one name it is the state in which most is refused: open if one of them is open. A
    /// policy whose state never changed has none.
    public var states: [(time: Double, state: String)] {
        guard let first = stateChanges.first else { return [] }
        var states = [(time: 0.0, state: first.old)]
        var numbers: [String: Int] = [:]
        for change in stateChanges {
            // A breaker that was not known has been in its state from the beginning.
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
    /// How much a breaker refuses in the state.
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

import Pledge

/// The transitions that a machine was seen to make.
final class MachineRun: Sendable {
    struct Transition: Hashable {
        let from: String
        let to: String
        let cause: String
    }

    private let seen: Locked<(state: String, all: [Transition])>

    init(startingIn state: String) { seen = Locked((state, [])) }

    /// Every transition once, in the order in which it was first seen.
    var transitions: [Transition] { seen.withLock { $0.all } }

    /// The state that was seen last.
    var state: String { seen.withLock { $0.state } }

    /// Goes on with another machine of the same kind, which is in a state.
    func begin(in state: String) { seen.withLock { $0.state = state } }

    /// Notes that a state was seen, after something had happened.
    func move(to state: String, because cause: String) {
        seen.withLock { seen in
            let transition = Transition(from: seen.state, to: state, cause: cause)
            if !seen.all.contains(transition) { seen.all.append(transition) }
            seen.state = state
        }
    }
}

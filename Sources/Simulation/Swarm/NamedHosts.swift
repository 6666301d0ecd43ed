/// The highest numbers of hosts that a client's stack, and that changes by closures, name in a run.
///
/// A swarm may remove the hosts above them.
final class NamedHosts: @unchecked Sendable {
    // Unchecked: belongs to the thread of the simulation, as the fleet does.

    /// The highest number that the stack names; −1 if it names none.
    private(set) var highestOfStack = -1
    /// The highest number that each fault names, by the fault's index.
    private(set) var highestOfFaults: [Int: Int] = [:]
    private var fault: Int?

    /// What is noted from now on is named by a fault.
    func beginFault(_ index: Int) { fault = index }

    /// What is noted from now on is named by the stack.
    func endFault() { fault = nil }

    /// Notes that a host is named.
    func note(_ number: Int) {
        guard let fault else {
            highestOfStack = max(highestOfStack, number)
            return
        }
        highestOfFaults[fault] = max(highestOfFaults[fault] ?? -1, number)
    }
}

/// Changes to report one at a time, in order, from any thread.
///
/// The thread for which ``startTelling()`` returns true calls ``next()`` until nothing is left. Meanwhile, other
/// threads only add changes.
package struct ChangeQueue<Change> {
    private var changes: [Change] = []
    private var isTelling = false

    package init() {}

    package mutating func add(_ change: Change) { changes.append(change) }

    /// Returns true if the caller has to report, because no other thread does.
    package mutating func startTelling() -> Bool {
        guard !isTelling, !changes.isEmpty else { return false }
        isTelling = true
        return true
    }

    /// The next change to report; nil if nothing is left and the caller is done.
    package mutating func next() -> Change? {
        guard !changes.isEmpty else {
            isTelling = false
            return nil
        }
        return changes.removeFirst()
    }
}

/// Changes that are reported one after the other, from any threads.
///
/// Idle. Next: telling, by ``startTelling()``. Telling. Next: idle, when ``next()`` finds nothing left.
struct ChangeQueue<Change> {
    private var changes: [Change] = []
    private var isTelling = false

    /// Puts a change at the end.
    mutating func add(_ change: Change) { changes.append(change) }

    /// Whether the caller has to report the queued changes, because no other thread does.
    mutating func startTelling() -> Bool {
        guard !isTelling, !changes.isEmpty else { return false }
        isTelling = true
        return true
    }

    /// The next change to report; nil if none is left, and the caller is then done.
    mutating func next() -> Change? {
        guard !changes.isEmpty else {
            isTelling = false
            return nil
        }
        return changes.removeFirst()
    }
}

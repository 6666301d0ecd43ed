internal import Futures

extension EffectMachine {
    /// Cancels all runs that have an id or wait for it.
    mutating func cancel(_ id: EffectID) {
        guard let index = slots.index(forKey: id) else { return }
        let (key, slot) = slots.remove(at: index)
        commands.append(.free(key))
        removeTrees(slot.runs)
    }

    /// Removes runs with all their parts, and adds the consequences.
    mutating func removeTrees(_ roots: [RunNumber]) {
        var gone: [RunNumber] = []
        var next = roots
        while let run = next.popLast() {
            gone.append(run)
            if let children = runs[run]?.children { next.append(contentsOf: children) }
        }
        var results: [FollowUp] = []
        for run in gone.sorted() {
            if let handle = runs[run]?.handle { commands.append(.cancel(handle)) }
            results += detach(run)
        }
        consequences += results.reversed()
    }

    /// Removes a run that has ended, and adds the consequences.
    mutating func removeOne(_ run: RunNumber) { consequences += detach(run).reversed() }

    /// Removes a run, also from its id's slot and from its parent.
    ///
    /// - Returns: The consequences, in order.
    private mutating func detach(_ run: RunNumber) -> [FollowUp] {
        guard let gone = runs.removeValue(forKey: run) else { return [] }
        var results: [FollowUp] = []
        if gone.isUnderWay { underWay -= 1 }
        if gone.mayOwnUserObjects { commands.append(.free(gone)) }
        if let id = gone.id {
            if slots[id]?.running == run {
                slots[id]?.running = nil
                results.append(.pass(id))
            } else {
                if let index = slots[id]?.waiting.firstIndex(of: run) {
                    slots[id]?.waiting.remove(at: index)
                }
                if slots[id]?.latest == run { slots[id]?.latest = nil }
                freeIfUnused(id)
            }
        }
        if let parent = gone.parent, runs[parent]?.children.remove(run) != nil {
            results.append(.advanceOrEnd(parent))
        }
        return results
    }
}

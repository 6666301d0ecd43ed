internal import Futures

extension EffectMachine {
    /// Cancels all that has an id or waits for it.
    mutating func cancel(_ id: EffectID) {
        guard let index = slots.index(forKey: id) else { return }
        let (key, slot) = slots.remove(at: index)
        commands.append(.free(key))
        remove(slot.runs)
    }

    /// Removes runs with all that is part of them, and leaves what comes of it to the consequences.
    mutating func remove(_ roots: [Int]) {
        var gone: [Int] = []
        var next = roots
        while let run = next.popLast() {
            gone.append(run)
            if let children = runs[run]?.children { next.append(contentsOf: children) }
        }
        var results: [Consequence] = []
        for run in gone.sorted() {
            if let handle = runs[run]?.handle { commands.append(.cancel(handle)) }
            takeOut(run, &results)
        }
        consequences.append(contentsOf: results.reversed())
    }

    /// Removes one run that has nothing left to do.
    mutating func leave(_ run: Int) {
        var results: [Consequence] = []
        takeOut(run, &results)
        consequences.append(contentsOf: results.reversed())
    }

    /// Takes a run out of its id's slot and from its parent, and adds what comes of that.
    private mutating func takeOut(_ run: Int, _ results: inout [Consequence]) {
        guard let gone = runs.removeValue(forKey: run) else { return }
        if gone.isUnderWay { underWay -= 1 }
        if gone.holdsEffects { commands.append(.free(gone)) }
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
            results.append(.advance(parent))
        }
    }
}

internal import PledgeFutures

extension EffectMachine {
    /// Cancels the effects with an id that the canceller's event, or an earlier one, has asked for: running, waiting or
    /// not begun.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - canceller: The run that replaces the effects, or that the cancellation is a part of; nil for a new event's
    ///     cancellation. Effects that come later in this run, or in one that contains it, stay.
    /// - Returns: False if no run was removed.
    @discardableResult
    mutating func cancel(_ id: EffectID, by canceller: RunNumber?) -> Bool {
        let root = canceller.flatMap { runs[$0]?.root } ?? .max
        let gone = dropUnbegun(id, by: canceller, upTo: root) + takeFromSlot(id, upTo: root)
        removeTrees(gone)
        return !gone.isEmpty
    }

    /// Drops unbegun effects with an id.
    ///
    /// - Returns: The delays and turns that have no effect left.
    private mutating func dropUnbegun(
        _ id: EffectID, by canceller: RunNumber?, upTo root: RunNumber
    ) -> [RunNumber] {
        var emptied: [RunNumber] = []
        for place in unbegun.places(of: id).sorted() where !isPart(canceller, of: place.run) {
            guard let own = runs[place.run]?.root, own <= root,
                let effect = runs[place.run]?.unbegun(at: place.part)
            else { continue }
            let rest = effect.without(id)
            if rest.isNone, runs[place.run]?.isUnderWay == true {
                emptied.append(place.run)
                continue
            }
            commands.append(.free(effect))
            forget(effect, at: place)
            unbegun.insert(rest, at: place)
            runs[place.run]?.replaceUnbegun(at: place.part, with: rest)
        }
        return emptied
    }

    /// Takes the runs out of an id's slot, except those of newer events.
    private mutating func takeFromSlot(_ id: EffectID, upTo root: RunNumber) -> [RunNumber] {
        guard let index = slots.index(forKey: id) else { return [] }
        let slot = slots.values[index]
        var gone = slot.runs.filter { runs[$0].map { $0.root <= root } ?? true }
        if gone.count == slot.runs.count {
            commands.append(.free(slots.remove(at: index).key))
            return gone
        }
        guard let interval = slot.interval, gone.contains(interval) else { return gone }
        // A newer run still waits for the end of the interval.
        if slot.latest.map({ !gone.contains($0) }) ?? false {
            gone.removeAll { $0 == interval }
        } else {
            slots.values[index].interval = nil
        }
        return gone
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

    /// Removes an ended run, and adds the consequences.
    mutating func removeOne(_ run: RunNumber) { consequences += detach(run).reversed() }

    /// Removes a run, also from its id's slot and its parent's children; returns the consequences, in order.
    private mutating func detach(_ run: RunNumber) -> [FollowUp] {
        guard let gone = runs.removeValue(forKey: run) else { return [] }
        var results: [FollowUp] = []
        if gone.isUnderWay { underWay -= 1 }
        if gone.mayOwnUserObjects { commands.append(.free(gone)) }
        for (part, effect) in gone.unbegun { forget(effect, at: .init(run: run, part: part)) }
        if let id = gone.id {
            if slots[id]?.running == run {
                slots[id]?.running = nil
                results.append(.pass(id))
            } else {
                if slots[id]?.waiting.first == run {
                    slots[id]?.waiting.removeFirst()
                } else if let index = slots[id]?.waiting.firstIndex(of: run) {
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

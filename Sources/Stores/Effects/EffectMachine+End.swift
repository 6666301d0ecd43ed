internal import PledgeFutures

extension EffectMachine {
    /// Cancels all runs that have an id or wait for it.
    mutating func cancel(_ id: EffectID) {
        guard let index = slots.index(forKey: id) else { return }
        let (key, slot) = slots.remove(at: index)
        commands.append(.free(key))
        removeTrees(slot.runs)
    }

    /// Cancels all runs that have an id, wait for it, or have not begun what has it.
    ///
    /// - Parameter parent: The run that the cancelling effect is a part of. What comes after that effect in this run, or in
    ///   one that it is a part of, is not cancelled.
    mutating func cancel(_ id: EffectID, asPartOf parent: RunNumber?) {
        var spared: Set<RunNumber> = []
        var next = parent
        while let run = next {
            spared.insert(run)
            next = runs[run]?.parent
        }
        var (emptied, shortened): ([RunNumber], [RunNumber]) = ([], [])
        for run in runs.keys.sorted() where !spared.contains(run) {
            switch shorten(run, by: id) {
            case nil: continue
            case .emptied: emptied.append(run)
            case .shortened: shortened.append(run)
            }
        }
        // A sequence whose last parts are gone may end, after the consequences of the rest.
        consequences += shortened.reversed().map { .advanceOrEnd($0) }
        if let index = slots.index(forKey: id) {
            let (key, slot) = slots.remove(at: index)
            commands.append(.free(key))
            emptied += slot.runs
        }
        removeTrees(emptied)
    }

    private enum Shortening {
        case shortened
        /// It waits for nothing any more.
        case emptied
    }

    /// Takes the effects with an id out of what a run has not begun.
    ///
    /// - Returns: Nil if there are none.
    private mutating func shorten(_ run: RunNumber, by id: EffectID) -> Shortening? {
        switch runs[run]?.work {
        case .parts(let parts, let order) where parts.contains { $0.contains(id) }:
            let rest = parts.map { $0.without(id) }.filter { !$0.isNone }
            commands.append(.free(parts))
            runs[run]?.work = .parts(rest[...], order)
            return .shortened
        case .delay(let effect, let timer):
            return shorten(run, effect, by: id) { .delay($0, timer) }
        case .turn(let effect, let throttling):
            return shorten(run, effect, by: id) { .turn($0, throttling) }
        case .parts, .job, .interval, nil: return nil
        }
    }

    /// The same for the one effect that waits for a delay or a turn, unless nothing of it is left.
    private mutating func shorten(
        _ run: RunNumber, _ effect: Effect<Event>, by id: EffectID,
        _ work: (Effect<Event>) -> Run.Work
    ) -> Shortening? {
        guard effect.contains(id) else { return nil }
        let rest = effect.without(id)
        if rest.isNone { return .emptied }
        commands.append(.free(effect))
        runs[run]?.work = work(rest)
        return .shortened
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

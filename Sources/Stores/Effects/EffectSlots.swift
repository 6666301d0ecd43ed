internal import PledgeFutures

extension EffectMachine {
    /// Gives an id to a run that waits for it, and begins the run's effect.
    mutating func occupy(_ id: EffectID, by run: RunNumber) {
        guard case .turn(let effect, _) = runs[run]?.phase else { return }
        slots[id, default: EffectSlot()].running = run
        unfold(run, effect)
    }

    /// Gives a free id to the next run that waits for it.
    mutating func pass(on id: EffectID) {
        guard let slot = slots.index(forKey: id), slots.values[slot].running == nil else { return }
        guard let next = slots.values[slot].waiting.popFirst() else { return freeIfUnused(id) }
        occupy(id, by: next)
    }

    /// Gives an id to a newcomer; first removes the older runs in its way.
    ///
    /// After a removal and its consequences, the newcomer claims the id again. If a newer event's effect has the id or
    /// waits for it, the newcomer is removed instead.
    mutating func claim(_ id: EffectID, by run: RunNumber) {
        // The removal's consequences have removed the newcomer too, so the id goes to the next run that waits.
        guard case .turn(_, let throttling) = runs[run]?.phase else { return pass(on: id) }
        if let throttling { return claim(id, by: run, throttling) }
        if isWanted(id, after: run) { return removeTrees([run]) }
        consequences.append(.claim(id, by: run))
        if cancel(id, by: run) { return }
        consequences.removeLast()
        occupy(id, by: run)
    }

    /// Returns whether a newer event's effect has the id or waits for it.
    private func isWanted(_ id: EffectID, after run: RunNumber) -> Bool {
        guard let slot = slots[id] else { return false }
        // The newest are at the end of `waiting`.
        return isNewer(slot.running, than: run) || isNewer(slot.latest, than: run)
            || slot.waiting.reversed().contains { isNewer($0, than: run) }
    }

    /// Returns whether one effect's event is newer than the other's.
    private func isNewer(_ one: RunNumber?, than other: RunNumber) -> Bool {
        guard let one = one.flatMap({ runs[$0] }), let other = runs[other] else { return false }
        return one.root > other.root
    }

    /// Gives an id to a throttled newcomer, or makes it wait for the end of the interval.
    private mutating func claim(_ id: EffectID, by run: RunNumber, _ throttling: Throttling) {
        let slot = slots[id] ?? EffectSlot()
        if slot.interval != nil {
            wait(for: id, run, throttling)
        } else if isNewer(slot.running, than: run) {
            removeTrees([run])
        } else if let running = slot.running {
            consequences.append(.claim(id, by: run))
            // The id doesn't pass to the waiting runs, because the newcomer claims it again.
            slots[id]?.running = nil
            removeTrees([running])
        } else {
            let interval = add(.interval(id, nil), in: nil, root: runs[run]?.root)
            slots[id, default: EffectSlot()].interval = interval
            commands.append(.schedule(interval, throttling.interval, throttling.scheduler))
            occupy(id, by: run)
        }
    }

    /// Makes a throttled newcomer the interval's latest run, or drops it.
    private mutating func wait(for id: EffectID, _ run: RunNumber, _ throttling: Throttling) {
        let latest = slots[id]?.latest
        if !throttling.keepsLatest || isNewer(latest, than: run) {
            removeTrees([run])
        } else if let latest {
            consequences.append(.claim(id, by: run))
            removeTrees([latest])
        } else {
            slots[id]?.latest = run
        }
    }

    /// Ends a throttled id's interval, and begins the latest effect that waited for that.
    mutating func endInterval(_ run: RunNumber, of id: EffectID) {
        removeOne(run)
        slots[id]?.interval = nil
        if let latest = slots[id]?.latest {
            slots[id]?.latest = nil
            consequences.append(.claim(id, by: latest))
        }
        freeIfUnused(id)
    }

    mutating func freeIfUnused(_ id: EffectID) {
        guard let index = slots.index(forKey: id), slots.values[index].isUnused else { return }
        commands.append(.free(slots.remove(at: index).key))
    }
}

internal import PledgeFutures

extension EffectMachine {
    /// Assigns an id to a run that waits for it, and begins its effect.
    mutating func occupy(_ id: EffectID, by run: RunNumber) {
        guard case .turn(let effect, _) = runs[run]?.work else { return }
        slots[id, default: EffectSlot()].running = run
        unfold(run, effect)
    }

    /// Assigns an id that no run has to the next run that waits for it.
    mutating func pass(on id: EffectID) {
        guard let slot = slots.index(forKey: id), slots.values[slot].running == nil else { return }
        if slots.values[slot].waiting.isEmpty { return freeIfUnused(id) }
        occupy(id, by: slots.values[slot].waiting.removeFirst())
    }

    /// Assigns an id to a newcomer, when no other run blocks it.
    ///
    /// Runs that block it are removed. The newcomer claims the id again after the consequences of that.
    mutating func claim(_ id: EffectID, by run: RunNumber) {
        // The consequences of the removal may have removed the newcomer: then the waiting runs are next.
        guard case .turn(_, let throttling) = runs[run]?.work else { return pass(on: id) }
        if let throttling {
            claim(id, by: run, throttling)
        } else if slots[id] != nil {
            consequences.append(.claim(id, by: run))
            cancel(id)
        } else {
            occupy(id, by: run)
        }
    }

    /// Assigns an id to a throttled newcomer, or makes it wait for the end of the interval.
    private mutating func claim(_ id: EffectID, by run: RunNumber, _ throttling: Throttling) {
        let slot = slots[id] ?? EffectSlot()
        if slot.interval != nil {
            wait(for: id, run, throttling)
        } else if let running = slot.running {
            consequences.append(.claim(id, by: run))
            // The id does not pass to the waiting runs: no run has it until the newcomer claims it again.
            slots[id]?.running = nil
            removeTrees([running])
        } else {
            let interval = add(.interval(id, nil), in: nil)
            slots[id, default: EffectSlot()].interval = interval
            commands.append(.schedule(interval, throttling.interval, throttling.scheduler))
            occupy(id, by: run)
        }
    }

    /// Makes a throttled newcomer the latest of the interval, or drops it.
    private mutating func wait(for id: EffectID, _ run: RunNumber, _ throttling: Throttling) {
        if throttling.keepsLatest, let latest = slots[id]?.latest {
            consequences.append(.claim(id, by: run))
            removeTrees([latest])
        } else if throttling.keepsLatest {
            slots[id]?.latest = run
        } else {
            removeTrees([run])
        }
    }

    /// Lets the latest throttled effect of an id begin.
    mutating func endInterval(_ run: RunNumber, of id: EffectID) {
        removeOne(run)
        slots[id]?.interval = nil
        if let latest = slots[id]?.latest {
            slots[id]?.latest = nil
            consequences.append(.claim(id, by: latest))
        }
        freeIfUnused(id)
    }

    /// Removes the slot of an id that no run has or waits for.
    mutating func freeIfUnused(_ id: EffectID) {
        guard let index = slots.index(forKey: id), slots.values[index].isUnused else { return }
        commands.append(.free(slots.remove(at: index).key))
    }
}

internal import Futures

extension EffectMachine {
    /// Gives an id to a run that waits for it, and begins its effect.
    mutating func occupy(_ id: EffectID, by run: Int) {
        guard case .turn(let effect, _) = runs[run]?.work else { return }
        slots[id, default: EffectSlot()].running = run
        unfold(run, effect)
    }

    /// Gives an id that nobody has to the next that waits for it.
    mutating func pass(on id: EffectID) {
        guard let slot = slots[id], slot.running == nil else { return }
        if slot.waiting.isEmpty { return freeIfUnused(id) }
        if let next = slots[id]?.waiting.removeFirst() { occupy(id, by: next) }
    }

    /// Gives an id to a newcomer, once nothing is in its way.
    ///
    /// What is in its way is removed, and the newcomer comes again after all that came of that.
    mutating func claim(_ id: EffectID, by run: Int) {
        // The newcomer may have been removed by what came of making room for it.
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

    /// Gives an id to a throttled newcomer, or to nobody until the interval is over.
    private mutating func claim(_ id: EffectID, by run: Int, _ throttling: Throttling) {
        let slot = slots[id] ?? EffectSlot()
        if slot.interval != nil {
            wait(for: id, run, throttling)
        } else if let running = slot.running {
            consequences.append(.claim(id, by: run))
            // It is the newcomer's from now on: it does not pass to those who wait.
            slots[id]?.running = nil
            remove([running])
        } else {
            let interval = add(.interval(id, nil), in: nil)
            slots[id, default: EffectSlot()].interval = interval
            commands.append(.schedule(interval, throttling.interval, throttling.scheduler))
            occupy(id, by: run)
        }
    }

    /// Makes a throttled newcomer the latest of the interval, or drops it.
    private mutating func wait(for id: EffectID, _ run: Int, _ throttling: Throttling) {
        if throttling.keepsLatest, let latest = slots[id]?.latest {
            consequences.append(.claim(id, by: run))
            remove([latest])
        } else if throttling.keepsLatest {
            slots[id]?.latest = run
        } else {
            remove([run])
        }
    }

    /// Lets the latest throttled effect of an id begin.
    mutating func endInterval(_ run: Int, of id: EffectID) {
        leave(run)
        slots[id]?.interval = nil
        if let latest = slots[id]?.latest {
            slots[id]?.latest = nil
            consequences.append(.claim(id, by: latest))
        }
        freeIfUnused(id)
    }

    /// Forgets an id of which nothing is left.
    mutating func freeIfUnused(_ id: EffectID) {
        guard let index = slots.index(forKey: id), slots.values[index].isUnused else { return }
        commands.append(.free(slots.remove(at: index).key))
    }
}

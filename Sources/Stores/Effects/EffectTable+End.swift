internal import Futures

extension EffectTable {
    mutating func endIfChildless(_ run: Int) {
        if runs[run]?.children.isEmpty == true { ended.append(run) }
    }

    /// Works off the ends: frees ids, begins who waited for them, and tells the parents.
    mutating func settle() {
        while let run = ended.popLast() {
            guard let gone = runs.removeValue(forKey: run) else { continue }
            letGo(of: gone)
            if let id = gone.id, slots[id]?.running == run { pass(on: id) }
            tell(gone.parent, of: run)
        }
    }

    /// Gives an id to the next that waits for it.
    mutating func pass(on id: EffectID) {
        slots[id]?.running = nil
        if slots[id]?.waiting.isEmpty == false, let next = slots[id]?.waiting.removeFirst() {
            occupy(id, by: next)
        }
        freeIfUnused(id)
    }

    mutating func tell(_ parent: Int?, of child: Int) {
        guard let parent, runs[parent]?.children.remove(child) != nil else { return }
        switch runs[parent]?.work {
        case .sequence: advance(parent)
        case .group: endIfChildless(parent)
        default: break
        }
    }

    mutating func freeIfUnused(_ id: EffectID) {
        if slots[id]?.isFree == true { slots[id] = nil }
    }

    /// Cancels all that has an id or waits for it.
    mutating func cancel(_ id: EffectID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        // From the last to the first, so that the end of one begins none of the others.
        for run in slot.waiting.reversed() { remove(run) }
        if let latest = slot.latest { remove(latest) }
        if let interval = slot.interval { remove(interval) }
        if let running = slot.running { remove(running) }
    }

    /// Takes a run back with all that is part of it.
    mutating func remove(_ run: Int) {
        guard let gone = runs.removeValue(forKey: run) else { return }
        takeBack(gone)
        letGo(of: gone)
        for child in gone.children.sorted() { remove(child) }
        if let id = gone.id { leave(id, run) }
        tell(gone.parent, of: run)
    }

    /// Takes a run out of its id's slot.
    mutating func leave(_ id: EffectID, _ run: Int) {
        if slots[id]?.running == run {
            pass(on: id)
        } else {
            slots[id]?.waiting.removeAll { $0 == run }
            if slots[id]?.latest == run { slots[id]?.latest = nil }
            freeIfUnused(id)
        }
    }

    /// Leaves it to the commands to free the effects that a run holds.
    mutating func letGo(of run: Run) {
        switch run.work {
        case .sequence(let effects): commands.append(.free(effects))
        case .delay(let effect, _), .turn(let effect): letGo(of: effect)
        case .group, .future, .interval: break
        }
    }

    /// Leaves it to the commands to free an effect.
    mutating func letGo(of effect: Effect<Event>) {
        commands.append(.free([effect]))
    }

    mutating func takeBack(_ run: Run) {
        switch run.work {
        case .future(let future?): commands.append(.cancel(future))
        case .delay(_, let timer?), .interval(_, let timer?): commands.append(.take(back: timer))
        default: break
        }
    }
}

internal import Futures

extension EffectTable {
    mutating func begin(_ effect: Effect<Event>, in parent: Int?) {
        switch effect.kind {
        case .none: break
        case .start(let start):
            let run = add(.future(nil), in: parent)
            commands.append(.start(run, start))
        case .merge(let effects):
            let run = add(.group, in: parent)
            for effect in effects where runs[run] != nil { begin(effect, in: run) }
            endIfChildless(run)
        case .concatenate(let effects):
            advance(add(.sequence(effects[...]), in: parent))
        case .identified(let effect, let id, let policy):
            begin(effect, in: parent, as: id, policy)
        case .delayed(let effect, let delay, let scheduler):
            let run = add(.delay(effect, timer: nil), in: parent)
            commands.append(.schedule(run, delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            begin(effect, in: parent, as: id, throttling)
        case .cancel(let id): cancel(id)
        }
    }

    mutating func begin(
        _ effect: Effect<Event>, in parent: Int?, as id: EffectID, _ policy: EffectPolicy
    ) {
        // Named twice over: an effect neither replaces nor waits for what it is a part of.
        if isInside(parent, id) { return begin(effect, in: parent) }
        let running = slots[id]?.running
        switch policy {
        case .oldest where running != nil: return
        case .serial where running != nil:
            let run = add(.turn(effect), in: parent, as: id)
            slots[id]?.waiting.append(run)
        case .newest, .oldest, .serial:
            // A sequence may go on with another of this id when its part is cancelled.
            while policy == .newest, slots[id] != nil { cancel(id) }
            // What was cancelled may have held what this is a part of.
            if let parent, runs[parent] == nil { return }
            occupy(id, by: add(.turn(effect), in: parent, as: id))
        }
    }

    mutating func begin(
        _ effect: Effect<Event>, in parent: Int?, as id: EffectID, _ throttling: Throttling
    ) {
        if isInside(parent, id) { return begin(effect, in: parent) }
        guard slots[id]?.interval != nil else {
            let run = add(.turn(effect), in: parent, as: id)
            slots[id, default: EffectSlot()].latest = run
            return beginThrottled(id, throttling)
        }
        guard throttling.keepsLatest else { return }
        // A sequence may go on with another of this id when its part is taken back.
        while let latest = slots[id]?.latest { remove(latest) }
        if let parent, runs[parent] == nil { return }
        if slots[id]?.interval == nil { return begin(effect, in: parent, as: id, throttling) }
        let run = add(.turn(effect), in: parent, as: id)
        slots[id]?.latest = run
        slots[id]?.throttling = throttling
    }

    /// Begins the latest throttled effect of an id in place of the running one, and its interval.
    mutating func beginThrottled(_ id: EffectID, _ throttling: Throttling) {
        guard let run = slots[id]?.latest else { return }
        slots[id]?.latest = nil
        let interval = add(.interval(id, timer: nil), in: nil)
        slots[id]?.interval = interval
        slots[id]?.throttling = throttling
        commands.append(.schedule(interval, throttling.interval, throttling.scheduler))
        while let running = slots[id]?.running {
            slots[id]?.running = nil
            remove(running)
        }
        if runs[run] != nil { occupy(id, by: run) }
    }

    mutating func endInterval(_ run: Int, of id: EffectID) {
        runs[run] = nil
        slots[id]?.interval = nil
        if slots[id]?.latest != nil, let throttling = slots[id]?.throttling {
            beginThrottled(id, throttling)
        }
        freeIfUnused(id)
    }

    /// Gives an id to a run that waited for its turn, and begins its effect.
    mutating func occupy(_ id: EffectID, by run: Int) {
        guard case .turn(let effect) = runs[run]?.work else { return }
        slots[id, default: EffectSlot()].running = run
        unfold(run, effect)
    }

    /// Makes a run that waited a group of the effect that it waited with.
    mutating func unfold(_ run: Int, _ effect: Effect<Event>) {
        runs[run]?.work = .group
        begin(effect, in: run)
        if !effect.isStart { letGo(of: effect) }
        endIfChildless(run)
    }

    /// Begins the effects that are left of a sequence, until there is one to wait for.
    mutating func advance(_ run: Int) {
        while case .sequence(let effects) = runs[run]?.work {
            guard runs[run]?.children.isEmpty == true else { return }
            guard let next = effects.first else { break }
            runs[run]?.work = .sequence(effects.dropFirst())
            begin(next, in: run)
        }
        endIfChildless(run)
    }

    mutating func add(_ work: Run.Work, in parent: Int?, as id: EffectID? = nil) -> Int {
        count += 1
        runs[count] = Run(parent: parent, id: id, work: work)
        if let parent { runs[parent]?.children.insert(count) }
        return count
    }

    /// Whether a run is, or is a part of, the one that has an id.
    func isInside(_ run: Int?, _ id: EffectID) -> Bool {
        guard let running = slots[id]?.running else { return false }
        var next = run
        while let run = next {
            if run == running { return true }
            next = runs[run]?.parent
        }
        return false
    }
}

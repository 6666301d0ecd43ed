internal import Futures

extension EffectMachine {
    /// Begins an effect, and leaves it to the consequences to begin its parts.
    mutating func begin(_ effect: Effect<Event>, in parent: Int?) {
        switch effect.kind {
        case .none: break
        case .start(let start):
            let run = add(.future(nil), in: parent)
            commands.append(.start(run, start))
        case .run(let operation):
            let run = add(.future(nil), in: parent)
            commands.append(.run(run, operation))
        case .merge(let effects):
            let run = add(.parts(effects[...], .together), in: parent)
            consequences.append(.proceed(run))
        case .concatenate(let effects):
            let run = add(.parts(effects[...], .inOrder), in: parent)
            consequences.append(.advance(run))
        case .identified(let effect, let id, let policy):
            begin(effect, in: parent, as: id, policy)
        case .delayed(let effect, let delay, let scheduler):
            let run = add(.delay(effect, nil), in: parent)
            commands.append(.schedule(run, delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            if isInside(parent, id) { return begin(effect, in: parent) }
            let run = add(.turn(effect, throttling), in: parent, as: id)
            consequences.append(.claim(id, by: run))
        case .cancel(let id): cancel(id)
        }
    }

    private mutating func begin(
        _ effect: Effect<Event>, in parent: Int?, as id: EffectID, _ policy: EffectPolicy
    ) {
        // Named twice over: an effect neither replaces nor waits for what it is a part of.
        if isInside(parent, id) { return begin(effect, in: parent) }
        let isInUse = slots[id]?.isInUse == true
        if policy == .oldest, isInUse { return }
        let run = add(.turn(effect, nil), in: parent, as: id)
        switch policy {
        case .newest: consequences.append(.claim(id, by: run))
        case .serial where isInUse: slots[id]?.waiting.append(run)
        case .oldest, .serial: occupy(id, by: run)
        }
    }

    /// Begins the next part of a merge.
    mutating func proceed(_ run: Int) {
        guard case .parts(let left, _) = runs[run]?.work else { return }
        // Above it in the stack comes what this part brings about.
        consequences.append(left.isEmpty ? .advance(run) : .proceed(run))
        beginFirst(of: left, in: run)
    }

    /// Begins the next part of a sequence, if its turn has come, or ends a run of which nothing is left.
    mutating func advance(_ run: Int) {
        guard let group = runs[run], case .parts(let left, let order) = group.work,
            group.children.isEmpty
        else { return }
        if left.isEmpty { return leave(run) }
        guard order == .inOrder else { return }
        consequences.append(.advance(run))
        beginFirst(of: left, in: run)
    }

    private mutating func beginFirst(of parts: ArraySlice<Effect<Event>>, in run: Int) {
        guard let first = parts.first, case .parts(_, let order) = runs[run]?.work else { return }
        let rest = parts.dropFirst()
        runs[run]?.work = .parts(rest.isEmpty ? [] : rest, order)
        if rest.isEmpty { commands.append(.free(parts)) }
        begin(first, in: run)
    }

    /// Makes a run that waited a run of the effect that it waited with.
    mutating func unfold(_ run: Int, _ effect: Effect<Event>) {
        runs[run]?.work = .parts([effect], .inOrder)
        underWay -= 1
        consequences.append(.advance(run))
    }

    mutating func add(_ work: Run.Work, in parent: Int?, as id: EffectID? = nil) -> Int {
        count += 1
        let run = Run(parent: parent, id: id, work: work)
        if run.isUnderWay { underWay += 1 }
        runs[count] = run
        if let parent { runs[parent]?.children.insert(count) }
        return count
    }

    /// Whether a run is, or is a part of, the one that has an id.
    private func isInside(_ run: Int?, _ id: EffectID) -> Bool {
        guard let running = slots[id]?.running else { return false }
        var next = run
        while let run = next {
            if run == running { return true }
            next = runs[run]?.parent
        }
        return false
    }
}

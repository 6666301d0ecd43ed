internal import PledgeFutures

extension EffectMachine {
    /// Starts an effect, and adds the consequences that start its parts.
    mutating func start(_ effect: Effect<Event>, in parent: RunNumber?) {
        switch effect.kind {
        case .none: break
        case .start(let start):
            let run = add(.job(nil), in: parent)
            commands.append(.start(run, start))
        case .run(let operation):
            let run = add(.job(nil), in: parent)
            commands.append(.run(run, operation))
        case .merge(let effects):
            let run = add(.parts(effects[...], .together), in: parent)
            consequences.append(.startNextOfMerge(run))
        case .concatenate(let effects):
            let run = add(.parts(effects[...], .inOrder), in: parent)
            consequences.append(.advanceOrEnd(run))
        case .identified(let effect, let id, let policy):
            start(effect, in: parent, as: id, policy)
        case .delayed(let effect, let delay, let scheduler):
            let run = add(.delay(effect, nil), in: parent)
            commands.append(.schedule(run, delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            if isInside(parent, id) { return start(effect, in: parent) }
            let run = add(.turn(effect, throttling), in: parent, as: id)
            consequences.append(.claim(id, by: run))
        case .cancel(let id): cancel(id, asPartOf: parent)
        }
    }

    private mutating func start(
        _ effect: Effect<Event>, in parent: RunNumber?, as id: EffectID, _ policy: EffectPolicy
    ) {
        // An effect neither replaces nor waits for an effect that it is a part of.
        if isInside(parent, id) { return start(effect, in: parent) }
        let isInUse = slots[id]?.isInUse == true
        if policy == .oldest, isInUse { return }
        let run = add(.turn(effect, nil), in: parent, as: id)
        switch policy {
        case .newest: consequences.append(.claim(id, by: run))
        case .serial where isInUse: slots[id]?.waiting.append(run)
        case .oldest, .serial: occupy(id, by: run)
        }
    }

    /// Starts the next part of a merge.
    mutating func startNextOfMerge(_ run: RunNumber) {
        guard case .parts(let parts, _) = runs[run]?.work else { return }
        guard !parts.isEmpty else { return advanceOrEnd(run) }
        // The consequences of this part come above it in the stack.
        consequences.append(.startNextOfMerge(run))
        startFirst(of: parts, in: run)
    }

    /// Starts the next part of a sequence without a child, or ends a run without a child or a part.
    mutating func advanceOrEnd(_ run: RunNumber) {
        guard let group = runs[run], case .parts(let parts, let order) = group.work,
            group.children.isEmpty
        else { return }
        if parts.isEmpty { return removeOne(run) }
        guard order == .inOrder else { return }
        consequences.append(.advanceOrEnd(run))
        startFirst(of: parts, in: run)
    }

    private mutating func startFirst(of parts: ArraySlice<Effect<Event>>, in run: RunNumber) {
        guard let first = parts.first, case .parts(_, let order) = runs[run]?.work else { return }
        let rest = parts.dropFirst()
        runs[run]?.work = .parts(rest.isEmpty ? [] : rest, order)
        if rest.isEmpty { commands.append(.free(parts)) }
        start(first, in: run)
    }

    /// Changes a delay or a turn into a run of parts, with the waiting effect as the only part.
    mutating func unfold(_ run: RunNumber, _ effect: Effect<Event>) {
        runs[run]?.work = .parts([effect], .inOrder)
        underWay -= 1
        consequences.append(.advanceOrEnd(run))
    }

    mutating func add(
        _ work: Run.Work, in parent: RunNumber?, as id: EffectID? = nil
    ) -> RunNumber {
        lastNumber += 1
        let run = Run(parent: parent, id: id, work: work)
        if run.isUnderWay { underWay += 1 }
        runs[lastNumber] = run
        if let parent { runs[parent]?.children.insert(lastNumber) }
        return lastNumber
    }

    /// Whether a run is, or is a part of, the one that has an id.
    ///
    /// A run that only waits for the id has no parts, so only the run that has the id is compared.
    private func isInside(_ run: RunNumber?, _ id: EffectID) -> Bool {
        guard let running = slots[id]?.running else { return false }
        var next = run
        while let run = next {
            if run == running { return true }
            next = runs[run]?.parent
        }
        return false
    }
}

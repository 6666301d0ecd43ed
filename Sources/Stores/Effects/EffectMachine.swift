internal import PledgeFutures

/// A pure state machine that holds a store's effects until they have ended.
///
/// It calls no user code except `==` and `hash(into:)` of ids, takes no lock, and reads no clock. ``StoreCore`` drives
/// it. Under the store's lock, the core changes the machine in the same step as the state, and takes the resulting
/// commands. The core carries them out later, outside the lock and in order. So once an event has replaced an effect,
/// the replaced effect's events are no longer reduced, unless they entered the middleware before. With middleware, an
/// effect may begin because another effect has ended. Then it waits until the ended effect's event has been through the
/// middleware (see `takeOver`), so newer commands may come first. The machine never frees a user's object. It puts such
/// an object into a command, and the core frees it outside the lock.
///
/// ## Terms
///
/// A *run* is an effect that has come and has not ended, or the timer of a throttled id. Runs form trees. A
/// merge, a sequence, a delay that has fired, and an effect that has taken its id have children: the runs of
/// their parts. Runs are numbered in the order in which they come. An id's *slot* names the run that has the id
/// and the runs that wait for it. A *consequence* is a change that another change causes elsewhere: a run of
/// parts may end, an id may pass to the next run, or a newcomer may take an id.
///
/// ## Rules
///
/// 1. Consequences are processed depth first: everything that one of them causes is processed before the next
///    one. They are on an explicit stack, so there is no recursion, even if any number of effects end as soon
///    as they begin.
/// 2. A part of a merge begins once the consequences of beginning the part before it are processed. A part of a
///    sequence begins when the part before it has ended.
/// 3. Several runs are removed in one step: first all of them are removed, with all their parts. Then their ids
///    pass on and their parents advance, in the order of the removed runs' numbers.
/// 4. A run replaces or cancels only effects that its own event or an earlier one has asked for: runs whose root isn't
///    newer. If an id belongs to a newer event's effect, a newcomer that would replace that effect is removed instead.
/// 5. When a newcomer replaces an effect, that effect is removed first, and the consequences are processed. They may
///    give the id to another run: for example, a merge may begin another effect of the same id. So the newcomer then
///    checks the id again. Until the newcomer has taken the id, it is in no slot, so cancelling the id doesn't remove
///    the newcomer.
///
/// ## Invariants
///
/// They hold whenever a call from outside the machine has returned.
///
/// 1. A run is among its parent's children exactly as long as both exist. A parent's number is smaller than its
///    children's numbers.
/// 2. Every run of parts has a child, and no other run has children. A merge has begun all its parts.
/// 3. A run with an id is in the id's slot exactly once. If it is the slot's `running`, its phase is `parts`. If it is
///    in `waiting` or is `latest`, its phase is `turn`. The only other run that a slot names is its `interval`.
/// 4. A slot exists exactly as long as it names a run. If a run is in `waiting`, another run has the id. If
///    there is a `latest`, there is an `interval`. The runs in `waiting` are in the order of their numbers.
/// 5. A run and its ancestors have different ids.
/// 6. `underWay` counts the jobs, delays and turns.
/// 7. No consequence is left to process.
/// 8. `unbegun` has the ids of the effects that runs have not begun, with their places, and no others.
@usableFromInline
struct EffectMachine: Sendable {
    /// A change that another change causes elsewhere in the machine.
    ///
    /// When it's processed, it does nothing if it no longer applies. So it may come late, and an `advanceOrEnd` or a
    /// `pass` even twice.
    enum FollowUp: Sendable {
        case startNextOfMerge(RunNumber)
        /// If a run has no children left, begin the next part of its sequence, or end the run.
        case advanceOrEnd(RunNumber)
        /// If an id is free, pass it to the next run that waits for it.
        case pass(EffectID)
        /// Give the id to a run that waits for its turn, in place of the run that has it.
        case claim(EffectID, by: RunNumber)
    }

    var runs: [RunNumber: EffectRun] = [:]
    var slots: [EffectID: EffectSlot] = [:]
    /// The ids of effects that haven't begun.
    var unbegun = UnbegunEffects()
    /// The last one is processed first.
    var consequences: [FollowUp] = []
    /// To be carried out outside the lock, since commands were last taken.
    var commands: [EffectCommand] = []
    /// The newest number, of a run or of a finish promise.
    var lastNumber = 0
    /// How many effects run, or wait for another effect or a delay.
    var underWay = 0
    /// How many events that effects have sent are in the middleware now.
    var eventsOnTheirWay = 0
    /// The promises of ``Store/finish(within:on:)``.
    var finishPromises: [Int: Promise<Void>] = [:]

    /// Takes the commands; if no effect is under way, also those that resolve the finish promises.
    @usableFromInline
    mutating func takeCommands() -> [EffectCommand] {
        resolveFinishPromisesIfIdle()
        guard !commands.isEmpty else { return [] }
        defer { commands = [] }
        return commands
    }

    @usableFromInline
    mutating func start(_ effect: EffectTree) {
        if effect.isNone { return }
        start(effect, in: nil)
        // An effect without parts is kept alive by its command. But some parts of an effect may be in no command yet,
        // so an extra command frees the effect outside the lock.
        if effect.hasParts { commands.append(.free(effect)) }
        workOff()
    }

    /// Returns whether a run hasn't ended, and wasn't replaced or cancelled.
    @usableFromInline
    func isAlive(_ run: RunNumber) -> Bool { runs[run] != nil }

    /// Keeps the handle of what a run waits for, to cancel it with the run.
    ///
    /// - Returns: False if the run was removed; the caller then cancels the handle. This includes an interval whose
    ///   timer has fired, where cancelling does no harm.
    mutating func attach(_ handle: EffectHandle, to run: RunNumber) -> Bool {
        switch runs[run]?.phase {
        case .job: runs[run]?.phase = .job(handle)
        case .delay(let effect, _): runs[run]?.phase = .delay(effect, handle)
        case .interval(let id, _): runs[run]?.phase = .interval(id, handle)
        case .parts, .turn: break
        case nil: return false
        }
        return true
    }

    /// Ends a job; returns false if it was replaced or cancelled, so that its late result is dropped.
    @usableFromInline
    mutating func endJob(_ run: RunNumber) -> Bool {
        guard case .job? = runs[run]?.phase else { return false }
        removeOne(run)
        workOff()
        return true
    }

    /// Continues a run whose timer has fired.
    mutating func fire(_ run: RunNumber) {
        switch runs[run]?.phase {
        case .delay(let effect, let timer):
            if let timer { commands.append(.free(timer)) }
            unfold(run, effect)
        case .interval(let id, _): endInterval(run, of: id)
        case .job, .parts, .turn, nil: return
        }
        workOff()
    }

    /// Cancels and removes all runs, without consequences.
    mutating func removeAll() {
        for run in runs.keys.sorted() {
            if let handle = runs[run]?.handle { commands.append(.cancel(handle)) }
        }
        commands.append(.free(runs))
        commands.append(.free(slots))
        commands.append(.free(unbegun))
        (runs, slots, unbegun) = ([:], [:], UnbegunEffects())
        (underWay, eventsOnTheirWay) = (0, 0)
    }

    private mutating func workOff() {
        while let consequence = consequences.popLast() {
            switch consequence {
            case .startNextOfMerge(let run): startNextOfMerge(run)
            case .advanceOrEnd(let run): advanceOrEnd(run)
            case .pass(let id): pass(on: id)
            case .claim(let id, let run): claim(id, by: run)
            }
        }
    }
}

extension EffectMachine {
    /// Starts an effect, and adds the consequences that start its parts.
    mutating func start(_ effect: EffectTree, in parent: RunNumber?) {
        switch effect {
        case .none: break
        case .job(let job):
            let run = add(.job(nil), in: parent)
            commands.append(.begin(run, job))
        case .merge(let effects):
            let run = add(.parts(effects[...], .together), in: parent)
            consequences.append(.startNextOfMerge(run))
        case .concatenate(let effects):
            let run = add(.parts(effects[...], .inOrder), in: parent)
            for part in effects.indices.dropFirst() {
                unbegun.insert(effects[part], at: .init(run: run, part: part))
            }
            consequences.append(.advanceOrEnd(run))
        case .identified(let effect, let id, let policy):
            start(effect, in: parent, as: id, policy)
        case .delayed(let effect, let delay, let scheduler):
            let run = add(.delay(effect, nil), in: parent)
            unbegun.insert(effect, at: .init(run: run, part: 0))
            commands.append(.schedule(run, delay, scheduler))
        case .throttled(let effect, let id, let throttling):
            if isInside(parent, id) { return start(effect, in: parent) }
            let run = addTurn(effect, throttling, in: parent, as: id)
            consequences.append(.claim(id, by: run))
        case .cancel(let id): cancel(id, by: parent)
        }
    }

    private mutating func start(
        _ effect: EffectTree, in parent: RunNumber?, as id: EffectID, _ policy: EffectPolicy
    ) {
        // A part with the id of an effect that contains it just runs: it neither replaces that effect nor waits for it.
        if isInside(parent, id) { return start(effect, in: parent) }
        let isInUse = slots[id]?.isInUse == true
        if policy == .oldest, isInUse { return }
        let run = addTurn(effect, nil, in: parent, as: id)
        switch policy {
        case .newest: consequences.append(.claim(id, by: run))
        case .serial where isInUse: slots[id]?.waiting.append(run)
        case .oldest, .serial: occupy(id, by: run)
        }
    }

    mutating func startNextOfMerge(_ run: RunNumber) {
        guard case .parts(let parts, _) = runs[run]?.phase else { return }
        guard !parts.isEmpty else { return advanceOrEnd(run) }
        // What beginning this part causes comes above this entry on the stack, so it's processed before the next part
        // begins.
        consequences.append(.startNextOfMerge(run))
        startFirst(of: parts, in: run)
    }

    /// If a run has no children, starts its sequence's next part, or ends the run.
    mutating func advanceOrEnd(_ run: RunNumber) {
        guard let group = runs[run], case .parts(let parts, let order) = group.phase,
            group.children.isEmpty
        else { return }
        if parts.isEmpty { return removeOne(run) }
        guard order == .inOrder else { return }
        consequences.append(.advanceOrEnd(run))
        startFirst(of: parts, in: run)
    }

    private mutating func startFirst(of parts: ArraySlice<EffectTree>, in run: RunNumber) {
        guard let first = parts.first, case .parts(_, let order) = runs[run]?.phase else { return }
        let rest = parts.dropFirst()
        runs[run]?.phase = .parts(rest.isEmpty ? [] : rest, order)
        if order == .inOrder, parts.startIndex > 0 {
            forget(first, at: .init(run: run, part: parts.startIndex))
        }
        if rest.isEmpty { commands.append(.free(parts)) }
        start(first, in: run)
    }

    /// Turns a delay or a turn into a run of parts with the waiting effect.
    mutating func unfold(_ run: RunNumber, _ effect: EffectTree) {
        runs[run]?.phase = .parts([effect], .inOrder)
        forget(effect, at: .init(run: run, part: 0))
        underWay -= 1
        consequences.append(.advanceOrEnd(run))
    }

    private mutating func addTurn(
        _ effect: EffectTree, _ throttling: Throttling?, in parent: RunNumber?, as id: EffectID
    ) -> RunNumber {
        let run = add(.turn(effect, throttling), in: parent, as: id)
        unbegun.insert(effect, at: .init(run: run, part: 0))
        return run
    }

    /// Takes an effect that begins, or is dropped, out of the index of unbegun effects.
    mutating func forget(_ effect: EffectTree, at place: UnbegunEffects.Place) {
        commands += unbegun.remove(effect, at: place).map { .free($0) }
    }

    mutating func add(
        _ phase: EffectRun.Phase, in parent: RunNumber?, as id: EffectID? = nil,
        root: RunNumber? = nil
    ) -> RunNumber {
        lastNumber += 1
        let root = root ?? parent.flatMap { runs[$0]?.root } ?? lastNumber
        let run = EffectRun(parent: parent, root: root, id: id, phase: phase)
        if run.isUnderWay { underWay += 1 }
        runs[lastNumber] = run
        if let parent { runs[parent]?.children.insert(lastNumber) }
        return lastNumber
    }

    /// Returns whether a run has the id or is inside the run that has it.
    ///
    /// A run that waits for the id has no parts, so it needn't be compared.
    private func isInside(_ run: RunNumber?, _ id: EffectID) -> Bool {
        slots[id]?.running.map { isPart(run, of: $0) } ?? false
    }

    /// Returns whether a run is the other one or a part of it.
    func isPart(_ run: RunNumber?, of whole: RunNumber) -> Bool {
        var next = run
        // The runs that contain a run have smaller numbers.
        while let run = next, run >= whole {
            if run == whole { return true }
            next = runs[run]?.parent
        }
        return false
    }
}

extension EffectMachine {
    private var isIdle: Bool { underWay == 0 && eventsOnTheirWay == 0 }

    /// Keeps a promise that is resolved once no effect is under way; returns the number for ``forget(_:)``.
    mutating func resolveWhenIdle(_ promise: Promise<Void>) -> Int {
        lastNumber += 1
        finishPromises[lastNumber] = promise
        return lastNumber
    }

    mutating func forget(_ number: Int) -> Promise<Void>? {
        finishPromises.removeValue(forKey: number)
    }

    /// If no effect is under way, adds the commands that resolve the finish promises.
    mutating func resolveFinishPromisesIfIdle() {
        guard isIdle, !finishPromises.isEmpty else { return }
        commands += finishPromises.sorted { $0.key < $1.key }.map { .resolve($0.value) }
        finishPromises = [:]
    }

    /// The ids of the effects under way, oldest first.
    ///
    /// The caller makes names of them outside the lock, because that calls the user's code.
    var pathsUnderWay: [EffectPath] {
        runs.sorted { $0.key < $1.key }.compactMap { number, run in
            switch run.phase {
            case .job: EffectPath(ids: ids(of: number), waitsFor: nil)
            case .delay: EffectPath(ids: ids(of: number), waitsFor: "time")
            case .turn: EffectPath(ids: ids(of: number), waitsFor: "turn")
            case .parts, .interval: nil
            }
        }
    }

    /// The ids of a run and of the runs that contain it, outermost first.
    private func ids(of run: RunNumber) -> [EffectID] {
        var ids: [EffectID] = []
        var next: RunNumber? = run
        while let run = next {
            if let id = runs[run]?.id { ids.insert(id, at: 0) }
            next = runs[run]?.parent
        }
        return ids
    }
}

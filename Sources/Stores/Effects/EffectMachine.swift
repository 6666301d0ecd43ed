internal import PledgeFutures

/// The effects of one store that have not ended: a pure machine.
///
/// It calls no user code except `==` and `hash(into:)` of ids, takes no lock, and reads no clock.
/// ``StoreCore`` drives it: it changes the machine under the store's lock, in the same step as the state,
/// takes the commands that result, and carries them out later, outside the lock and in order. So no event of
/// an effect is reduced after the event that replaced it, unless it has entered the middleware before. With
/// middleware, effects that begin after an effect wait for its event (see `takeOver`): newer commands may
/// come first. The machine frees no object of a user: such objects go into a command.
///
/// ## Terms
///
/// A *run* is a node of a tree: an effect that has come and has not ended, or the timer of a throttled
/// id. A merge, a sequence, a delay that has fired, and an effect that has taken its id have the runs
/// of their parts as children. Runs are numbered in the order in which they come. An id's *slot* names the
/// run that has the id and the runs that wait for it. A *consequence* is a further change that a change
/// causes elsewhere: a group may end, an id may pass to the next run, a newcomer may take an id.
///
/// ## Rules
///
/// 1. Consequences are processed depth first: those of one before the next. They are on a stack of their own,
///    so that any number of effects that end when they begin needs no recursion.
/// 2. A part of a merge begins after the consequences of the part before it; a part of a sequence,
///    when the part before it has ended.
/// 3. Removing runs is one step: all of them are removed, with all their parts, and then, in the order of
///    their numbers, ids pass on and groups advance.
/// 4. An effect that replaces another removes it first, processes the consequences (a sequence may continue
///    with an effect of the same id), and then checks the id again. Until it has taken the id it is in no
///    slot, so that cancelling the id does not remove it.
///
/// ## Invariants
///
/// They hold after each method that is called from outside.
///
/// 1. A run is among its parent's children exactly as long as both exist. A parent's number is
///    smaller than its children's.
/// 2. A run of parts has a child, and only such runs have children. A merge has begun all its parts.
/// 3. A run with an id is in the id's slot, once: as the running one, and then it is a run of parts; or as a
///    waiting or the latest one, and then it is a turn. Besides these, slots name only their intervals.
/// 4. A slot exists exactly as long as it names a run. If a run waits, another has the id. If there
///    is a latest one, there is an interval. The runs that wait are in the order of their numbers.
/// 5. No run has the same id as one of its ancestors.
/// 6. `underWay` counts the jobs, delays and turns.
/// 7. All consequences are processed.
@usableFromInline
struct EffectMachine<Event: Sendable>: Sendable {
    typealias Run = EffectRun<Event>

    /// A further change that a change causes elsewhere.
    ///
    /// Each checks the machine again when it is processed, and does nothing if it no longer applies, so it
    /// may be late. An `advanceOrEnd` or a `pass` may also come twice.
    enum FollowUp: Sendable {
        /// A merge begins its next part.
        case startNextOfMerge(RunNumber)
        /// A sequence may begin its next part, and a run of parts may end.
        case advanceOrEnd(RunNumber)
        /// An id may pass to the next run that waits for it.
        case pass(EffectID)
        /// A turn takes an id, in place of the run that has it.
        case claim(EffectID, by: RunNumber)
    }

    var runs: [RunNumber: Run] = [:]
    var slots: [EffectID: EffectSlot] = [:]
    /// The consequences to process; the last is first.
    var consequences: [FollowUp] = []
    /// The commands to carry out outside the lock, since they were last taken.
    var commands: [EffectCommand<Event>] = []
    /// The number of the newest run or finish promise: they share one series.
    var lastNumber = 0
    /// How many effects are under way, or wait for another effect or for a delay.
    var underWay = 0
    /// How many events of effects are in the middleware.
    var eventsOnTheirWay = 0
    /// The promises to resolve when no effect is under way, for ``Store/finish(within:on:)``.
    var finishPromises: [Int: Promise<Void>] = [:]

    /// Takes the commands.
    @usableFromInline
    mutating func takeCommands() -> [EffectCommand<Event>] {
        resolveFinishPromisesIfIdle()
        guard !commands.isEmpty else { return [] }
        defer { commands = [] }
        return commands
    }

    /// Begins an effect.
    @usableFromInline
    mutating func start(_ effect: Effect<Event>) {
        if effect.isNone { return }
        start(effect, in: nil)
        // If an effect has no parts, its command keeps it. Otherwise a part may not have begun.
        if effect.hasParts { commands.append(.free(effect)) }
        workOff()
    }

    /// Whether a run has not ended, been replaced or been cancelled.
    func isAlive(_ run: RunNumber) -> Bool { runs[run] != nil }

    /// Notes what a run waits for, to be cancelled with it.
    ///
    /// - Returns: False if the run was removed: the caller cancels the handle. False also for an interval
    ///   whose timer has fired; cancelling that is harmless.
    mutating func attach(_ handle: EffectHandle<Event>, to run: RunNumber) -> Bool {
        switch runs[run]?.work {
        case .job: runs[run]?.work = .job(handle)
        case .delay(let effect, _): runs[run]?.work = .delay(effect, handle)
        case .interval(let id, _): runs[run]?.work = .interval(id, handle)
        case .parts, .turn: break
        case nil: return false
        }
        return true
    }

    /// Ends a job.
    ///
    /// - Returns: False if it was replaced or cancelled before: its result is late, and discarded.
    @usableFromInline
    mutating func end(_ run: RunNumber) -> Bool {
        guard case .job? = runs[run]?.work else { return false }
        removeOne(run)
        workOff()
        return true
    }

    /// Continues a run whose timer has fired.
    mutating func fire(_ run: RunNumber) {
        switch runs[run]?.work {
        case .delay(let effect, let timer):
            if let timer { commands.append(.free(timer)) }
            unfold(run, effect)
        case .interval(let id, _): endInterval(run, of: id)
        case .job, .parts, .turn, nil: return
        }
        workOff()
    }

    /// Removes all runs, without consequences.
    mutating func removeAll() {
        for run in runs.keys.sorted() {
            if let handle = runs[run]?.handle { commands.append(.cancel(handle)) }
        }
        commands.append(.free(runs))
        commands.append(.free(slots))
        (runs, slots, underWay, eventsOnTheirWay) = ([:], [:], 0, 0)
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

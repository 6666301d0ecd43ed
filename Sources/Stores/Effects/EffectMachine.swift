internal import Futures

/// The effects of one store that have not ended: a pure machine.
///
/// It calls no user code except `==` and `hash(into:)` of ids, takes no lock, and reads no clock.
/// ``StoreCore`` is its shell: it changes the machine under the store's lock, in the same step as the
/// state, takes the commands that the change has made, and carries them out later, outside the lock and
/// in order. So no event of an effect is reduced after the event that replaced it, unless it has entered
/// the middleware before. With middleware, what begins after an effect waits for the effect's event
/// (see `takeOver`): newer commands may come before it. The machine frees nothing that a user may have
/// made: that goes into a command.
///
/// ## Terms
///
/// A *run* is a node of a tree: an effect that has come and has not ended, or the timer of a throttled
/// id. A merge, a sequence, a delay that has fired, and an effect that has taken its id have the runs
/// of their parts as children. Runs are numbered as they come. An id's *slot* names the run that has
/// the id and the runs that wait for it. A *consequence* is what a change brings about elsewhere: a
/// group may end, an id may pass to the next run, a newcomer may take an id.
///
/// ## Rules
///
/// 1. Consequences are worked off depth first: those of one, before the next. They are on a stack of
///    their own, so that effects that end as they begin need no calls inside calls, however many.
/// 2. A part of a merge begins after the consequences of the part before it; a part of a sequence,
///    when the part before it has ended.
/// 3. To remove runs is one step: all of them go, with all that is part of them, and then, in the order
///    of their numbers, ids pass on and groups advance.
/// 4. An effect that replaces another removes it first, works off what comes of that (a sequence may
///    go on with an effect of the same id), and then looks at the id anew. Until it has taken the id
///    it is in no slot, so that to cancel the id does not remove it.
///
/// ## Invariants
///
/// They hold whenever a method that is called from outside has returned.
///
/// 1. A run is among its parent's children exactly as long as both are there. A parent's number is
///    smaller than its children's.
/// 2. A run of parts has a child, and only such runs have children. A merge has begun all its parts.
/// 3. A run with an id is in the id's slot, once: as the running one, then it is a run of parts; or
///    as a waiting or as the latest one, then it is a turn. Slots name no other runs but their
///    intervals.
/// 4. A slot is there exactly as long as it names a run. If a run waits, another has the id. If there
///    is a latest one, there is an interval. The runs that wait are in the order of their numbers.
/// 5. No run has the same id as one of its ancestors.
/// 6. `underWay` counts the jobs, delays and turns.
/// 7. All consequences are worked off.
@usableFromInline
struct EffectMachine<Event: Sendable>: Sendable {
    typealias Run = EffectRun<Event>

    /// What a change brings about elsewhere.
    ///
    /// Each looks at the machine anew when it is worked off, and does nothing if it no longer applies, so
    /// it may come too late. An `advanceOrEnd` or a `pass` may also come twice.
    enum Consequence: Sendable {
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
    /// What is to be worked off; the last comes first.
    var consequences: [Consequence] = []
    /// What is to be done outside the lock, since it was last taken.
    var commands: [EffectCommand<Event>] = []
    /// The number of the newest run or finish promise: they share one series.
    var lastNumber = 0
    /// How many effects are under way, or wait for their turn or their time.
    var underWay = 0
    /// How many events of effects are on their way through the middleware.
    var eventsOnTheirWay = 0
    /// What is resolved as soon as no effect is under way, for ``Store/finish(within:on:)``.
    var finishPromises: [Int: Promise<Void>] = [:]

    /// Takes what there is to do.
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
        // The command of an effect without parts keeps it. Of others, a part may not have begun.
        if effect.hasParts { commands.append(.free(effect)) }
        workOff()
    }

    /// Whether a run has not ended, been replaced or been cancelled.
    func isAlive(_ run: RunNumber) -> Bool { runs[run] != nil }

    /// Notes what a run waits for, to be cancelled with it.
    ///
    /// - Returns: False if the run has gone: the handle is to be cancelled. False also for an interval
    ///   whose timer has fired; to cancel that is harmless.
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
    /// - Returns: False if it was replaced or cancelled before: its result is late, and dropped.
    @usableFromInline
    mutating func end(_ run: RunNumber) -> Bool {
        guard case .job? = runs[run]?.work else { return false }
        removeOne(run)
        workOff()
        return true
    }

    /// Goes on with a run whose timer has fired.
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

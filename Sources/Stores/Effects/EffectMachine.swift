internal import Futures

/// The effects of one store that have not ended: a pure machine.
///
/// It calls no function of a user's but to compare ids, takes no lock, and reads no clock. ``StoreCore``
/// is its shell: it changes the machine under the store's lock, in the same step as the state, takes
/// the commands that the change has left, and carries them out later, outside the lock and in order. So
/// no event of an effect is reduced after the event that replaced it. What a user may have made is
/// never freed here: it goes into a command.
///
/// ## Terms
///
/// A *run* is one effect that has begun. Runs form trees: a merge, a sequence, and an effect with an
/// id have the runs of their parts as children. An id's *slot* says who has the id and who waits for
/// it. A *consequence* is what comes of a change elsewhere: a group may end, an id may pass to the next,
/// a newcomer may take an id.
///
/// ## Rules
///
/// 1. Consequences are worked off depth first: all that comes of one, before the next. They are a
///    stack, not calls, so that effects that end as they begin need no stack, however many.
/// 2. A part of a merge begins after all that came of the part before it; a part of a sequence, when
///    the part before it has ended.
/// 3. To remove runs is one step: all of them go, with all that is part of them, and then, in the order
///    in which they had begun, ids pass on and groups advance.
/// 4. An effect that replaces another removes it first, works off what comes of that (a sequence may
///    go on with an effect of the same id), and then looks at the id anew.
///
/// ## Invariants
///
/// They hold whenever a method that is called from outside has returned.
///
/// 1. A run is among its parent's children exactly as long as both are there. A parent's number is
///    smaller than its children's.
/// 2. Where a run of parts has no part left to begin, it has a child; so has every sequence. Only
///    such runs have children.
/// 3. A run with an id stands in the id's slot, once: as the running one, then it is a run of parts; or
///    as a waiting or as the latest one, then it is a turn. Slots name no other runs but their
///    intervals.
/// 4. A slot is there exactly as long as it names a run. Where one waits, one is running. Where there
///    is a latest one, there is an interval.
/// 5. No run has an id that a run has which it is a part of.
/// 6. `underWay` counts the futures, delays and turns.
/// 7. No consequence is left.
@usableFromInline
struct EffectMachine<Event: Sendable>: Sendable {
    typealias Run = EffectRun<Event>

    /// What comes of a change elsewhere.
    ///
    /// Each looks at what is there when its turn comes, and does nothing where that is in order: so it
    /// does no harm if one comes twice, or too late.
    enum Consequence: Sendable {
        /// A merge begins its next part.
        case proceed(Int)
        /// A sequence may begin its next part, and a run of parts may end.
        case advance(Int)
        /// An id may pass to the next that waits for it.
        case pass(EffectID)
        /// A turn takes an id, in place of what has it.
        case claim(EffectID, by: Int)
    }

    var runs: [Int: Run] = [:]
    var slots: [EffectID: EffectSlot] = [:]
    /// What is left to work off; the last comes first.
    var consequences: [Consequence] = []
    /// What has been left to do since it was last taken.
    var commands: [EffectCommand<Event>] = []
    /// How many runs, and waiters, there have been: the number of the last.
    var count = 0
    /// How many effects are under way or wait, for a turn or for their time.
    var underWay = 0
    /// How many events of effects are on their way through the middleware.
    var eventsOnTheirWay = 0
    /// Those who wait until no effect is under way.
    var waiters: [Int: Promise<Void>] = [:]

    /// Takes what there is to do.
    @usableFromInline
    mutating func takeCommands() -> [EffectCommand<Event>] {
        resolveWaitersIfIdle()
        guard !commands.isEmpty else { return [] }
        defer { commands = [] }
        return commands
    }

    /// Begins an effect.
    @usableFromInline
    mutating func begin(_ effect: Effect<Event>) {
        if effect.isNone { return }
        begin(effect, in: nil)
        // What begins at once is kept by its command; of others a part may have been dropped.
        if effect.hasParts { commands.append(.free(effect)) }
        workOff()
    }

    /// Whether a run has not ended, been replaced or been cancelled.
    func isAlive(_ run: Int) -> Bool { runs[run] != nil }

    /// Notes what a run waits for, to be cancelled with it.
    ///
    /// - Returns: False if the run has ended: nobody wants it. (If a timer has fired already, it is no
    ///   matter.)
    mutating func attach(_ handle: EffectHandle<Event>, to run: Int) -> Bool {
        switch runs[run]?.work {
        case .future: runs[run]?.work = .future(handle)
        case .delay(let effect, _): runs[run]?.work = .delay(effect, handle)
        case .interval(let id, _): runs[run]?.work = .interval(id, handle)
        case .parts, .turn: break
        case nil: return false
        }
        return true
    }

    /// Ends a run whose future has settled.
    ///
    /// - Returns: False if it was replaced or cancelled before: its result is late, and dropped.
    @usableFromInline
    mutating func end(_ run: Int) -> Bool {
        guard case .future? = runs[run]?.work else { return false }
        leave(run)
        workOff()
        return true
    }

    /// Goes on with a run whose timer has fired.
    mutating func fire(_ run: Int) {
        switch runs[run]?.work {
        case .delay(let effect, let timer):
            if let timer { commands.append(.free(timer)) }
            unfold(run, effect)
        case .interval(let id, _): endInterval(run, of: id)
        case .future, .parts, .turn, nil: return
        }
        workOff()
    }

    /// Removes everything, and lets nothing come of it.
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
            case .proceed(let run): proceed(run)
            case .advance(let run): advance(run)
            case .pass(let id): pass(on: id)
            case .claim(let id, let run): claim(id, by: run)
            }
        }
    }
}

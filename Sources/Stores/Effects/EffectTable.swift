internal import Futures

/// The effects of one store that have not ended: which there are, and who has which id.
///
/// It only keeps the books. It is changed under the store's lock, in the same step as the state,
/// so that no event of an effect is reduced after the event that replaced it; what has
/// to be done about it is left in `commands`, for whoever changed it to do outside the lock.
///
/// Ends are gathered in `ended` and worked off in a loop by ``settle()``: effects that end as soon as
/// they begin, however many wait for each other, need no stack.
@usableFromInline
struct EffectTable<Event: Sendable>: Sendable {
    typealias Run = EffectRun<Event>

    var runs: [Int: Run] = [:]
    var slots: [EffectID: EffectSlot] = [:]
    /// What has been left to do since it was last taken.
    var commands: [EffectCommand<Event>] = []
    var ended: [Int] = []
    var count = 0

    /// How many effects are under way or wait, for a turn or for their time.
    var underWay: Int { runs.values.count { $0.isUnderWay } }

    /// Takes what there is to do.
    @usableFromInline
    mutating func takeCommands() -> [EffectCommand<Event>] {
        guard !commands.isEmpty else { return [] }
        defer { commands = [] }
        return commands
    }

    /// Begins an effect.
    @usableFromInline
    mutating func begin(_ effect: Effect<Event>) {
        if effect.isNone { return }
        begin(effect, in: nil)
        // What begins a future is kept by its command; of others a part may have been dropped.
        if !effect.isStart { letGo(of: effect) }
        settle()
    }

    /// Whether a run has not ended, been replaced or been cancelled.
    func isAlive(_ run: Int) -> Bool { runs[run] != nil }

    /// Notes the future that a run waits for.
    ///
    /// - Returns: False if the run has ended: nobody wants the future.
    mutating func attach(_ future: Future<Event>, to run: Int) -> Bool {
        guard case .future = runs[run]?.work else { return false }
        runs[run]?.work = .future(future)
        return true
    }

    /// Notes the timer that a run waits for.
    ///
    /// - Returns: False if the run has ended: nobody wants the timer. (If it has fired already, it is
    ///   no matter.)
    mutating func attach(_ timer: any ScheduledAction, to run: Int) -> Bool {
        switch runs[run]?.work {
        case .delay(let effect, _): runs[run]?.work = .delay(effect, timer: timer)
        case .interval(let id, _): runs[run]?.work = .interval(id, timer: timer)
        default: return runs[run] != nil
        }
        return true
    }

    /// Ends a run whose future has settled.
    ///
    /// - Returns: False if it was replaced or cancelled before: its result is late, and dropped.
    @usableFromInline
    mutating func end(_ run: Int) -> Bool {
        guard runs[run] != nil else { return false }
        ended.append(run)
        settle()
        return true
    }

    /// Goes on with a run whose timer has fired.
    mutating func fire(_ run: Int) {
        switch runs[run]?.work {
        case .delay(let effect, _): unfold(run, effect)
        case .interval(let id, _): endInterval(run, of: id)
        default: return
        }
        settle()
    }

    /// Takes everything back.
    mutating func cancelAll() {
        for run in runs.keys.sorted() {
            guard let run = runs[run] else { continue }
            takeBack(run)
            letGo(of: run)
        }
        (runs, slots, ended) = ([:], [:], [])
    }
}

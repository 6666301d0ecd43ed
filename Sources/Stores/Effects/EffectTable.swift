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

    private(set) var runs: [Int: Run] = [:]
    private(set) var slots: [EffectID: EffectSlot] = [:]
    /// What has been left to do since it was last taken.
    private(set) var commands: [EffectCommand<Event>] = []
    private var ended: [Int] = []
    private var count = 0

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
        for run in runs.keys.sorted() { if let run = runs[run] { takeBack(run) } }
        (runs, slots, ended) = ([:], [:], [])
    }
}

// MARK: - Beginning

extension EffectTable {
    private mutating func begin(_ effect: Effect<Event>, in parent: Int?) {
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

    private mutating func begin(
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
            if policy == .newest { cancel(id) }
            // What was cancelled may have held what this is a part of.
            if let parent, runs[parent] == nil { return }
            occupy(id, by: add(.turn(effect), in: parent, as: id))
        }
    }

    private mutating func begin(
        _ effect: Effect<Event>, in parent: Int?, as id: EffectID, _ throttling: Throttling
    ) {
        if isInside(parent, id) { return begin(effect, in: parent) }
        guard slots[id]?.interval != nil else {
            let run = add(.turn(effect), in: parent, as: id)
            slots[id, default: EffectSlot()].latest = run
            return beginThrottled(id, throttling)
        }
        guard throttling.keepsLatest else { return }
        if let latest = slots[id]?.latest { remove(latest) }
        if let parent, runs[parent] == nil { return }
        let run = add(.turn(effect), in: parent, as: id)
        slots[id]?.latest = run
        slots[id]?.throttling = throttling
    }

    /// Begins the latest throttled effect of an id in place of the running one, and its interval.
    private mutating func beginThrottled(_ id: EffectID, _ throttling: Throttling) {
        guard let run = slots[id]?.latest else { return }
        slots[id]?.latest = nil
        let interval = add(.interval(id, timer: nil), in: nil)
        slots[id]?.interval = interval
        slots[id]?.throttling = throttling
        commands.append(.schedule(interval, throttling.interval, throttling.scheduler))
        if let running = slots[id]?.running {
            slots[id]?.running = nil
            remove(running)
        }
        if runs[run] != nil { occupy(id, by: run) }
    }

    private mutating func endInterval(_ run: Int, of id: EffectID) {
        runs[run] = nil
        slots[id]?.interval = nil
        if slots[id]?.latest != nil, let throttling = slots[id]?.throttling {
            beginThrottled(id, throttling)
        }
        freeIfUnused(id)
    }

    /// Gives an id to a run that waited for its turn, and begins its effect.
    private mutating func occupy(_ id: EffectID, by run: Int) {
        guard case .turn(let effect) = runs[run]?.work else { return }
        slots[id, default: EffectSlot()].running = run
        unfold(run, effect)
    }

    /// Makes a run that waited a group of the effect that it waited with.
    private mutating func unfold(_ run: Int, _ effect: Effect<Event>) {
        runs[run]?.work = .group
        begin(effect, in: run)
        endIfChildless(run)
    }

    /// Begins the effects that are left of a sequence, until there is one to wait for.
    private mutating func advance(_ run: Int) {
        while case .sequence(let effects) = runs[run]?.work {
            guard runs[run]?.children.isEmpty == true else { return }
            guard let next = effects.first else { break }
            runs[run]?.work = .sequence(effects.dropFirst())
            begin(next, in: run)
        }
        endIfChildless(run)
    }

    private mutating func add(_ work: Run.Work, in parent: Int?, as id: EffectID? = nil) -> Int {
        count += 1
        runs[count] = Run(parent: parent, id: id, work: work)
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

// MARK: - Ending

extension EffectTable {
    private mutating func endIfChildless(_ run: Int) {
        if runs[run]?.children.isEmpty == true { ended.append(run) }
    }

    /// Works off the ends: frees ids, begins who waited for them, and tells the parents.
    private mutating func settle() {
        while let run = ended.popLast() {
            guard let gone = runs.removeValue(forKey: run) else { continue }
            if let id = gone.id, slots[id]?.running == run { pass(on: id) }
            tell(gone.parent, of: run)
        }
    }

    /// Gives an id to the next that waits for it.
    private mutating func pass(on id: EffectID) {
        slots[id]?.running = nil
        if slots[id]?.waiting.isEmpty == false, let next = slots[id]?.waiting.removeFirst() {
            occupy(id, by: next)
        }
        freeIfUnused(id)
    }

    private mutating func tell(_ parent: Int?, of child: Int) {
        guard let parent, runs[parent]?.children.remove(child) != nil else { return }
        switch runs[parent]?.work {
        case .sequence: advance(parent)
        case .group: endIfChildless(parent)
        default: break
        }
    }

    private mutating func freeIfUnused(_ id: EffectID) {
        if slots[id]?.isFree == true { slots[id] = nil }
    }

    /// Cancels all that has an id or waits for it.
    private mutating func cancel(_ id: EffectID) {
        guard let slot = slots.removeValue(forKey: id) else { return }
        // From the last to the first, so that the end of one begins none of the others.
        for run in slot.waiting.reversed() { remove(run) }
        if let latest = slot.latest { remove(latest) }
        if let interval = slot.interval { remove(interval) }
        if let running = slot.running { remove(running) }
    }

    /// Takes a run back with all that is part of it.
    private mutating func remove(_ run: Int) {
        guard let gone = runs.removeValue(forKey: run) else { return }
        takeBack(gone)
        for child in gone.children.sorted() { remove(child) }
        if let id = gone.id { leave(id, run) }
        tell(gone.parent, of: run)
    }

    /// Takes a run out of its id's slot.
    private mutating func leave(_ id: EffectID, _ run: Int) {
        if slots[id]?.running == run {
            pass(on: id)
        } else {
            slots[id]?.waiting.removeAll { $0 == run }
            if slots[id]?.latest == run { slots[id]?.latest = nil }
            freeIfUnused(id)
        }
    }

    private mutating func takeBack(_ run: Run) {
        switch run.work {
        case .future(let future?): commands.append(.cancel(future))
        case .delay(_, let timer?), .interval(_, let timer?): commands.append(.take(back: timer))
        default: break
        }
    }
}

public import PledgeFutures

/// Later runs have greater numbers.
@usableFromInline
typealias RunNumber = Int

/// An effect that hasn't ended, or a throttled id's timer; a node of a tree.
///
/// Its children are the runs of its parts; it ends after its last child.
struct EffectRun: Sendable {
    /// The run that this one is a part of.
    let parent: RunNumber?
    /// The root of the tree, which came with the event that asked for this effect.
    ///
    /// Newer events have greater roots. An interval's timer has the root of the effect that it began with.
    let root: RunNumber
    /// The id that the run has or waits for.
    let id: EffectID?
    var phase: Phase
    var children: Set<RunNumber> = []

    /// What a run does or waits for.
    enum Phase: Sendable {
        /// The parts that haven't begun.
        ///
        /// Next: ended, when all parts have begun and no child is left.
        case parts(ArraySlice<EffectTree>, Order)
        /// A future or an operation; the handle is nil until it's created.
        ///
        /// Next: ended.
        case job(EffectHandle?)
        /// A delay before an effect.
        ///
        /// Next: parts, with the effect.
        case delay(EffectTree, EffectHandle?)
        /// A wait for the run's turn among effects with the same id.
        ///
        /// Next: parts, with the waiting effect.
        case turn(EffectTree, Throttling?)
        /// A throttled id's interval.
        ///
        /// Next: ended.
        case interval(EffectID, EffectHandle?)
    }

    /// When a part begins.
    enum Order: Sendable {
        /// When the part before it has begun.
        case together
        /// When the part before it has ended.
        case inOrder
    }

    /// The unbegun effects that a cancellation can drop, with their parts' indexes: those of a sequence, a delay or a
    /// turn.
    ///
    /// A merge has none, because it begins all its parts in one step.
    var unbegun: [(part: Int, effect: EffectTree)] {
        switch phase {
        case .parts(let parts, .inOrder): Array(zip(parts.indices, parts))
        case .delay(let effect, _), .turn(let effect, _): [(0, effect)]
        case .parts, .job, .interval: []
        }
    }

    func unbegun(at part: Int) -> EffectTree? {
        switch phase {
        case .parts(let parts, _): parts[part]
        case .delay(let effect, _), .turn(let effect, _): effect
        case .job, .interval: nil
        }
    }

    /// Replaces an unbegun effect, without copying the others.
    mutating func replaceUnbegun(at part: Int, with effect: EffectTree) {
        switch phase {
        case .parts(var parts, let order):
            // Now the array has only one owner, so writing to it copies nothing.
            phase = .parts([], order)
            parts[part] = effect
            phase = .parts(parts, order)
        case .delay(_, let timer): phase = .delay(effect, timer)
        case .turn(_, let throttling): phase = .turn(effect, throttling)
        case .job, .interval: break
        }
    }

    var isUnderWay: Bool {
        switch phase {
        case .job, .delay, .turn: true
        case .parts, .interval: false
        }
    }

    /// True if it may own objects of the user, which must not be freed under the store's lock.
    ///
    /// A removed job owns none: if it has ended, the code that delivers its result holds the future; if it was
    /// cancelled, the command does.
    var mayOwnUserObjects: Bool {
        if id != nil { return true }
        return switch phase {
        case .parts(let parts, _): !parts.isEmpty
        case .delay, .turn, .interval: true
        case .job: false
        }
    }

    /// What to cancel with the run.
    var handle: EffectHandle? {
        switch phase {
        case .job(let handle), .delay(_, let handle), .interval(_, let handle): handle
        case .parts, .turn: nil
        }
    }
}

/// The run that has an id, and the runs that wait for it.
struct EffectSlot: Sendable {
    var running: RunNumber?
    /// In the order of their numbers.
    var waiting: ArraySlice<RunNumber> = []
    /// The interval's timer, after a throttled effect has begun.
    var interval: RunNumber?
    /// The throttled run that begins at the end of the interval.
    var latest: RunNumber?

    /// True if a newcomer has to wait.
    var isInUse: Bool { running != nil || !waiting.isEmpty }

    var isUnused: Bool { !isInUse && interval == nil && latest == nil }

    var runs: [RunNumber] { waiting + [latest, interval, running].compactMap { $0 } }
}

/// What an effect waits for; cancelled with the effect.
@usableFromInline
enum EffectHandle: Sendable {
    case future(any CancellableFuture)
    case timer(any ScheduledAction)

    func cancel() {
        switch self {
        case .future(let future): future.cancel()
        case .timer(let timer): timer.cancel()
        }
    }
}

/// A future of any value.
@usableFromInline
protocol CancellableFuture: Sendable {
    func cancel()
}

extension Future: CancellableFuture {}

/// What an ``EffectMachine`` wants done outside the lock, in order.
@usableFromInline
enum EffectCommand: Sendable {
    /// Begin a job, and tell the run of its end.
    case begin(RunNumber, any EffectJob)
    /// Start a timer that fires the run.
    case schedule(RunNumber, Duration, any FutureScheduler)
    /// Resolve a promise of ``Store/finish(within:on:)``.
    case resolve(Promise<Void>)
    case cancel(EffectHandle)
    /// Free the value outside the lock, because objects that an effect captured may use the store when they are freed.
    case free(any Sendable)

    /// True if the command begins a run; it does nothing if the run was cancelled.
    var isBeginning: Bool {
        switch self {
        case .begin, .schedule: true
        case .resolve, .cancel, .free: false
        }
    }
}

/// Names an effect under way.
struct EffectPath: Sendable {
    /// Outermost first.
    let ids: [EffectID]
    /// What the effect waits for, in a word; nil if it has begun.
    let waitsFor: String?

    /// For messages.
    var name: String {
        let path =
            ids.isEmpty ? "an effect without an id" : ids.map(\.name).joined(separator: " > ")
        return waitsFor.map { "\(path), which waits for its \($0)" } ?? path
    }
}

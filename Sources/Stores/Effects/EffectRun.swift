public import PledgeFutures

/// The number of a run; a later run has a greater number.
@usableFromInline
typealias RunNumber = Int

/// An effect that has not ended, or the timer of a throttled id; a node of a tree.
///
/// If an effect consists of other effects, its children are the runs of these other effects. It ends after its last
/// child.
struct EffectRun: Sendable {
    /// The run that this one is a part of; nil for the root of a tree.
    let parent: RunNumber?
    /// The root of the tree, which came with the event that asked for this effect.
    ///
    /// Newer events have greater roots. The timer of an interval has the root of the effect that it began with.
    let root: RunNumber
    /// The id that the run has or waits for; nil if its effect has no id.
    let id: EffectID?
    var phase: Phase
    var children: Set<RunNumber> = []

    /// What a run does, or waits for.
    enum Phase: Sendable {
        /// The parts that have not begun.
        ///
        /// Next state: ended, when all parts have begun and no child is left.
        case parts(ArraySlice<EffectTree>, Order)
        /// A future or an operation; the handle is nil until the work is created.
        ///
        /// Next state: ended.
        case job(EffectHandle?)
        /// A delay before an effect begins.
        ///
        /// Next state: parts, with the delayed effect.
        case delay(EffectTree, EffectHandle?)
        /// A wait for the run's turn among the effects with the same id.
        ///
        /// Next state: parts, with the waiting effect.
        case turn(EffectTree, Throttling?)
        /// A wait for the end of a throttled id's interval.
        ///
        /// Next state: ended.
        case interval(EffectID, EffectHandle?)
    }

    /// The time when a part begins.
    enum Order: Sendable {
        /// After the part before it has begun.
        case together
        /// After the part before it has ended.
        case inOrder
    }

    /// The effects that have not begun and that a cancellation can drop, each with its part's index.
    ///
    /// They are the parts of a sequence, or the effect of a delay or a turn. A merge has none: it begins all its
    /// parts in one step.
    var unbegun: [(part: Int, effect: EffectTree)] {
        switch phase {
        case .parts(let parts, .inOrder): Array(zip(parts.indices, parts))
        case .delay(let effect, _), .turn(let effect, _): [(0, effect)]
        case .parts, .job, .interval: []
        }
    }

    /// Returns one of the effects that have not begun.
    func unbegun(at part: Int) -> EffectTree? {
        switch phase {
        case .parts(let parts, _): parts[part]
        case .delay(let effect, _), .turn(let effect, _): effect
        case .job, .interval: nil
        }
    }

    /// Replaces one of the effects that have not begun, without copying the others.
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

    /// True if it counts as an effect under way.
    var isUnderWay: Bool {
        switch phase {
        case .job, .delay, .turn: true
        case .parts, .interval: false
        }
    }

    /// True if it may own objects of the user, which must not be freed under the store's lock.
    ///
    /// A job owns no such object when the job is removed. If the job has ended, the code that delivers the result holds
    /// the future. If the job was cancelled, the command that cancels the future holds the handle.
    var mayOwnUserObjects: Bool {
        if id != nil { return true }
        return switch phase {
        case .parts(let parts, _): !parts.isEmpty
        case .delay, .turn, .interval: true
        case .job: false
        }
    }

    /// The handle to cancel with the run.
    var handle: EffectHandle? {
        switch phase {
        case .job(let handle), .delay(_, let handle), .interval(_, let handle): handle
        case .parts, .turn: nil
        }
    }
}

/// The state of an effect's id: the run that has it, and the runs that wait for it.
struct EffectSlot: Sendable {
    /// The run that has the id.
    var running: RunNumber?
    /// The runs that wait until the running one has ended, in the order of their numbers.
    var waiting: ArraySlice<RunNumber> = []
    /// The run of the interval's timer, after a throttled effect has begun.
    var interval: RunNumber?
    /// The throttled run that begins at the end of the interval.
    var latest: RunNumber?

    /// True if a run has the id or waits for it, so that a newcomer has to wait.
    var isInUse: Bool { running != nil || !waiting.isEmpty }

    var isUnused: Bool { !isInUse && interval == nil && latest == nil }

    /// All runs that the slot names.
    var runs: [RunNumber] { waiting + [latest, interval, running].compactMap { $0 } }
}

/// The future, operation or timer that an effect waits for; it is cancelled with the effect.
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

/// A future of any type of value.
@usableFromInline
protocol CancellableFuture: Sendable {
    func cancel()
}

extension Future: CancellableFuture {}

/// A command of an ``EffectMachine``, carried out outside the lock and in order.
@usableFromInline
enum EffectCommand: Sendable {
    /// Begins a job, and notifies the run of its end.
    case begin(RunNumber, any EffectJob)
    /// Starts a timer that fires the run after a delay.
    case schedule(RunNumber, Duration, any FutureScheduler)
    /// Resolves a promise of ``Store/finish(within:on:)``.
    case resolve(Promise<Void>)
    case cancel(EffectHandle)
    /// Frees the value, outside the lock, and does nothing else.
    ///
    /// Objects that a user's effect captured may use the store when they are freed.
    case free(any Sendable)

    /// True if the command begins a run.
    ///
    /// Such a command does nothing if the run was cancelled before.
    var isBeginning: Bool {
        switch self {
        case .begin, .schedule: true
        case .resolve, .cancel, .free: false
        }
    }
}

/// The ids that identify an effect under way in its store.
struct EffectPath: Sendable {
    /// The ids, outermost first.
    let ids: [EffectID]
    /// The effect's reason to wait, in a word; nil if it has begun.
    let waitsFor: String?

    /// The path as text, for messages.
    var name: String {
        let path =
            ids.isEmpty ? "an effect without an id" : ids.map(\.name).joined(separator: " > ")
        return waitsFor.map { "\(path), which waits for its \($0)" } ?? path
    }
}

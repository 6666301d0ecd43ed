internal import PledgeFutures

/// The number of a run: of two runs, the later has the greater number.
@usableFromInline
typealias RunNumber = Int

/// A node of a tree: an effect that has not ended, or the timer of a throttled id.
///
/// An effect that consists of others has their runs as its children, and ends when the last of them has
/// ended.
struct EffectRun<Event: Sendable>: Sendable {
    /// The run that this one is a part of.
    let parent: RunNumber?
    /// The id that it has, or waits for.
    let id: EffectID?
    var work: Work
    var children: Set<RunNumber> = []

    /// What a run does, or waits for.
    enum Work: Sendable {
        /// The parts that have not begun. Next: ended, when all have begun and no child is left.
        case parts(ArraySlice<Effect<Event>>, Order)
        /// A future or an operation, once it is made. Next: ended.
        case job(EffectHandle<Event>?)
        /// A delay. Next: parts, of the effect that is delayed.
        case delay(Effect<Event>, EffectHandle<Event>?)
        /// Its turn among the effects with its id. Next: parts, of the effect that waits.
        case turn(Effect<Event>, Throttling?)
        /// The end of a throttled id's interval. Next: ended.
        case interval(EffectID, EffectHandle<Event>?)
    }

    /// When a part begins.
    enum Order: Sendable {
        /// When the part before it has begun.
        case together
        /// When the part before it has ended.
        case inOrder
    }

    /// Whether it counts as an effect under way.
    var isUnderWay: Bool {
        switch work {
        case .job, .delay, .turn: true
        case .parts, .interval: false
        }
    }

    /// Whether it may own objects of the user, which must not be freed under the store's lock.
    ///
    /// A job that ends does not: the code that delivers the result holds its future meanwhile. The handle of
    /// a cancelled job is in the command that cancels it.
    var mayOwnUserObjects: Bool {
        if id != nil { return true }
        return switch work {
        case .parts(let parts, _): !parts.isEmpty
        case .delay, .turn, .interval: true
        case .job: false
        }
    }

    /// The handle to cancel with it.
    var handle: EffectHandle<Event>? {
        switch work {
        case .job(let handle), .delay(_, let handle), .interval(_, let handle): handle
        case .parts, .turn: nil
        }
    }
}

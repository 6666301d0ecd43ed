internal import Futures

/// The number of a run: of two, the one that came later has the greater.
@usableFromInline
typealias RunNumber = Int

/// An effect that has come and has not ended, or the timer of a throttled id, as a node of a tree.
///
/// An effect made of others has theirs as its children, and ends when the last of them has ended.
struct EffectRun<Event: Sendable>: Sendable {
    /// The run that this one is a part of.
    let parent: RunNumber?
    /// The id that it has, or waits for.
    let id: EffectID?
    var work: Work
    var children: Set<RunNumber> = []

    /// What a run does, or waits for.
    enum Work: Sendable {
        /// The parts that have not begun. Next: ended, when all have begun and no child is there.
        case parts(ArraySlice<Effect<Event>>, Order)
        /// A future or an operation, once it is made. Next: ended.
        case job(EffectHandle<Event>?)
        /// A delay. Next: parts, of the effect that is delayed.
        case delay(Effect<Event>, EffectHandle<Event>?)
        /// Its turn among those with its id. Next: parts, of the effect that waits.
        case turn(Effect<Event>, Throttling?)
        /// The end of a throttled id's interval. Next: ended.
        case interval(EffectID, EffectHandle<Event>?)
    }

    /// When a part begins.
    enum Order: Sendable {
        /// As soon as the one before it has begun.
        case together
        /// When the one before it has ended.
        case inOrder
    }

    /// Whether it counts as an effect under way.
    var isUnderWay: Bool {
        switch work {
        case .job, .delay, .turn: true
        case .parts, .interval: false
        }
    }

    /// Whether it may own objects of a user's, which must not be freed under the store's lock.
    ///
    /// A job that ends does not: who delivers the result holds its future meanwhile. The handle of one
    /// that is cancelled is in the command that cancels it.
    var mayOwnUserObjects: Bool {
        if id != nil { return true }
        return switch work {
        case .parts(let parts, _): !parts.isEmpty
        case .delay, .turn, .interval: true
        case .job: false
        }
    }

    /// What is to be cancelled with it.
    var handle: EffectHandle<Event>? {
        switch work {
        case .job(let handle), .delay(_, let handle), .interval(_, let handle): handle
        case .parts, .turn: nil
        }
    }
}

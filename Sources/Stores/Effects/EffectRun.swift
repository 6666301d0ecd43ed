internal import Futures

/// One effect of a store that has begun, as a node of a tree: an effect made of others has theirs
/// as its children, and ends when the last of them has ended.
struct EffectRun<Event: Sendable>: Sendable {
    /// The run that this one is a part of.
    let parent: Int?
    /// The id that it has, or waits for.
    let id: EffectID?
    var work: Work
    var children: Set<Int> = []

    /// What a run is about.
    enum Work: Sendable {
        /// The parts that have not begun. Next: ended, when none is left and no child either.
        case parts(ArraySlice<Effect<Event>>, Order)
        /// A future or an operation, once it is made. Next: ended.
        case future(EffectHandle<Event>?)
        /// A delay. Next: parts, of the effect that it holds up.
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

    /// Whether it is something that a user would call an effect under way.
    var isUnderWay: Bool {
        switch work {
        case .future, .delay, .turn: true
        case .parts, .interval: false
        }
    }

    /// Whether a user's effect or id may go with it.
    var holdsEffects: Bool {
        if id != nil { return true }
        return switch work {
        case .parts(let left, _): !left.isEmpty
        case .delay, .turn, .interval: true
        case .future: false
        }
    }

    /// What is to be cancelled with it.
    var handle: EffectHandle<Event>? {
        switch work {
        case .future(let handle), .delay(_, let handle), .interval(_, let handle): handle
        case .parts, .turn: nil
        }
    }
}

public import Synchronization

/// The part of a future that does not depend on its type of value: its state, and who waits for it.
///
/// It is public only because ``Future`` inherits from it, and has no public members.
///
/// Words, states, ownership, and who calls whom: the article Futures.docc/Core.md.
///
/// The fields are `@exclusivity(unchecked)`: each access is one load or store, so none can overlap
/// another on the same thread.
@_documentation(visibility: internal)
public class FutureNode: @unchecked Sendable {
    /// See ``StateWord``.
    ///
    /// What stands below, and in ``Links``, is written before the node is enrolled by the thread that made
    /// it, and after that under the rule beside it.
    @usableFromInline let word: Atomic<UInt>

    /// What there is beside the word: the cancel handlers while pending, the error once failed.
    ///
    /// Guarded by the lock; the error is read only where an acquiring load found the word settled.
    @usableFromInline @exclusivity(unchecked) final var attachment = Attachment.none

    /// See ``attachment``.
    @usableFromInline
    enum Attachment {
        case none
        case failure(Failure)
        case handlers(CancelHandlers)
    }

    /// Where the ``Links`` of this node are; nil in a root.
    ///
    /// Never changes once this is made.
    @usableFromInline @exclusivity(unchecked) final var links: UnsafeMutablePointer<Links>!

    /// Whether this is in the list of its upstream.
    ///
    /// Guarded by the upstream's lock, and meaningless once the upstream has settled. Cleared under the node's
    /// own lock where it gets another upstream, whose list it is not in yet.
    @usableFromInline @exclusivity(unchecked) final var isEnrolled = false

    /// Whether this future only waits to take over the result of its upstream.
    ///
    /// Guarded by this node's own lock.
    @usableFromInline @exclusivity(unchecked) final var isForwarding = false

    /// Whether the waiters hear nothing when this promise is released.
    ///
    /// Written before any other thread knows the promise.
    @usableFromInline @exclusivity(unchecked) final var isSilent = false

    /// Whether this was left without interest at least once.
    ///
    /// Guarded by this node's own lock.
    @usableFromInline @exclusivity(unchecked) final var wasGivenUp = false

    /// A function that hands the result of a settled node, the second, to one that waits for it.
    @usableFromInline
    typealias Delivery = @Sendable (FutureNode, FutureNode) -> Void

    @inlinable
    init(word: UInt) {
        self.word = Atomic(word)
    }

    deinit {
        // Pending, with a list: what this waited for was released in silence, so nothing settles it.
        if word.load(ordering: .relaxed) & ~StateWord.flags != 0, lockIfPending() {
            assert(isRoot || upstream == nil, "only what has lost its upstream is freed pending")
            Self.forget(list)
        }
    }

    /// Moves timers and inputs, which are needed no more, from this node to a cancellation.
    ///
    /// Runs once, on the thread that has given this up. It releases nothing.
    func surrender(to cancellation: inout Cancellation) {}

    /// Releases the user's closure, since this node was given up and is delivered nothing; `always` runs it.
    ///
    /// Called at most once, while no lock is held: at the end of the cancellation that has taken this node out
    /// of a list, or by the deliverer that finds it given up.
    func withdraw() {}

    /// Hears that one of the inputs of this aggregate has settled.
    ///
    /// - Returns: Whether the caller is to release this future, which it does not hold otherwise.
    func inputSettled(_ input: AggregateInput) -> Bool { false }

    /// Hears that one of the inputs of this aggregate will never settle.
    ///
    /// - Returns: As `inputSettled`.
    func inputLost() -> Bool { false }

    /// Forgets its upstream, which is about to be freed and has no result.
    ///
    /// It may still be cancelled. A thread that has done so already may be reading the upstream.
    final func loseUpstream() {
        guard lockIfPending() else { return waitUntilDetached() }
        upstream = nil
        unlock()
    }

    /// Hears that it lost its upstream, so that it is delivered nothing; runs while no lock is held.
    func upstreamWasLost() {}

    /// Hears that some of the inputs of this aggregate have been given up, and will not settle.
    func inputsGivenUp(_ number: Int) {}

    /// Hears that the time of this future is over.
    @usableFromInline func timeIsOver() {}

    /// Where this node was made, as far as it is known.
    var origin: SourceLocation? { nil }

    /// What this aggregate waits for.
    var inputsOfAggregate: [FutureNode] { [] }
}

// MARK: - The word

extension FutureNode {
    /// Whether the future has a result.
    ///
    /// Acquiring: the result may be read if so.
    @inlinable
    package final var hasSettled: Bool { word.load(ordering: .acquiring) & StateWord.settled != 0 }

    /// Whether the future has settled with a value.
    ///
    /// It asks for no generic type, so it costs next to nothing in generic code, where ``Future/result``
    /// would look up the type of its result at run time.
    @inlinable
    package final var hasSucceeded: Bool { word.load(ordering: .acquiring) == StateWord.value }

    /// Whether this waits for nothing: a producer settles it, or it was made settled.
    ///
    /// References from outside alone keep it alive; any other node is owned by its upstream's list as well,
    /// while it has an upstream.
    @inlinable final var isRoot: Bool { links == nil }

    /// The node that the pointer bits of a word name.
    final class func node(at word: UInt) -> Unmanaged<FutureNode>? {
        UnsafeRawPointer(bitPattern: word & ~StateWord.flags).map(Unmanaged.fromOpaque)
    }

    /// The pointer bits that name a node.
    final class func address(of node: Unmanaged<FutureNode>) -> UInt {
        UInt(bitPattern: node.toOpaque())
    }
}

// MARK: - What is attached

extension FutureNode {
    /// The error; nil if this has settled with a value.
    ///
    /// Asked of a settled future only.
    @inlinable
    final var failure: Failure? {
        if case .failure(let failure) = attachment { failure } else { nil }
    }

    /// What the producer wants to hear of a cancellation.
    ///
    /// Only a root has a producer.
    final var cancelHandlers: CancelHandlers? {
        if case .handlers(let handlers) = attachment { handlers } else { nil }
    }

    /// Puts the error in the place of a root's cancel handlers, before the word says so.
    ///
    /// - Returns: The handlers, with a reference that the caller gives back once this is unlocked: it may
    ///   be the last, and run a user's deinit.
    final func attach(_ failure: Failure) -> Unmanaged<CancelHandlers>? {
        defer { attachment = .failure(failure) }
        return takeHandlers()
    }

    /// Takes a root's cancel handlers away, before the word says that there is a value.
    /// - Returns: As `attach`.
    @usableFromInline
    final func takeHandlers() -> Unmanaged<CancelHandlers>? {
        guard let handlers = cancelHandlers.map(Unmanaged.passRetained) else { return nil }
        attachment = .none
        return handlers
    }
}

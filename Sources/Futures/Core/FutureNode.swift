public import Synchronization

/// The part of a future that does not depend on its type of value: its state, and its waiters.
///
/// It is public only because ``Future`` inherits from it, and has no public members.
///
/// The article Futures.docc/Core.md describes words, states, ownership and calls.
///
/// The fields are `@exclusivity(unchecked)`: each access is one load or store, so none can overlap
/// another on the same thread.
@_documentation(visibility: internal)
public class FutureNode: @unchecked Sendable {
    /// See ``StateWord``.
    ///
    /// The thread that made the node writes the fields below, and those of ``Links``, before it enrolls the
    /// node. After that the rule at each field holds.
    @usableFromInline let word: Atomic<UInt>

    /// The cancel handlers while pending, the error once failed.
    ///
    /// Guarded by the lock; the error is read only after an acquiring load of a settled word.
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
    /// Guarded by the upstream's lock, and meaningless once the upstream has settled. Cleared under the
    /// node's own lock when it gets another upstream, whose list it is not in yet.
    @exclusivity(unchecked) final var isEnrolled = false

    /// Whether this future only waits to take over the result of its upstream.
    ///
    /// Guarded by this node's own lock.
    @exclusivity(unchecked) final var isForwarding = false

    /// Whether this was left without interest at least once, since it last began to follow another future.
    ///
    /// Guarded by this node's own lock.
    @exclusivity(unchecked) final var wasGivenUp = false

    /// A function that hands the result of a settled node, the second, to one that waits for it.
    @usableFromInline
    typealias Delivery = @Sendable (FutureNode, FutureNode) -> Void

    @inlinable
    init(word: UInt) {
        self.word = Atomic(word)
    }

    /// Moves timers and inputs, which are needed no more, from this node to a cancellation.
    ///
    /// Runs once, on the thread that has given this up. It releases nothing.
    func dropWaits(into cancellation: inout Cancellation) {}

    /// Releases the user's closure, since this node was given up and nothing is delivered to it; `always`
    /// runs the closure.
    ///
    /// Called at most once, while no lock is held: at the end of the cancellation that has taken this node out
    /// of a list, or by the deliverer, if the node was given up.
    func dropClosure() {}

    /// Takes the result of the settled upstream; `deliverByOverride` calls it.
    func receive(_ source: FutureNode) {
        preconditionFailure("a node that is delivered to by override has one")
    }

    /// Settles as the settled upstream has; `deliverByForwarding` calls it.
    func receiveForwarded(_ source: FutureNode) {
        preconditionFailure("only a future forwards")
    }

    /// Is notified that one of the inputs of this aggregate has settled.
    ///
    /// - Returns: Whether the caller has to release this future; it has no other reference to it.
    func inputSettled(_ input: AggregateInput) -> Bool { false }

    /// Is notified that some of the inputs of this aggregate have been given up, and will not settle.
    func inputsGivenUp(_ number: Int) {}

    /// Is notified that the time of this future is over.
    func timeIsOver() {}

    /// Where this node was made, as far as it is known.
    var origin: CodeLocation? { nil }

    /// What this aggregate waits for.
    var inputsOfAggregate: [FutureNode] { [] }

    /// Whether one input of this aggregate is enough for it to settle.
    var needsOneInput: Bool { false }

    /// Whether this settles without the user's code: a timer ends it, or a producer of the framework.
    var endsByItself: Bool { false }
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
    /// It needs no generic type, so it is cheap in generic code; ``Future/result`` would look up the type of
    /// its result at run time there.
    @inlinable
    package final var hasSucceeded: Bool { word.load(ordering: .acquiring) == StateWord.value }

    /// Whether this has no upstream: a producer settles it, or it was made settled.
    ///
    /// Only references from outside keep it alive; any other node is owned by its upstream's list as well,
    /// while it has an upstream.
    @inlinable final var isRoot: Bool { links == nil }

    /// The node that the pointer bits of a word name.
    final class func node(at word: UInt) -> Unmanaged<FutureNode>? {
        UnsafeRawPointer(bitPattern: word & ~StateWord.flags).map(Unmanaged.fromOpaque)
    }

    /// The pointer bits that name a node; zero for none.
    final class func address(of node: Unmanaged<FutureNode>?) -> UInt {
        UInt(bitPattern: node?.toOpaque())
    }
}

// MARK: - Delivering

extension FutureNode {
    /// Delivers by a virtual call.
    ///
    /// A closure that a generic function makes, and that names its types, captures them, in an
    /// allocation. This one names none; the override finds its types in its own object.
    @usableFromInline static var deliverByOverride: Delivery {
        { node, source in node.receive(source) }
    }

    /// As `deliverByOverride`, to a future that only forwards.
    static var deliverByForwarding: Delivery {
        { node, source in node.receiveForwarded(source) }
    }
}

// MARK: - What is attached

extension FutureNode {
    /// The error; nil if this has settled with a value.
    ///
    /// Called for a settled future only.
    @inlinable
    final var failure: Failure? {
        if case .failure(let failure) = attachment { failure } else { nil }
    }

    /// The producer's handlers for cancellation.
    ///
    /// Only a root has a producer.
    final var cancelHandlers: CancelHandlers? {
        if case .handlers(let handlers) = attachment { handlers } else { nil }
    }

    /// Puts the error in the place of a root's cancel handlers, before the word says so.
    ///
    /// - Returns: The handlers, with a reference that the caller releases once this is unlocked: it may be
    ///   the last, and run a user's deinit.
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

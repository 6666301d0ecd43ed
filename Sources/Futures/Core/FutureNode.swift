internal import CPledgeFutures
public import Synchronization

/// The part of a future that doesn't depend on the type of its value: its state and its waiters.
///
/// It is public only because ``Future`` inherits from it, and has no public members.
///
/// Futures.docc/Core.md describes the words, the states, ownership, and what happens in each call.
///
/// The fields are `@exclusivity(unchecked)`: each access is one load or store, so two accesses on one thread can't
/// overlap.
@_documentation(visibility: internal)
public class FutureNode: @unchecked Sendable {
    /// The state and, while pending, the list of waiters; see ``StateWord``.
    ///
    /// Before a node is enrolled, the thread that created it writes the fields below and the fields of its ``Links``.
    /// After that, the rule in each field's comment holds.
    @usableFromInline let word: Atomic<UInt>

    /// The cancel handlers while pending, or the error after a failure.
    ///
    /// Guarded by the lock. The error is read only after an acquiring load of a settled word.
    @usableFromInline @exclusivity(unchecked) final var attachment = Attachment.none

    /// The contents of ``attachment``.
    @usableFromInline
    enum Attachment {
        case none
        case failure(Failure)
        case handlers(CancelHandlers)
    }

    /// The address of this node's ``Links``; nil in a root.
    ///
    /// It never changes after the node is created.
    @usableFromInline @exclusivity(unchecked) final var links: UnsafeMutablePointer<Links>!

    /// True while this node is in the list of its upstream.
    ///
    /// Guarded by the upstream's lock, and meaningless once the upstream has settled. When the node gets another
    /// upstream, whose list it isn't in yet, this flag is cleared under the node's own lock.
    @exclusivity(unchecked) final var isEnrolled = false

    /// True if this future does nothing but take over its upstream's result.
    ///
    /// Guarded by this node's own lock.
    @exclusivity(unchecked) final var isForwarding = false

    /// True once this future has lost its last waiter; reset when it begins to follow another future.
    ///
    /// Guarded by this node's own lock.
    @exclusivity(unchecked) final var wasGivenUp = false

    /// True if somebody is interested in this future until it settles, although no node in its list stands for that.
    ///
    /// This is so once an aggregate with `others: .keptGoing` has settled without this future. Guarded by this node's
    /// own lock.
    @exclusivity(unchecked) final var hasLastingInterest = false

    /// A function that passes the result of its second argument, a settled node, to its first, a waiting node.
    @usableFromInline
    typealias Delivery = @Sendable (FutureNode, FutureNode) -> Void

    @inlinable
    init(word: UInt) {
        self.word = Atomic(word)
    }

    /// Gives a cancellation the timers and inputs that this node no longer needs.
    ///
    /// Runs once, on the thread that gave this node up. It releases nothing.
    func dropWaits(into cancellation: inout Cancellation) {}

    /// Releases the user's closure, because this node was given up and gets no result.
    ///
    /// The closures of `always` and `onEnd` run first. Called at most once, while no lock is held: at the end of the
    /// cancellation that took this node out of a list, or by the thread that delivers, if it finds that the node was
    /// given up.
    func dropClosure() {}

    /// Takes the result of the settled upstream; called by `deliverByOverride`.
    func receive(_ source: FutureNode) {
        preconditionFailure("a node that is delivered to by override has one")
    }

    /// Settles with the result of the settled upstream; called by `deliverByForwarding`.
    func receiveForwarded(_ source: FutureNode) {
        preconditionFailure("only a future forwards")
    }

    /// Called when one of the inputs of this aggregate has settled.
    ///
    /// - Returns: True if the caller must release this future. The caller has no other reference to it.
    func inputSettled(_ input: AggregateInput) -> Bool { false }

    /// Called when some inputs of this aggregate were given up, so that they will never settle.
    func inputsGivenUp(_ number: Int) {}

    /// Called when the time of this future is over.
    func timeIsOver() {}

    /// The place that created this node, if known.
    var origin: CodeLocation? { nil }

    /// The inputs that this aggregate waits for.
    var inputsOfAggregate: [FutureNode] { [] }

    /// True if one input is enough for this aggregate to settle.
    var needsOneInput: Bool { false }

    /// True if this settles without the user's code: by a timer, or by a producer of the framework.
    var endsByItself: Bool { false }
}

// MARK: - The word

extension FutureNode {
    /// True once the future has a result.
    ///
    /// Acquiring: if it is true, the result may be read.
    @inlinable
    package final var hasSettled: Bool { word.load(ordering: .acquiring) & StateWord.settled != 0 }

    /// True once the future has settled with a value.
    ///
    /// It needs no generic type, so it is cheap in generic code. There, ``Future/result`` would look up the type of
    /// its result at run time.
    @inlinable
    package final var hasSucceeded: Bool { word.load(ordering: .acquiring) == StateWord.value }

    /// True if this node has no upstream: a producer settles it, or it was created settled.
    ///
    /// Only outside references keep a root alive. Any other node is also owned by the list of its upstream, while
    /// it has an upstream.
    @inlinable final var isRoot: Bool { links == nil }

    /// The node that the pointer bits of a word point to.
    final class func node(at word: UInt) -> Unmanaged<FutureNode>? {
        UnsafeRawPointer(bitPattern: word & ~StateWord.flags).map(Unmanaged.fromOpaque)
    }

    /// The pointer bits for a node, or zero for no node.
    final class func address(of node: Unmanaged<FutureNode>?) -> UInt {
        UInt(bitPattern: node?.toOpaque())
    }
}

// MARK: - Delivering

extension FutureNode {
    /// Delivers by a virtual call.
    ///
    /// If a generic function creates a closure that names its types, the closure captures the types, in an
    /// allocation. This closure names no types. The overriding method finds the types in its own object.
    @usableFromInline static var deliverByOverride: Delivery {
        { node, source in node.receive(source) }
    }

    /// Delivers to a future that only forwards, also by a virtual call.
    static var deliverByForwarding: Delivery {
        { node, source in node.receiveForwarded(source) }
    }
}

// MARK: - The attachment

extension FutureNode {
    /// The error; nil if this has settled with a value.
    ///
    /// Read it only on a settled future.
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

    /// Replaces a root's cancel handlers with the error, before the word says that the root has failed.
    ///
    /// - Returns: The handlers, with a reference that the caller releases after unlocking this node. That release
    ///   may be the last one, and may run a user's deinit.
    final func attach(_ failure: Failure) -> Unmanaged<CancelHandlers>? {
        defer { attachment = .failure(failure) }
        return takeHandlers()
    }

    /// Takes a root's cancel handlers away, before the word says that there is a value.
    ///
    /// - Returns: The same as for `attach`.
    @usableFromInline
    final func takeHandlers() -> Unmanaged<CancelHandlers>? {
        guard let handlers = cancelHandlers.map(Unmanaged.passRetained) else { return nil }
        attachment = .none
        return handlers
    }
}

// MARK: - The value and the error

/// The part of a future that holds the value.
///
/// `Future<Value>` inherits from `FutureStorage<Value?>`, so `Value?` is a generic argument. A deinit that isn't
/// specialised finds `Value?` in the object's class. Otherwise it would look `Value?` up in the runtime's table of
/// types each time.
///
/// It is public only because ``Future`` inherits from it, and has no public members.
@_documentation(visibility: internal)
public class FutureStorage<Stored>: FutureNode, @unchecked Sendable {
    /// The value; nil until there is one.
    ///
    /// Written by the thread that has locked the word, or by the one thread that delivers to a derived future. Read
    /// only after an acquiring load of the word `value`.
    @usableFromInline @exclusivity(unchecked) final var storage: Stored

    @inlinable
    init(_ storage: Stored, word: UInt) {
        self.storage = storage
        super.init(word: word)
    }
}

/// The error of a failed future, shared by all futures that derive from it.
@usableFromInline
final class Failure: Sendable {
    @usableFromInline let error: any Error

    /// The place of the transform that threw the error; nil if no transform did.
    let origin: CodeLocation?

    /// The failure of every cancelled future.
    ///
    /// There is only this one, so it also identifies cancelled futures.
    static let cancelled = Failure(CancellationError())

    init(_ error: any Error, thrownAt origin: CodeLocation? = nil) {
        self.error = error
        self.origin = origin
    }
}

// MARK: - The states

/// The values of a node's one atomic word.
///
/// While a node is pending, the bits above ``flags`` are a pointer to the newest node that waits for it, or zero.
@usableFromInline
enum StateWord {
    /// Pending: there is no result yet, and no thread is changing the node.
    ///
    /// Next state: `locked`; or `value`, if the thread that delivers to a derived future settles it.
    @inlinable static var pending: UInt { 0 }

    /// Locked: a bit in a pending word, set while one thread edits the list or writes the result.
    ///
    /// All other threads wait for the few instructions that this takes. Next state: `pending` with the same or another
    /// list, `value`, `failure`, or `detaching`.
    @inlinable static var locked: UInt { 1 }

    /// The bit that all settled words share.
    @inlinable static var settled: UInt { 4 }

    /// Settled with a value or, if the node isn't a future, with a delivered result.
    ///
    /// No other state follows.
    @inlinable static var value: UInt { 4 }

    /// Settled with an error or, if the node isn't a future, without a result.
    ///
    /// A node that isn't a future gets this state if it is given up, or if its aggregate ignores it. No other state
    /// follows.
    @inlinable static var failure: UInt { 5 }

    /// Settled with an error, while one thread is still taking the node out of its upstream's list.
    ///
    /// A thread that wants to free that upstream waits until this state ends. Next state: `failure`.
    @inlinable static var detaching: UInt { 6 }

    /// The bits that don't belong to the pointer.
    @inlinable static var flags: UInt { 7 }
}

// MARK: - The lock

extension FutureNode {
    /// True if this node may still be delivered to.
    ///
    /// Relaxed: this is only a hint. Code that acts on it takes the lock, and taking the lock acquires.
    @inlinable final var isPending: Bool { word.load(ordering: .relaxed) & StateWord.settled == 0 }

    /// Locks a pending node.
    ///
    /// Waits while another thread holds the lock.
    ///
    /// - Returns: False if the node has settled. It is then not locked.
    @usableFromInline
    final func lockIfPending() -> Bool {
        var turns: UInt32 = 0
        while true {
            // Acquiring: a thread that finds a settled word reads the result next.
            let current = word.load(ordering: .acquiring)
            if current & StateWord.settled != 0 { return false }
            if current & StateWord.locked == 0, exchange(current, for: current | StateWord.locked) {
                return true
            }
            cfutures_relax(&turns)
        }
    }

    /// Locks a node that is pending and not locked; otherwise returns false at once.
    final func tryLock() -> Bool {
        let current = word.load(ordering: .relaxed)
        guard current & StateWord.flags == 0 else { return false }
        return exchange(current, for: current | StateWord.locked)
    }

    /// The list of this locked node: the word without its flags.
    ///
    /// Relaxed: only the holder of the lock writes a locked word.
    @inlinable final var list: UInt { word.load(ordering: .relaxed) & ~StateWord.flags }

    /// True if a node waits for this locked node, or interest in this node lasts.
    final var hasInterest: Bool { list == 0 ? hasLastingInterest : true }

    /// Unlocks, and leaves the list as it is.
    @inlinable final func unlock() { unlock(to: list) }

    /// Unlocks by storing another word.
    ///
    /// Releasing: the next holder of the lock, and every thread that finds this node settled, sees everything that
    /// was written before.
    @inlinable
    final func unlock(to newWord: UInt) {
        word.store(newWord, ordering: .releasing)
    }

    /// Copies something under the lock, for use after unlocking.
    ///
    /// - Returns: The result of `read`, retained, so that it stays valid after unlocking; nil if the node has settled.
    final func copied<Copy>(_ read: () -> Copy) -> Copy? {
        guard lockIfPending() else { return nil }
        let copy = read()
        cfutures_retain_before_this()
        unlock()
        return copy
    }

    /// Moves a waiter, which has no list of its own, from pending to another word.
    ///
    /// - Returns: False if another thread was first.
    final func claim(as newWord: UInt) -> Bool {
        guard lockIfPending() else { return false }
        unlock(to: newWord)
        return true
    }

    /// Waits until the thread that gave this node up, if there is one, no longer touches the upstream.
    ///
    /// The load is acquiring, to match the stores of `failure` in `Cancellation.step` and `detach`. Everything that the
    /// other thread did to the upstream has happened before this method returns, so this thread may free the upstream.
    /// This thread needs that order even if its first load already finds `failure`.
    ///
    /// The litmus test `detached` in Tests/Model shows what happens with a weaker load. ThreadSanitizer wouldn't notice:
    /// it sees no access to the upstream by the other thread after that thread's store.
    final func waitUntilDetached() {
        var turns: UInt32 = 0
        while word.load(ordering: .acquiring) == StateWord.detaching { cfutures_relax(&turns) }
    }

    /// Takes the lock with one compare-and-exchange.
    ///
    /// Acquiring: this thread sees everything that the last holder wrote. Relaxed on failure, because the caller
    /// then loads the word again or returns.
    private func exchange(_ expected: UInt, for desired: UInt) -> Bool {
        word.weakCompareExchange(
            expected: expected, desired: desired,
            successOrdering: .acquiring, failureOrdering: .relaxed
        ).exchanged
    }
}

internal import CPledgeFutures
import Synchronization

/// The fields that a node needs in order to wait.
///
/// They are its neighbours in the list, its upstream, and what to do with the result. A root (a future without an
/// upstream) doesn't wait. So the links are stored in the subclasses that wait, ``DerivedFuture`` and ``Waiter``, and a
/// promise is 40 bytes smaller; see Docs/Decisions/Futures/why-a-future-is-one-atomic-word.md. Code that walks a list
/// doesn't know a node's class, so each node holds the address of its own links.
@usableFromInline
struct Links {
    /// The next older node in the list.
    ///
    /// Guarded by the upstream's lock. After the upstream has settled, only the thread that took the list uses this
    /// link.
    var next: Unmanaged<FutureNode>?

    /// The next newer node in the list.
    ///
    /// Guarded by the upstream's lock.
    var previous: Unmanaged<FutureNode>?

    /// The node that this one waits for.
    ///
    /// This field changes only under the node's own lock.
    var upstream: Unmanaged<FutureNode>?

    /// The function that takes the result once the upstream has settled.
    ///
    /// The function is created where the types are known, and captures nothing, so the compiler specialises it. (The
    /// compiler would not specialise an override in a generic class.) This field changes only under the node's own
    /// lock.
    @usableFromInline var deliver: FutureNode.Delivery

    @inlinable
    init(deliver: @escaping FutureNode.Delivery) {
        self.deliver = deliver
    }
}

extension FutureNode {
    /// Notes the address of this node's links, which are in one of its stored properties.
    ///
    /// The pointer is used after the closure of `withUnsafeMutablePointer` has returned. Swift doesn't promise that
    /// this works. It works here because the property is final, stored in an object, and has no observers. Such a
    /// property has one address for the object's life, and `withUnsafeMutablePointer` passes that address, not the
    /// address of a copy. `LinksTests` checks that the pointer and the property agree, for values of different sizes
    /// and alignments, in debug and release builds.
    ///
    /// The ways that Swift guarantees are no substitute: an offset isn't available for a generic class, and links in an
    /// object of their own would cost each transform a second allocation.
    @inlinable
    final func setLinks(at stored: inout Links) {
        links = withUnsafeMutablePointer(to: &stored) { $0 }
    }

    /// See ``Links/next``.
    final var next: Unmanaged<FutureNode>? {
        get { links.pointee.next }
        set { links.pointee.next = newValue }
    }

    /// See ``Links/previous``.
    final var previous: Unmanaged<FutureNode>? {
        get { links.pointee.previous }
        set { links.pointee.previous = newValue }
    }

    /// See ``Links/upstream``.
    final var upstream: Unmanaged<FutureNode>? {
        get { links.pointee.upstream }
        set { links.pointee.upstream = newValue }
    }

    /// See ``Links/deliver``.
    final var deliver: Delivery {
        get { links.pointee.deliver }
        set { links.pointee.deliver = newValue }
    }
}

/// A node that waits and isn't a future: an observer, a suspended task, or an input of an aggregate.
@usableFromInline
class Waiter: FutureNode, @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) final var storedLinks: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        storedLinks = Links(deliver: deliver)
        super.init(word: StateWord.pending)
        setLinks(at: &storedLinks)
    }
}

/// A future that waits for one upstream after another or, if it is an aggregate, for several inputs.
///
/// It is cancelled when its last waiter gives up.
@usableFromInline
class DerivedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) final var storedLinks: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        storedLinks = Links(deliver: deliver)
        super.init()
        setLinks(at: &storedLinks)
    }
}

// MARK: - Entering and leaving a list

extension FutureNode {
    /// Returns a reference for a list, or for code that releases it with `release()`.
    ///
    /// The retain has happened when this returns. With `Unmanaged.passRetained` alone, the compiler may move the
    /// retain past the store that publishes this node to another thread. That thread may then release the reference
    /// before it is retained.
    @usableFromInline
    final func retained() -> Unmanaged<FutureNode> {
        .fromOpaque(cfutures_opaque(Unmanaged.passRetained(self).toOpaque()))
    }

    /// Puts a new node, which no other thread knows yet, into the list, or delivers to it if this future has settled.
    ///
    /// - Parameter node: The node, with a reference that the list takes over. Another thread may deliver to the node at
    ///   once, so a caller that has no other reference must not use the node any more.
    @usableFromInline
    final func enroll(_ node: Unmanaged<FutureNode>) {
        node._withUnsafeGuaranteedRef { $0.upstream = .passUnretained(self) }
        if lockIfPending() { push(node) } else { hand(node) }
    }

    /// Puts a node, which other threads already know and may give up at any time, into the list.
    ///
    /// If this future has settled, the method delivers to the node. If the node was given up, the method gives up the
    /// node's interest in this future. The caller holds a reference to this future.
    final func enrollShared(_ node: FutureNode) {
        guard node.lockIfPending() else {
            node.waitUntilDetached()
            return giveUpInterest()
        }
        node.upstream = .passUnretained(self)
        node.isEnrolled = false
        node.unlock()
        enrollExpected(node)
    }

    /// Does the second half of `enrollShared`, for a node whose `upstream` is already this future.
    ///
    /// Another thread may give the node up meanwhile. That thread then locks this future, as this thread does. If the
    /// other thread locks first, this thread sees that the node has settled. If this thread locks first, the other
    /// thread finds the node in the list.
    final func enrollExpected(_ node: FutureNode) {
        guard lockIfPending() else { return node.deliver(node, self) }
        guard node.isPending else {
            unlock()
            // The thread that gave the node up may still be reading this future.
            node.waitUntilDetached()
            return giveUpInterest()
        }
        push(node.retained())
    }

    /// Adds a node to the list of this locked future, and unlocks the future.
    private func push(_ node: Unmanaged<FutureNode>) {
        let newest = Self.node(at: word.load(ordering: .relaxed))
        newest?._withUnsafeGuaranteedRef { $0.previous = node }
        node._withUnsafeGuaranteedRef {
            $0.next = newest
            $0.previous = nil
            $0.isEnrolled = true
        }
        unlock(to: Self.address(of: node))
    }

    /// Removes a node from the list of this locked future.
    final func unlink(_ node: FutureNode) {
        replace(.passUnretained(node), by: nil)
        node.next = nil
        node.previous = nil
        node.isEnrolled = false
    }

    /// Replaces one node in the list of this locked future with another node, or with none.
    final func replace(_ old: Unmanaged<FutureNode>, by new: Unmanaged<FutureNode>?) {
        let (older, newer) = old._withUnsafeGuaranteedRef { ($0.next, $0.previous) }
        older?._withUnsafeGuaranteedRef { $0.previous = new == nil ? newer : new }
        let newest = new == nil ? older : new
        if let newer {
            newer._withUnsafeGuaranteedRef { $0.next = newest }
        } else {
            // Relaxed: this thread still holds the lock, and the later store that unlocks is releasing.
            word.store(Self.address(of: newest) | StateWord.locked, ordering: .relaxed)
        }
        new?._withUnsafeGuaranteedRef {
            $0.next = older
            $0.previous = newer
            $0.upstream = .passUnretained(self)
            $0.isEnrolled = true
        }
    }

    /// The upstream, retained; nil if there is none (as for a root), or if the upstream is in its deinit.
    ///
    /// For a thread in situation 2 or 3 of the section "Ownership" in Core.md. The caller releases the result once
    /// it has left that situation.
    final func retainUpstream() -> FutureNode? {
        guard !isRoot, let upstream,
            let object = cfutures_try_retain(upstream.toOpaque())
        else { return nil }
        return Unmanaged.fromOpaque(object).takeRetainedValue()
    }
}

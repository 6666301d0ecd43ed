/// What a node needs in order to wait: its neighbours in the list, its upstream, and what to do with the
/// result.
///
/// A root does not wait. So the links stand in the subclasses that do, ``DerivedFuture`` and
/// ``Waiter``, and a promise is 40 bytes smaller; see
/// Docs/Decisions/why-a-future-is-one-atomic-word.md. Code that walks a list does not know the
/// class of a node, so each node has the address of its own links.
@usableFromInline
struct Links {
    /// The next older node in the list.
    ///
    /// Guarded by the upstream's lock; owned by the thread that took the list once the upstream has
    /// settled.
    var next: Unmanaged<FutureNode>?

    /// The next newer node in the list.
    ///
    /// Guarded by the upstream's lock.
    var previous: Unmanaged<FutureNode>?

    /// What this waits for.
    ///
    /// Changes only under this node's own lock.
    var upstream: Unmanaged<FutureNode>?

    /// What to do once the upstream has settled: a function without captures, formed where the
    /// types are known, so that it is specialised (a generic override would not be).
    ///
    /// Changes only under this node's own lock.
    @usableFromInline var deliver: FutureNode.Delivery

    @inlinable
    init(deliver: @escaping FutureNode.Delivery) {
        self.deliver = deliver
    }
}

extension FutureNode {
    /// Notes where this node's links are: in a stored property of its own.
    ///
    /// The pointer is used beyond its closure, which Swift doesn't promise to work. It holds because the property is
    /// final, stored in an object, and has no observers: such a property has one address for the object's life, and
    /// `withUnsafeMutablePointer` passes that address, not a copy's. `LinksTests` compares both ways of access for
    /// values of every size and alignment, in debug and release builds. The sanctioned ways cost more: an offset isn't
    /// available for a generic class, and an allocation of its own would be a second one for each transform.
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

/// What a waiter has to wait with: its neighbours in the list of its upstream, the upstream, and what to
/// do once that has settled.
///
/// An object that waits keeps its links behind all that every future has. So a future that waits for
/// nothing is 40 bytes smaller, and what settling and observing touch, from the reference count to the
/// value, is 41 bytes and not 81. See Docs/Decisions for what that gains.
///
/// Who follows a list does not know the class of a waiter, so links are found by their distance from
/// where the object begins. This is the one place where the core reads storage by its address.
@usableFromInline
struct Links {
    /// The next older waiter of the same upstream.
    ///
    /// Guarded by the upstream's word; owned by the thread that took the list once the upstream
    /// settled.
    @usableFromInline
    var next: Unmanaged<Waiter>?

    /// The next newer waiter of the same upstream, filled in only when somebody leaves (see
    /// `FutureNode.unlink`).
    ///
    /// Guarded by the upstream's lock.
    @usableFromInline
    var previous: Unmanaged<Waiter>?

    /// What this waits for.
    ///
    /// Changes only under this waiter's own lock.
    @usableFromInline
    var upstream: Unmanaged<FutureNode>?

    /// What to do once the upstream has settled: a function without captures, formed where the
    /// types are known, so that it is specialised (a generic override would not be).
    @usableFromInline
    var deliver: Waiter.Delivery

    @inlinable
    init(deliver: @escaping Waiter.Delivery) {
        self.deliver = deliver
    }
}

extension Links {
    /// Where in an object its links are.
    @usableFromInline
    struct Offset: Equatable, Sendable {
        /// The distance in bytes from where the object begins; 0 where it has no links.
        @usableFromInline
        let bytes: UInt32

        /// The place in an object without links.
        @inlinable static var none: Offset { Offset(bytes: 0) }

        @inlinable
        init(bytes: UInt32) {
            self.bytes = bytes
        }

        /// The place of a stored property.
        ///
        /// - Parameters:
        ///   - links: The property itself. It stays at its address as long as the object lives.
        ///   - object: The object that it is stored in.
        @inlinable
        init(of links: inout Links, in object: Waiter) {
            let start = Unmanaged.passUnretained(object).toOpaque()
            bytes = withUnsafeMutablePointer(to: &links) {
                UInt32(UnsafeMutableRawPointer($0) - start)
            }
        }
    }
}

extension Waiter {
    /// Whether this waits for nothing: those who hold it settle it, or it was made settled.
    ///
    /// It stays alive by their references alone. Its upstream's list, or its inputs, own any other.
    @inlinable
    final var isRoot: Bool { linksOffset == .none }

    /// See ``Links/next``.
    final var next: Unmanaged<Waiter>? {
        get { withLinks { $0.pointee.next } }
        set { withLinks { $0.pointee.next = newValue } }
    }

    /// See ``Links/previous``.
    final var previous: Unmanaged<Waiter>? {
        get { withLinks { $0.pointee.previous } }
        set { withLinks { $0.pointee.previous = newValue } }
    }

    /// See ``Links/upstream``.
    final var upstream: Unmanaged<FutureNode>? {
        get { withLinks { $0.pointee.upstream } }
        set { withLinks { $0.pointee.upstream = newValue } }
    }

    /// See ``Links/deliver``.
    final var deliver: Delivery {
        get { withLinks { $0.pointee.deliver } }
        set { withLinks { $0.pointee.deliver = newValue } }
    }

    /// Calls a function with the address of the links.
    ///
    /// A root has none, and must not be asked.
    private func withLinks<Value>(_ body: (UnsafeMutablePointer<Links>) -> Value) -> Value {
        assert(!isRoot, "a root has no links")
        return withExtendedLifetime(self) {
            let start = Unmanaged.passUnretained(self).toOpaque()
            return body((start + Int(linksOffset.bytes)).assumingMemoryBound(to: Links.self))
        }
    }
}

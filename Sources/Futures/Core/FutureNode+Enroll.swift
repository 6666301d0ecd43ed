internal import CPledgeFutures
import Synchronization

extension FutureNode {
    /// A reference for a list, or for code that releases it by `release()`.
    ///
    /// The retain has happened when this returns. The compiler may move the retain of
    /// `Unmanaged.passRetained` past the store that publishes this to another thread, and that thread may
    /// release the reference first.
    @usableFromInline
    final func retained() -> Unmanaged<FutureNode> {
        .fromOpaque(cfutures_opaque(Unmanaged.passRetained(self).toOpaque()))
    }

    /// Enrolls a new node, which no other thread knows yet; or delivers to it if this has settled.
    ///
    /// - Parameter node: With a reference, which passes to the list. So a caller without a reference of its
    ///   own does not release a node that another thread may be delivering to.
    @usableFromInline
    final func enroll(_ node: Unmanaged<FutureNode>) {
        node._withUnsafeGuaranteedRef { $0.upstream = .passUnretained(self) }
        if lockIfPending() { push(node) } else { hand(node) }
    }

    /// Enrolls a node that other threads know already and may give up at any time; or delivers to it if this
    /// has settled; or gives up its interest if the node was given up.
    ///
    /// The caller holds this future.
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

    /// The second half of `enrollShared`, for a node whose `upstream` is this future already.
    ///
    /// The thread that gives the node up locks this too, so the second of the two sees what the first did.
    final func enrollExpected(_ node: FutureNode) {
        guard lockIfPending() else { return node.deliver(node, self) }
        guard node.isPending else {
            unlock()
            // The thread that gave the node up may still be looking at this future.
            node.waitUntilDetached()
            return giveUpInterest()
        }
        push(node.retained())
    }

    /// Adds a node to the list of this locked future, and unlocks it.
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

    /// Puts another node, or none, in the place of one in the list of this locked future.
    final func replace(_ old: Unmanaged<FutureNode>, by new: Unmanaged<FutureNode>?) {
        let (older, newer) = old._withUnsafeGuaranteedRef { ($0.next, $0.previous) }
        older?._withUnsafeGuaranteedRef { $0.previous = new == nil ? newer : new }
        let newest = new == nil ? older : new
        if let newer {
            newer._withUnsafeGuaranteedRef { $0.next = newest }
        } else {
            // Relaxed: still locked; unlocking releases.
            word.store(Self.address(of: newest) | StateWord.locked, ordering: .relaxed)
        }
        new?._withUnsafeGuaranteedRef {
            $0.next = older
            $0.previous = newer
            $0.upstream = .passUnretained(self)
            $0.isEnrolled = true
        }
    }

    /// The upstream, retained; nil if there is none, as for a root, or if it is in its deinit.
    ///
    /// For a thread in the second or third situation. The caller releases the result after it.
    final func retainUpstream() -> FutureNode? {
        guard !isRoot, let upstream,
            let object = cfutures_try_retain(upstream.toOpaque())
        else { return nil }
        return Unmanaged.fromOpaque(object).takeRetainedValue()
    }
}

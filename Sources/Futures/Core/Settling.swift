internal import CPledgeFutures
import Synchronization

/// Settling with a value or a result. A root settles under its lock, a derived future by one exchange of its word.
extension Future {
    /// Settles a root with a value.
    @inlinable
    final func succeed(_ value: Value) -> Bool {
        guard lockIfPending() else { return false }
        storage = value
        settle(as: StateWord.value, dropping: takeHandlers())
        return true
    }

    /// Settles a root with a result.
    final func finish(with result: Result<Value, any Error>) -> Bool {
        switch result {
        case .success(let value): succeed(value)
        case .failure(let error): fail(Failure(error))
        }
    }

    /// Settles a root with the result of a settled future.
    ///
    /// The source may have been cancelled, but this future isn't: it only gets the same error. So the error is another
    /// object than the one by which `add(_:forgettingWhoGaveUp:)` knows cancelled futures.
    final func finish(as source: Future<Value>) -> Bool {
        guard let failure = source.failure else {
            return succeed(source.storage.unsafelyUnwrapped)
        }
        return fail(failure === Failure.cancelled ? Failure(CancellationError()) : failure)
    }

    /// Settles a derived future with a value.
    ///
    /// Called only by the thread that delivers to this future.
    @inlinable
    final func succeedDerived(_ value: Value) {
        storage = value
        if !finishDerived() { storage = nil }
    }

    /// Settles a derived future with the result of its upstream, or of the future that it forwards.
    ///
    /// - Returns: False if the future was given up in the meantime.
    @discardableResult
    final func finishDerived(as source: Future<Value>) -> Bool {
        if let failure = source.failure { return failDerived(failure) }
        storage = source.storage
        if finishDerived() { return true }
        storage = nil
        return false
    }
}

/// Settling a future whose result is in place, and delivering the result to everything that waits.
extension FutureNode {
    /// Settles this locked future, whose result is in place, and delivers to its waiters.
    ///
    /// - Parameters:
    ///   - newWord: `value` or `failure`.
    ///   - handlers: The cancel handlers, which are no longer needed.
    @usableFromInline
    final func settle(as newWord: UInt, dropping handlers: Unmanaged<CancelHandlers>?) {
        let list = list
        unlock(to: newWord)
        if list != 0 { deliverToWaiters(list) }
        if let handlers { Self.drop(handlers) }
    }

    /// Settles with an error, from any thread.
    ///
    /// - Returns: False if it was settled already.
    final func fail(_ failure: Failure) -> Bool {
        guard lockIfPending() else { return false }
        settle(as: StateWord.failure, dropping: attach(failure))
        return true
    }

    /// Settles a derived future whose value is already in place.
    ///
    /// Only the thread that delivers to this future writes the value. So no lock is needed, and one exchange of the
    /// word does everything.
    ///
    /// - Returns: False if the future was given up in the meantime.
    @usableFromInline
    final func finishDerived() -> Bool {
        var turns: UInt32 = 0
        while true {
            let current = word.load(ordering: .relaxed)
            if current & StateWord.settled != 0 {
                waitUntilDetached()
                return false
            }
            if current & StateWord.locked == 0 {
                // Releasing: a thread that sees the word sees the value. Acquiring: this thread sees the
                // nodes of the list.
                let (exchanged, _) = word.weakCompareExchange(
                    expected: current, desired: StateWord.value,
                    successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
                if exchanged {
                    if current != 0 { passOn(current) }
                    return true
                }
            }
            cfutures_relax(&turns)
        }
    }

    /// Settles a derived future with its upstream's error, or with an error that a transform threw.
    ///
    /// - Returns: False if the future was given up in the meantime.
    @discardableResult
    final func failDerived(_ failure: Failure) -> Bool {
        guard lockIfPending() else {
            waitUntilDetached()
            return false
        }
        // A derived future has no cancel handlers.
        attachment = .failure(failure)
        let list = list
        unlock(to: StateWord.failure)
        if list != 0 { passOn(list) }
        return true
    }

    /// Delivers to the waiters of this node, which has just settled.
    ///
    /// If this thread is delivering to this node, the loop of that delivery goes on with the waiters (``run(_:)``), so
    /// that deliveries don't nest.
    final func passOn(_ list: UInt) {
        let thread = cfutures_current_thread()
        guard thread.pointee.receiver == Unmanaged.passUnretained(self).toOpaque() else {
            return deliverToWaiters(list)
        }
        thread.pointee.receiver = nil
        thread.pointee.left = list
    }

    /// Delivers to all nodes of the list that the settling thread took, in order of enrolment.
    final func deliverToWaiters(_ list: UInt) {
        let newest = Self.node(at: list)
        guard let oldest = Self.reversed(newest) else { return }
        guard Self.beginDelivery() else { return putOffAll(from: oldest) }
        let second = oldest._withUnsafeGuaranteedRef { $0.next }
        if second == nil { runOrPutOff(oldest) } else { deliverToWaiters(from: oldest, to: newest) }
        Self.leaveDelivery()
    }

    /// Delivers to several nodes, and then to the nodes that this thread adds meanwhile.
    private func deliverToWaiters(
        from oldest: Unmanaged<FutureNode>, to newest: Unmanaged<FutureNode>?
    ) {
        let thread = cfutures_current_thread()
        var delivery = cfutures_delivery(
            future: Unmanaged.passUnretained(self).toOpaque(), first: oldest.toOpaque(),
            last: newest?.toOpaque(), outer: thread.pointee.delivery)
        withUnsafeMutablePointer(to: &delivery) { delivery in
            thread.pointee.delivery = delivery
            while let first = delivery.pointee.first {
                let node = Unmanaged<FutureNode>.fromOpaque(first)
                // The link is read before the delivery, because the delivery may put the node into another list.
                delivery.pointee.first = node._withUnsafeGuaranteedRef { $0.next?.toOpaque() }
                runOrPutOff(node)
            }
            thread.pointee.delivery = delivery.pointee.outer
        }
    }

    /// Delivers to a node, or puts the delivery off if earlier deliveries on this thread were put off.
    private func runOrPutOff(_ node: Unmanaged<FutureNode>) {
        if cfutures_current_thread().pointee.head == nil { run(node) } else { putOff(node) }
    }

    /// Puts off the deliveries to all nodes of a list that begins with the oldest node.
    private func putOffAll(from oldest: Unmanaged<FutureNode>) {
        var rest: Unmanaged<FutureNode>? = oldest
        while let node = rest {
            rest = node._withUnsafeGuaranteedRef { $0.next }
            putOff(node)
        }
        Self.workThroughQueue()
    }

    /// Delivers to a node, then to the node that waits for it, and so on, and releases the references of their lists.
    ///
    /// A node that settles as it gets its result leaves its waiters to this loop (see ``passOn(_:)``). So a chain of
    /// transforms takes the stack of one delivery, however long it is. The order is that of nested deliveries, because
    /// a node calls nothing of the user's after it has settled.
    final func run(_ first: Unmanaged<FutureNode>) {
        let thread = cfutures_current_thread()
        var node = first
        var upstream = Unmanaged.passUnretained(self)
        while true {
            let (receiver, left) = (thread.pointee.receiver, thread.pointee.left)
            thread.pointee.receiver = node.toOpaque()
            thread.pointee.left = 0
            let goesOn = node._withUnsafeGuaranteedRef { node in
                upstream._withUnsafeGuaranteedRef { node.deliver(node, $0) }
                return node.isForwarding
            }
            let list = thread.pointee.left
            (thread.pointee.receiver, thread.pointee.left) = (receiver, left)
            let wasSplicedOut = goesOn ? Self.spliceOut(node) : false
            // The first upstream is the caller's. Every later one is a node of this loop, which owns it.
            if node.toOpaque() != first.toOpaque() { upstream.release() }
            guard let next = Self.node(at: list) else {
                if !wasSplicedOut { node.release() }
                return
            }
            guard next._withUnsafeGuaranteedRef({ $0.next == nil }),
                thread.pointee.head == nil
            else {
                node._withUnsafeGuaranteedRef { $0.deliverToWaiters(list) }
                return node.release()
            }
            upstream = node
            node = next
        }
    }

    /// Reverses a list that begins with the newest node, so that it begins with the oldest.
    ///
    /// - Returns: The oldest node.
    private class final func reversed(_ newest: Unmanaged<FutureNode>?) -> Unmanaged<FutureNode>? {
        var reversed: Unmanaged<FutureNode>?
        var current = newest
        while let node = current {
            node._withUnsafeGuaranteedRef {
                current = $0.next
                $0.next = reversed
            }
            reversed = node
        }
        return reversed
    }
}

// MARK: - Nesting

/// The number of deliveries that may nest on one thread's stack after half of it is used.
///
/// Each takes a few hundred bytes of stack, or a few thousand in a debug build. As long as half of the stack is free,
/// more may nest: a closure that runs an event loop can be told from other closures only by how much of the stack it
/// takes, which isn't certain.
let maximumDepth = 32

/// Deliveries that nest.
///
/// Everything that may nest without limit is counted here: deliveries, cancel handlers, and the release of closures. (A
/// closure may hold the last reference to a promise or resolver, so releasing it may settle the next future.) Work that
/// would nest too deep goes to a first-in, first-out queue of this thread. Every delivery runs that queue before it
/// returns.
extension FutureNode {
    /// Delivers to one node of this settled future, now or when its turn comes on this thread.
    final func hand(_ node: Unmanaged<FutureNode>) {
        if enterDelivery() {
            run(node)
            Self.leaveDelivery()
        } else if let delivery = presentDelivery(), let last = delivery.pointee.last {
            node._withUnsafeGuaranteedRef { $0.next = nil }
            Unmanaged<FutureNode>.fromOpaque(last)._withUnsafeGuaranteedRef { $0.next = node }
            delivery.pointee.last = node.toOpaque()
        } else {
            putOff(node)
            Self.workThroughQueue()
        }
    }

    /// Begins a delivery of this settled future on this thread's stack.
    ///
    /// - Returns: False if it would nest too deep, or if other deliveries of this future, or deferred ones, come
    ///   first.
    @usableFromInline
    final func enterDelivery() -> Bool {
        presentDelivery() == nil ? Self.enterDelivery() : false
    }

    /// Begins a delivery on this thread's stack.
    ///
    /// - Returns: False if it would nest too deep, or if deferred deliveries come first.
    class final func enterDelivery() -> Bool {
        guard cfutures_current_thread().pointee.head == nil else { return false }
        return beginDelivery()
    }

    /// Counts one more delivery on this thread's stack.
    ///
    /// - Returns: False if it would nest too deep. It is then not counted.
    private class final func beginDelivery() -> Bool {
        let thread = cfutures_current_thread()
        if thread.pointee.depth >= maximumDepth, !cfutures_stack_has_room() { return false }
        thread.pointee.depth += 1
        if thread.pointee.depth >= maximumDepth { thread.pointee.edge = cfutures_stack_address() }
        return true
    }

    /// Ends a delivery.
    ///
    /// Before any delivery returns, it runs the deferred work in a loop. If only the outermost delivery did so, deferred
    /// work would wait for a user's closure further out, which may be running an event loop.
    @usableFromInline
    class final func leaveDelivery() {
        let thread = cfutures_current_thread()
        while let head = thread.pointee.head {
            let node = Unmanaged<FutureNode>.fromOpaque(head)
            let upstream = node._withUnsafeGuaranteedRef { node -> Unmanaged<FutureNode>? in
                thread.pointee.head = node.next?.toOpaque()
                return node.upstream
            }
            if thread.pointee.head == nil { thread.pointee.tail = nil }
            guard let upstream else { preconditionFailure("a node put off has an upstream") }
            upstream._withUnsafeGuaranteedRef { $0.run(node) }
            upstream.release()
        }
        thread.pointee.depth -= 1
    }

    /// Runs the deferred work now, or leaves it to the delivery that reached the limit.
    ///
    /// That delivery runs the work when the closure that it has called returns. But the closure may be running an event
    /// loop, which called the present code, and which may wait for the work. Then this thread counts from zero again,
    /// and runs the work here.
    private class final func workThroughQueue() {
        if beginDelivery() { return leaveDelivery() }
        let size = cfutures_stack_of_event_loop()
        if size == 0 { return }
        let thread = cfutures_current_thread()
        let (depth, edge, step) = (thread.pointee.depth, thread.pointee.edge, thread.pointee.step)
        // `size` was taken for an event loop's stack. If the next delivery at the limit finds as much, it wasn't one.
        thread.pointee.step = size
        thread.pointee.depth = 1
        leaveDelivery()
        (thread.pointee.depth, thread.pointee.edge, thread.pointee.step) = (depth, edge, step)
    }

    /// Runs a closure after the work that was deferred before it, and before an outer delivery on this thread returns.
    class final func putOff(_ body: @escaping () -> Void) {
        let call = DeferredCall(body)
        call.upstream = .passUnretained(call)
        call.putOff(call.retained())
        workThroughQueue()
    }

    /// Releases cancel handlers, or puts that off if deliveries on this thread nest too deep.
    ///
    /// - Parameter handlers: A retained reference, which this releases. The release may free further objects, so it
    ///   counts as a delivery.
    class final func drop(_ handlers: Unmanaged<CancelHandlers>) {
        guard enterDelivery() else { return putOff { handlers.release() } }
        handlers.release()
        leaveDelivery()
    }

    /// The unfinished delivery of this future on this thread; nil if there is none.
    private func presentDelivery() -> UnsafeMutablePointer<cfutures_delivery>? {
        let this = Unmanaged.passUnretained(self).toOpaque()
        var current = cfutures_current_thread().pointee.delivery
        while let delivery = current {
            if delivery.pointee.future == this, delivery.pointee.first != nil { return delivery }
            current = delivery.pointee.outer
        }
        return nil
    }

    /// Appends a node to this thread's queue, which an outer delivery runs before it returns.
    ///
    /// The node's `upstream` is this future, which is retained until then.
    final func putOff(_ node: Unmanaged<FutureNode>) {
        _ = retained()
        let thread = cfutures_current_thread()
        node._withUnsafeGuaranteedRef { $0.next = nil }
        if let tail = thread.pointee.tail {
            Unmanaged<FutureNode>.fromOpaque(tail)._withUnsafeGuaranteedRef { $0.next = node }
        } else {
            thread.pointee.head = node.toOpaque()
        }
        thread.pointee.tail = node.toOpaque()
    }
}

/// A node in the queue of deferred deliveries that only calls a closure, and is its own upstream.
private final class DeferredCall: Waiter, @unchecked Sendable {
    init(_ body: @escaping () -> Void) {
        self.body = body
        super.init { node, _ in unsafeDowncast(node, to: DeferredCall.self).body() }
    }

    private let body: () -> Void
}

// MARK: - Abandonment

/// The end of a promise that is released before it settles.
extension Future {
    /// Fails everything that waits for this promise; called by its deinit.
    final func abandon(at location: CodeLocation) {
        let failure = Failure(FutureError(.abandoned, at: location))
        abandon(failure, to: Future(sharing: failure))
    }
}

extension FutureNode {
    /// Fails everything that waits for a promise in its deinit.
    ///
    /// A delivery may be deferred until after the promise is freed. So the nodes first get another upstream, a
    /// future that has already failed.
    final func abandon(_ failure: Failure, to heir: FutureNode) {
        // No other thread owns this promise. A thread that gives up a node may still read the promise, but it finds
        // the promise in its deinit, and doesn't retain it (see `retainUpstream`).
        guard lockIfPending() else { return }
        let handlers = attach(failure)
        let list = list
        unlock(to: StateWord.failure)
        if list == 0, !hasLastingInterest { FutureDiagnostics.noteUnobserved(self) }
        defer { if let handlers { Self.drop(handlers) } }
        var current = Self.node(at: list)
        while let node = current {
            node._withUnsafeGuaranteedRef {
                current = $0.next
                // If locking fails, another thread gave the node up, and may still be reading this promise.
                let isLocked = $0.lockIfPending()
                if !isLocked { $0.waitUntilDetached() }
                // The new upstream is needed in both cases, because a deferred node gets its result from its upstream,
                // even if the node was given up.
                $0.upstream = .passUnretained(heir)
                if isLocked { $0.unlock() }
            }
        }
        if list != 0 { heir.deliverToWaiters(list) }
    }
}

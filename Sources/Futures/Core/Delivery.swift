internal import CFutures
import Synchronization

/// How many deliveries may nest on one thread's stack.
///
/// Each takes a few hundred bytes of stack, and in a debug build a few thousand; the bound fits a
/// thread of 512 KB many times over.
private let maximumDepth = 32

/// Deliveries: each passes a result to its waiters.
///
/// Everything that may nest without limit goes through here: deliveries, cancel handlers, and the release of
/// closures, whose last reference may settle the next future. If it is nested too deep, it is deferred to a
/// first-in, first-out queue of this thread, which the outermost delivery runs before it returns.
extension FutureNode {
    /// Delivers to all nodes of the list that settling has taken, in order of enrolment.
    @usableFromInline
    final func distribute(_ list: UInt) {
        let newest = Self.node(at: list)
        guard let oldest = Self.reversed(newest) else { return }
        let thread = cfutures_current_thread()
        thread.pointee.depth += 1
        let second = oldest._withUnsafeGuaranteedRef { $0.next }
        if second == nil { runOrPutOff(oldest) } else { distribute(from: oldest, to: newest) }
        Self.leaveDelivery()
    }

    /// Delivers to several nodes, and then to those that are added meanwhile on this thread.
    private func distribute(from oldest: Unmanaged<FutureNode>, to newest: Unmanaged<FutureNode>?) {
        let thread = cfutures_current_thread()
        var delivery = cfutures_delivery(
            future: Unmanaged.passUnretained(self).toOpaque(), first: oldest.toOpaque(),
            last: newest?.toOpaque(), outer: thread.pointee.delivery)
        withUnsafeMutablePointer(to: &delivery) { delivery in
            thread.pointee.delivery = delivery
            while let first = delivery.pointee.first {
                let node = Unmanaged<FutureNode>.fromOpaque(first)
                // Read first: delivering may enroll the node elsewhere.
                delivery.pointee.first = node._withUnsafeGuaranteedRef { $0.next?.toOpaque() }
                runOrPutOff(node)
            }
            thread.pointee.delivery = delivery.pointee.outer
        }
    }

    /// Delivers to one node of this settled future, now or as soon as its turn comes on this thread.
    @usableFromInline
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
        }
    }

    /// Begins a delivery of this settled future on this thread's stack, unless it is nested too deep, or
    /// other deliveries of this future, or deferred ones, come first.
    @usableFromInline
    final func enterDelivery() -> Bool {
        presentDelivery() == nil && Self.enterDelivery()
    }

    /// Begins a delivery on this thread's stack, unless it is nested too deep, or others wait.
    class final func enterDelivery() -> Bool {
        let thread = cfutures_current_thread()
        guard thread.pointee.depth < maximumDepth, thread.pointee.head == nil else { return false }
        thread.pointee.depth += 1
        return true
    }

    /// Ends a delivery.
    ///
    /// The outermost runs what was deferred in the meantime, in a loop.
    @usableFromInline
    class final func leaveDelivery() {
        let thread = cfutures_current_thread()
        while thread.pointee.depth == 1, let head = thread.pointee.head {
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

    /// Runs a closure before the outermost delivery on this thread returns.
    class final func putOff(_ body: @escaping () -> Void) {
        let call = PutOffCall(body)
        call.upstream = .passUnretained(call)
        call.putOff(call.retained())
    }

    /// Releases cancel handlers, now or in their turn.
    ///
    /// - Parameter handlers: With a reference; releasing it may free what they hold.
    class final func discard(_ handlers: Unmanaged<CancelHandlers>) {
        guard enterDelivery() else { return putOff { handlers.release() } }
        handlers.release()
        leaveDelivery()
    }

    /// The delivery of this future that this thread is running, if it has not ended.
    private func presentDelivery() -> UnsafeMutablePointer<cfutures_delivery>? {
        let this = Unmanaged.passUnretained(self).toOpaque()
        var current = cfutures_current_thread().pointee.delivery
        while let delivery = current {
            if delivery.pointee.future == this, delivery.pointee.first != nil { return delivery }
            current = delivery.pointee.outer
        }
        return nil
    }

    /// Delivers to a node, unless this is nested too deep, or others were deferred before it.
    private func runOrPutOff(_ node: Unmanaged<FutureNode>) {
        let thread = cfutures_current_thread().pointee
        if thread.depth <= maximumDepth, thread.head == nil { run(node) } else { putOff(node) }
    }

    /// Delivers to a node, and releases it, as the list had retained it.
    private func run(_ node: Unmanaged<FutureNode>) {
        let goesOn = node._withUnsafeGuaranteedRef { node in
            node.deliver(node, self)
            return node.isForwarding
        }
        if !goesOn || !Self.takeOut(node) { node.release() }
    }

    /// Appends a node to what this thread runs before its outermost delivery returns.
    ///
    /// The node's `upstream` is this future, which is kept until then.
    private func putOff(_ node: Unmanaged<FutureNode>) {
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

    /// Turns a list that begins with the newest node into order of enrolment.
    /// - Returns: The oldest.
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

/// A closure in the queue of deferred deliveries; its own upstream.
private final class PutOffCall: Waiter, @unchecked Sendable {
    init(_ body: @escaping () -> Void) {
        self.body = body
        super.init { node, _ in unsafeDowncast(node, to: PutOffCall.self).body() }
    }

    private let body: () -> Void
}

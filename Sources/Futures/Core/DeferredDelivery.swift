internal import CPledgeFutures

/// How many deliveries may nest on one thread's stack.
///
/// Each takes a few hundred bytes of stack, and in a debug build a few thousand; the bound fits a
/// thread of 512 KB many times over.
let maximumDepth = 32

/// Deliveries that nest.
///
/// Everything that may nest without limit is counted here: deliveries, cancel handlers, and the release of
/// closures, whose last reference may settle the next future. If it is nested too deep, it is deferred to a
/// first-in, first-out queue of this thread, which the next delivery below the bound runs before it returns.
extension FutureNode {
    /// Delivers to one node of this settled future, now or as soon as its turn comes on this thread.
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
        presentDelivery() == nil ? Self.enterDelivery() : false
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
    /// One below the bound runs what was deferred in the meantime, in a loop. So nothing waits while a closure of the user
    /// goes on, which may run a loop of events.
    @usableFromInline
    class final func leaveDelivery() {
        let thread = cfutures_current_thread()
        while thread.pointee.depth < maximumDepth, let head = thread.pointee.head {
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

    /// Runs a closure before a delivery on this thread returns that is nested less deep.
    class final func putOff(_ body: @escaping () -> Void) {
        let call = DeferredCall(body)
        call.upstream = .passUnretained(call)
        call.putOff(call.retained())
    }

    /// Releases cancel handlers, now or in their turn.
    ///
    /// - Parameter handlers: With a reference; releasing it may free what they hold.
    class final func drop(_ handlers: Unmanaged<CancelHandlers>) {
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

    /// Appends a node to what this thread runs before a delivery returns that is nested less deep.
    ///
    /// The node's `upstream` is this future, which is kept until then.
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

/// A closure in the queue of deferred deliveries; its own upstream.
private final class DeferredCall: Waiter, @unchecked Sendable {
    init(_ body: @escaping () -> Void) {
        self.body = body
        super.init { node, _ in unsafeDowncast(node, to: DeferredCall.self).body() }
    }

    private let body: () -> Void
}

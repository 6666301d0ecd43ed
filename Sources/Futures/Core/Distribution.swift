internal import CFutures
import Synchronization

/// How many deliveries may nest on one thread's stack.
///
/// Each takes a few hundred bytes of stack, and in a debug build a few thousand; the bound fits a
/// thread of 512 KB many times over.
private let maximumDepth = 32

extension FutureNode {
    /// Delivers to all waiters of the list that settling has taken, in order of enrolment.
    @usableFromInline
    final func distribute(_ list: UInt) {
        var current = Self.reversed(list)
        let thread = cfutures_current_thread()
        guard thread.pointee.depth < maximumDepth else {
            while let waiter = current {
                current = waiter._withUnsafeGuaranteedRef { $0.next }
                putOff(waiter)
            }
            return
        }
        thread.pointee.depth += 1
        while let waiter = current {
            // Read first: delivering may enroll the waiter elsewhere.
            current = waiter._withUnsafeGuaranteedRef { $0.next }
            // A waiter must not overtake what was put off before it.
            if thread.pointee.head == nil {
                run(waiter)
            } else {
                putOff(waiter)
            }
        }
        Self.leaveDelivery()
    }

    /// Delivers to one waiter, now or as soon as its turn comes on this thread.
    @usableFromInline
    final func hand(_ waiter: Unmanaged<Waiter>) {
        if Self.enterDelivery() {
            run(waiter)
            Self.leaveDelivery()
        } else {
            putOff(waiter)
        }
    }

    /// Begins a delivery on this thread's stack, unless it is nested too deep, or others wait.
    @usableFromInline
    class final func enterDelivery() -> Bool {
        let thread = cfutures_current_thread()
        guard thread.pointee.depth < maximumDepth, thread.pointee.head == nil else { return false }
        thread.pointee.depth += 1
        return true
    }

    /// Ends a delivery.
    ///
    /// The outermost runs what was put off in the meantime, in a loop.
    @usableFromInline
    class final func leaveDelivery() {
        let thread = cfutures_current_thread()
        while thread.pointee.depth == 1, let head = thread.pointee.head {
            let waiter = Unmanaged<Waiter>.fromOpaque(head)
            let upstream = waiter._withUnsafeGuaranteedRef { waiter -> Unmanaged<FutureNode>? in
                thread.pointee.head = waiter.next?.toOpaque()
                return waiter.upstream
            }
            if thread.pointee.head == nil { thread.pointee.tail = nil }
            guard let upstream else { preconditionFailure("a waiter put off has an upstream") }
            upstream._withUnsafeGuaranteedRef { $0.run(waiter) }
            upstream.release()
        }
        thread.pointee.depth -= 1
    }

    /// Delivers to a waiter, and gives back the retain that the list had of it.
    private func run(_ waiter: Unmanaged<Waiter>) {
        protocolStep()
        let goesOn = waiter._withUnsafeGuaranteedRef { waiter in
            waiter.deliver(waiter, self)
            protocolStep()
            return waiter.isForwarding
        }
        if !goesOn || !FutureNode.bypass(waiter) { waiter.release() }
    }

    /// Appends a waiter to what this thread runs before its outermost delivery returns.
    ///
    /// The waiter's `upstream` is this future, which is kept until then.
    private func putOff(_ waiter: Unmanaged<Waiter>) {
        _ = retained()
        let thread = cfutures_current_thread()
        waiter._withUnsafeGuaranteedRef { $0.next = nil }
        if let tail = thread.pointee.tail {
            Unmanaged<Waiter>.fromOpaque(tail)._withUnsafeGuaranteedRef { $0.next = waiter }
        } else {
            thread.pointee.head = waiter.toOpaque()
        }
        thread.pointee.tail = waiter.toOpaque()
    }

    /// Turns a list that names the newest waiter first into order of enrolment.
    private class final func reversed(_ list: UInt) -> Unmanaged<Waiter>? {
        var reversed: Unmanaged<Waiter>?
        var current = waiter(at: list)
        while let waiter = current {
            waiter._withUnsafeGuaranteedRef {
                current = $0.next
                $0.next = reversed
            }
            reversed = waiter
        }
        return reversed
    }
}

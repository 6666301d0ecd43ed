internal import CPledgeFutures
import Synchronization

/// Settles a future with a value or a result: a root under its lock, a derived future by one exchange of its
/// word.
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

    /// Settles a root as another future has settled.
    final func finish(as source: Future<Value>) -> Bool {
        if let failure = source.failure { return fail(failure) }
        return succeed(source.storage.unsafelyUnwrapped)
    }

    /// Settles a derived future with a value.
    ///
    /// Called by its one deliverer.
    @inlinable
    final func succeedDerived(_ value: Value) {
        storage = value
        if !finishDerived() { storage = nil }
    }

    /// Settles a derived future as its upstream, or the future that it forwards, has settled.
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

/// Settles a future whose result is in place, and delivers the result to all that wait for it.
extension FutureNode {
    /// Settles this locked future, once its result is in place, and delivers to its waiters.
    ///
    /// - Parameters:
    ///   - newWord: `value` or `failure`.
    ///   - handlers: The cancel handlers, which are not needed any more.
    @usableFromInline
    final func settle(as newWord: UInt, dropping handlers: Unmanaged<CancelHandlers>?) {
        let list = list
        unlock(to: newWord)
        if list != 0 { distribute(list) }
        if let handlers { Self.drop(handlers) }
    }

    /// Settles with an error, from any thread.
    /// - Returns: False if it was settled already.
    final func fail(_ failure: Failure) -> Bool {
        guard lockIfPending() else { return false }
        settle(as: StateWord.failure, dropping: attach(failure))
        return true
    }

    /// Settles a derived future whose value is in place already: only its one deliverer writes that,
    /// so it needs no lock, and one exchange does all.
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
                    if current != 0 { distribute(current) }
                    return true
                }
            }
            cfutures_relax(&turns)
        }
    }

    /// Settles a derived future with its upstream's error, or with one that a transform threw.
    /// - Returns: False if the future was given up in the meantime.
    @discardableResult
    final func failDerived(_ failure: Failure) -> Bool {
        if fail(failure) { return true }
        waitUntilDetached()
        return false
    }

    /// Delivers to all nodes of the list that settling has taken, in order of enrolment.
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

    /// Delivers to a node, unless this is nested too deep, or others were deferred before it.
    private func runOrPutOff(_ node: Unmanaged<FutureNode>) {
        let thread = cfutures_current_thread().pointee
        if thread.depth <= maximumDepth, thread.head == nil { run(node) } else { putOff(node) }
    }

    /// Delivers to a node, and releases it, as the list had retained it.
    final func run(_ node: Unmanaged<FutureNode>) {
        let goesOn = node._withUnsafeGuaranteedRef { node in
            node.deliver(node, self)
            return node.isForwarding
        }
        if goesOn, Self.spliceOut(node) { return }
        node.release()
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

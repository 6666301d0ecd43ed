import Synchronization

/// Takes waiters that were given up out of their upstreams, and cancels each upstream that is left
/// without a waiter, and so on up to the producers.
///
/// It is a loop, not a recursion, so the length of a chain does not matter. Nothing is released and
/// nobody is called before the loop has ended: what is dropped here may hold the last reference to
/// a promise further up, whose deinit would wait for this very thread.
@usableFromInline
struct Departure {
    /// Waiters that this thread has moved to `leaving`, beside the chain that is being walked.
    private var leaving: [Waiter] = []
    /// The waiters taken out of a list, with the retain that the list had; linked by `next`.
    private var removed: Unmanaged<Waiter>?
    /// Retained in the loop, kept so that none is freed inside it.
    private var retained: [Waiter] = []
    /// Inputs moved out of aggregates, kept likewise.
    private var inputs: [[InputWaiter]] = []
    private var cancelHandlers: [CancelHandlers] = []
    private var timers: [FutureTimer] = []

    /// What else is let go once the loop has ended.
    private var kept: [AnyObject] = []

    @usableFromInline
    init() {}

    /// Takes over a reference that must not be the last one to go inside the loop.
    mutating func keep(_ object: AnyObject) {
        kept.append(object)
    }

    /// Notes a timer that is not needed any more.
    mutating func cancel(_ timer: FutureTimer) {
        timers.append(timer)
    }

    /// Gives up the inputs of an aggregate, as far as they have not been delivered yet.
    /// - Returns: How many these are.
    @discardableResult
    mutating func giveUp(_ inputs: inout [InputWaiter]) -> Int {
        var number = 0
        for input in inputs where input.claim(as: Word.leaving) {
            protocolStep()
            leaving.append(input)
            number += 1
        }
        self.inputs.append(inputs)
        inputs = []
        return number
    }

    /// Cancels a future that has lost the interest of a waiter which was never enrolled.
    mutating func giveUpInterest(in future: FutureNode) {
        guard future.lockIfPending() else { return }
        if future.unlockWithoutInterest(&self) { walk(from: future) }
        walkRemaining()
    }

    /// Detaches a waiter that the caller holds and has moved to `leaving`.
    mutating func detach(_ waiter: Waiter) {
        walk(from: waiter)
        walkRemaining()
    }

    /// Detaches the inputs given up so far.
    mutating func walkRemaining() {
        // Each is also in `inputs`, so this is not its last reference.
        while let waiter = leaving.popLast() { walk(from: waiter) }
    }

    /// Walks up from one waiter that is `leaving`.
    private mutating func walk(from start: Waiter) {
        var current: Waiter? = start
        while let waiter = current { current = step(waiter) }
    }

    /// Detaches one waiter from its upstream.
    /// - Returns: The upstream, if it is `leaving` now for want of interest.
    private mutating func step(_ waiter: Waiter) -> Waiter? {
        waiter.surrender(to: &self)
        protocolStep()
        let upstream = waiter.retainUpstream()
        let removal =
            upstream?.remove(waiter, &self) ?? (wasLinked: false, isWithoutInterest: false)
        if removal.wasLinked {
            // The list's retain passes to this list, to be released at the end.
            waiter.next = removed
            removed = .passUnretained(waiter)
        } else {
            retained.append(waiter)
        }
        protocolStep()
        // Releasing, and the last touch: from here on the upstream's owner goes on.
        waiter.word.store(Word.failure, ordering: .releasing)
        if removal.isWithoutInterest { return upstream }
        if let upstream { retained.append(upstream) }
        return nil
    }

    /// Notes what a producer wants to hear.
    mutating func call(_ handlers: CancelHandlers) {
        cancelHandlers.append(handlers)
    }

    /// Releases and calls all that the loop has put aside: first the producers, then the steps.
    ///
    /// Called once, outside any phase.
    mutating func conclude() {
        protocolStep()
        for timer in timers { timer.cancel() }
        for handlers in cancelHandlers { handlers.callInTurn() }
        while let waiter = removed {
            waiter._withUnsafeGuaranteedRef {
                removed = $0.next
                $0.next = nil
                $0.withdraw()
            }
            waiter.release()
        }
        retained = []
        inputs = []
        // A handler may hold what it hears of; it is not called again.
        timers = []
        cancelHandlers = []
    }
}

extension FutureNode {
    /// Takes a waiter out of the list, if it still is in it.
    fileprivate final func remove(
        _ waiter: Waiter, _ departure: inout Departure
    ) -> (wasLinked: Bool, isWithoutInterest: Bool) {
        // Not pending: whoever took the list meets the waiter there and waits for it.
        guard lockIfPending() else { return (false, false) }
        guard waiter.isLinked else {
            unlock()
            return (false, false)
        }
        unlink(waiter)
        return (true, unlockWithoutInterest(&departure))
    }

    /// Unlinks a waiter from the list of this locked future.
    private func unlink(_ waiter: Waiter) {
        fillInPrevious()
        let next = waiter.next
        next?._withUnsafeGuaranteedRef { $0.previous = waiter.previous }
        if let previous = waiter.previous {
            previous._withUnsafeGuaranteedRef { $0.next = next }
        } else {
            let head = next.map(Self.address) ?? 0
            // Relaxed: still locked; unlocking releases.
            word.store(head | Word.locked, ordering: .relaxed)
        }
        waiter.next = nil
        waiter.previous = nil
        waiter.isLinked = false
    }

    /// Sets `previous` in all waiters pushed since the last time.
    ///
    /// Each is visited once over all calls, so leaving takes constant time, amortised.
    final func fillInPrevious() {
        // Relaxed: the caller holds the lock, and nobody else writes a locked word.
        var newer = Self.waiter(at: word.load(ordering: .relaxed))
        while let current = newer {
            newer = current._withUnsafeGuaranteedRef { waiter -> Unmanaged<Waiter>? in
                guard let older = waiter.next else { return nil }
                return older._withUnsafeGuaranteedRef { older -> Unmanaged<Waiter>? in
                    if older.previous?.toOpaque() == current.toOpaque() { return nil }
                    older.previous = current
                    return .passUnretained(older)
                }
            }
        }
    }

    /// Unlocks this future after a waiter has given up.
    ///
    /// If none is left and the future can be cancelled, moves it to `leaving` instead, settled with
    /// CancellationError.
    /// - Returns: Whether the caller has to detach this future now.
    fileprivate final func unlockWithoutInterest(_ departure: inout Departure) -> Bool {
        // Relaxed: as above.
        guard Self.waiter(at: word.load(ordering: .relaxed)) == nil else {
            unlock()
            return false
        }
        wasGivenUp = true
        // A producer that does not listen goes on; somebody may still come for its result.
        if isRoot, cancelHandlers == nil {
            unlock()
            return false
        }
        if let handlers = attach(.cancelled) { departure.call(handlers) }
        unlock(to: Word.leaving)
        return true
    }
}

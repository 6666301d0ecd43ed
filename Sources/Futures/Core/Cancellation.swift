import Synchronization

/// Removes nodes that were given up from the lists of their upstreams, cancels each upstream that is left
/// without interest, and so on up to the producers; then notifies the producers, and releases what is not
/// needed any more.
///
/// The way up is a loop, not a recursion, so the length of a chain does not matter; only a node and
/// the upstream that it leaves are `detaching` at a time, so no wait grows with the length. Nothing
/// is released and no callback is called before `finish`: an object that is released here may hold the last
/// reference to a promise further up, whose deinit would wait for this thread.
struct Cancellation {
    /// The producers' handlers, and timers, in the order in which the way up met them.
    private var handlers: [CancelHandlers] = []
    private var timers: [any ScheduledAction] = []
    /// The nodes removed from lists, with the reference that the list had; linked by `next`.
    private var detached: Unmanaged<FutureNode>?
    /// The other nodes met on the way, so that none is freed during it.
    private var retained: [FutureNode] = []
    /// Aggregates that have settled, with their inputs to give up, and the work that they do not start any
    /// more.
    private var aggregates: [(aggregate: FutureNode, inputs: [AggregateInput], work: AnyObject?)] =
        []
    /// The number of aggregates whose inputs have been given up.
    private var finishedAggregates = 0

    /// Notes a producer's handlers, with the reference that the caller has.
    mutating func call(_ handlers: Unmanaged<CancelHandlers>) {
        self.handlers.append(handlers.takeRetainedValue())
    }

    /// Notes a timer that is not needed any more.
    mutating func cancel(_ timer: any ScheduledAction) {
        timers.append(timer)
    }

    /// Notes the inputs of an aggregate that has settled, and the work that it will not start any more.
    mutating func giveUp(
        _ inputs: [AggregateInput], of aggregate: FutureNode, releasing work: AnyObject? = nil
    ) {
        aggregates.append((aggregate, inputs, work))
    }

    /// Cancels a future that has lost the interest of a node which is not in its list.
    mutating func giveUpInterest(in future: FutureNode) {
        guard future.lockIfPending(), future.unlockWithoutInterest(&self) else { return }
        detach(future)
    }

    /// Detaches a node that the caller holds and has settled, and all upstreams that lose their interest by
    /// that.
    mutating func detach(_ node: FutureNode) {
        walk(from: node)
        detachInputs()
    }

    /// Detaches the inputs noted so far, and all upstreams that lose their interest by that.
    mutating func detachInputs() {
        while finishedAggregates < aggregates.count {
            let (aggregate, inputs, _) = aggregates[finishedAggregates]
            finishedAggregates += 1
            var number = 0
            for input in inputs where input.claim(as: StateWord.detaching) {
                walk(from: input)
                number += 1
            }
            // Not for zero: the last input may have released the aggregate already.
            if number > 0 { aggregate.inputsGivenUp(number) }
        }
    }

    private mutating func walk(from start: FutureNode) {
        var current = start
        while let upstream = step(current, isHeld: current === start) { current = upstream }
    }

    /// Detaches one node from its upstream.
    ///
    /// - Parameter isHeld: Whether the caller keeps the node.
    /// - Returns: The upstream, if it has to be detached now because it has lost all interest.
    private mutating func step(_ node: FutureNode, isHeld: Bool) -> FutureNode? {
        node.dropWaits(into: &self)
        let upstream = node.retainUpstream()
        var (wasEnrolled, isWithoutInterest) = (false, false)
        if let upstream { (wasEnrolled, isWithoutInterest) = upstream.unlink(node, for: &self) }
        if wasEnrolled {
            // The list's reference passes to this list.
            node.next = detached
            detached = .passUnretained(node)
        } else if !isHeld {
            retained.append(node)
        }
        // The last access: from here on the thread that settles or frees the upstream continues. Releasing, for
        // `waitUntilDetached`: what this did to the upstream, its retain count included, has happened before that
        // thread frees it. Neither ThreadSanitizer nor the model sees it if this were relaxed: the one takes the
        // upstream's lock for the order, the other has no weaker memory. It must hold where that lock was not taken:
        // where `retainUpstream` failed, only this store follows the read of the upstream's memory.
        // Relaxed load: only this thread leaves `detaching`.
        if node.word.load(ordering: .relaxed) == StateWord.detaching {
            node.word.store(StateWord.failure, ordering: .releasing)
        }
        if let upstream, !isWithoutInterest { retained.append(upstream) }
        return isWithoutInterest ? upstream : nil
    }

    /// Calls and releases everything that was noted: first it calls the producers' handlers, then it releases
    /// closures.
    ///
    /// If it is nested too deep, this is deferred until before an outer delivery on this thread returns.
    ///
    /// Called once, while no lock is held.
    consuming func finish() {
        guard FutureNode.enterDelivery() else {
            return FutureNode.putOff { [self] in
                var rest = self
                rest.run()
            }
        }
        run()
        FutureNode.leaveDelivery()
    }

    private mutating func run() {
        for timer in timers { timer.cancel() }
        for handlers in handlers { handlers.call() }
        while let node = detached {
            node._withUnsafeGuaranteedRef {
                detached = $0.next
                $0.next = nil
                $0.dropClosure()
            }
            node.release()
        }
        retained = []
        aggregates = []
        // A handler may hold the future; it is not called again.
        handlers = []
        timers = []
    }
}

extension FutureNode {
    /// Removes this detaching node from its upstream's list, and leaves the interest to the caller.
    ///
    /// - Returns: The upstream, whose ``giveUpInterest()`` is to be called, and which may have settled. It is not
    ///   released here: that may be the last release. Nil if it is in its deinit.
    final func detach() -> FutureNode? {
        let upstream = retainUpstream()
        var wasEnrolled = false
        if let upstream, upstream.lockIfPending() {
            wasEnrolled = isEnrolled
            if wasEnrolled { upstream.unlink(self) }
            upstream.unlock()
        }
        word.store(StateWord.failure, ordering: .releasing)
        // The list's reference; the code that gives this up has another.
        if wasEnrolled { Unmanaged.passUnretained(self).release() }
        return upstream
    }

    /// Removes a node from the list, if it still is in it.
    fileprivate final func unlink(
        _ node: FutureNode, for cancellation: inout Cancellation
    ) -> (wasEnrolled: Bool, isWithoutInterest: Bool) {
        // Settled: the thread that took the list meets the node there and waits for it.
        guard lockIfPending() else { return (false, false) }
        guard node.isEnrolled else {
            unlock()
            return (false, false)
        }
        unlink(node)
        return (true, unlockWithoutInterest(&cancellation))
    }

    /// Unlocks this future after a node has given up.
    ///
    /// If none is left and the future can be cancelled, settles it with CancellationError instead.
    /// - Returns: Whether the caller has to detach this future now.
    fileprivate final func unlockWithoutInterest(_ cancellation: inout Cancellation) -> Bool {
        guard list == 0 else {
            unlock()
            return false
        }
        wasGivenUp = true
        // A producer without a handler goes on; a later observer may still want its result.
        if isRoot, cancelHandlers == nil {
            unlock()
            return false
        }
        if let handlers = attach(.cancelled) { cancellation.call(handlers) }
        unlock(to: isRoot ? StateWord.failure : StateWord.detaching)
        return true
    }
}

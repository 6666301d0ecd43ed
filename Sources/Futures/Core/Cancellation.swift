import Synchronization

extension FutureNode {
    /// Fails this future before it has a result, as `cancel()` does, and gives up what it waits for.
    ///
    /// - Returns: False if it was settled already.
    @discardableResult
    final func abort(with failure: Failure) -> Bool {
        guard lockIfPending() else { return false }
        let handlers = attach(failure)
        settleGivingUp(as: isRoot ? StateWord.failure : StateWord.detaching, calling: handlers)
        return true
    }

    /// Settles a locked future that doesn't need its upstream or its inputs any more.
    ///
    /// First, this future gives up what it waits for. Then the producers whose results nobody waits for any more are
    /// notified. Finally, this future's waiters get the result.
    ///
    /// A future ends here if it settles before its upstream or its inputs: because it is cancelled, its time is over,
    /// or it needs no more inputs. The producers are notified before the waiters, because a waiter may begin other
    /// work, such as another call. The earlier call should be told to stop before that. Only a root has handlers of its
    /// own, and these are called after the root's waiters.
    final func settleGivingUp(as newWord: UInt, calling handlers: Unmanaged<CancelHandlers>? = nil)
    {
        let list = list
        unlock(to: newWord)
        var cancellation = Cancellation()
        if let handlers { cancellation.call(handlers) }
        cancellation.detach(self)
        if !isRoot { cancellation.finish() }
        if list != 0 { deliverToWaiters(list) }
        if isRoot { cancellation.finish() }
    }

    /// Registers handlers for cancellation.
    ///
    /// - Parameter forgetting: True to forget that all earlier waiters gave up. The handlers are then called only if
    ///   another waiter gives up later.
    final func add(_ handlers: CancelHandlers, forgettingWhoGaveUp forgetting: Bool = false) {
        if lockIfPending() {
            if forgetting { wasGivenUp = false }
            let isGivenUp = wasGivenUp ? !hasInterest : false
            if let first = cancelHandlers {
                first.append(handlers)
            } else {
                attachment = .handlers(handlers)
            }
            unlock()
            // All waiters gave up before the handler was added, so this future is given up now.
            if isGivenUp { giveUpInterest() }
        } else if failure === Failure.cancelled {
            handlers.call()
        }
    }

    /// Gives up one interest in this future, for a node that isn't in this future's list.
    final func giveUpInterest() {
        var cancellation = Cancellation()
        cancellation.giveUpInterest(in: self)
        cancellation.finish()
    }

    /// Lets interest in this future last until it settles.
    final func keepInterest() {
        guard lockIfPending() else { return }
        hasLastingInterest = true
        unlock()
    }
}

/// One cancellation: it begins at a node that was given up, and ends at the producers.
///
/// It removes nodes that were given up from the lists of their upstreams. Each upstream that is left without
/// interest is cancelled too, and so on up to the producers. Then it notifies the producers, and releases what is
/// no longer needed.
///
/// The way up is a loop and not a recursion, so the length of a chain doesn't matter. At any time, only one node and
/// the upstream that it leaves are `detaching`. So other threads don't wait longer if the chain is longer.
///
/// Before `finish`, nothing is released and no callback is called. A released object might hold the last reference to a
/// promise further up. This thread would then run the promise's deinit, which would wait for this thread itself.
struct Cancellation {
    /// The producers' handlers and the timers, in the order in which they were found on the way up.
    private var handlers: [CancelHandlers] = []
    private var timers: [any ScheduledAction] = []
    /// The nodes that were removed from lists, linked by `next`.
    ///
    /// Each upstream's list had a reference to its node. These references now belong to this list.
    private var detached: Unmanaged<FutureNode>?
    /// The other nodes on the way up, retained so that none is freed meanwhile.
    private var retained: [FutureNode] = []
    /// Aggregates that have settled, with the inputs to give up and the work that they won't start any more.
    private var aggregates: [(aggregate: FutureNode, inputs: [AggregateInput], work: AnyObject?)] =
        []
    /// The number of aggregates whose inputs have been given up.
    private var finishedAggregates = 0

    /// Keeps a producer's handlers until `finish` calls them, and takes over the caller's reference to them.
    mutating func call(_ handlers: Unmanaged<CancelHandlers>) {
        self.handlers.append(handlers.takeRetainedValue())
    }

    /// Keeps a timer that is no longer needed, until `finish` cancels it.
    mutating func cancel(_ timer: any ScheduledAction) {
        timers.append(timer)
    }

    /// Keeps the inputs that a settled aggregate gives up, and the work that the aggregate won't start any more.
    mutating func giveUp(
        _ inputs: [AggregateInput], of aggregate: FutureNode, releasing work: AnyObject? = nil
    ) {
        aggregates.append((aggregate, inputs, work))
    }

    /// Gives up one interest in a future, for a node that isn't in the future's list.
    ///
    /// If the future has no waiters left, it is cancelled.
    mutating func giveUpInterest(in future: FutureNode) {
        guard future.lockIfPending(), future.unlockWithoutInterest(&self) else { return }
        detach(future)
    }

    /// Detaches a node, and then every upstream that nobody waits for any more.
    ///
    /// The node has settled, and the caller holds it.
    mutating func detach(_ node: FutureNode) {
        walk(from: node)
        detachInputs()
    }

    /// Detaches the inputs noted so far, and then every upstream that nobody waits for any more.
    mutating func detachInputs() {
        while finishedAggregates < aggregates.count {
            let (aggregate, inputs, _) = aggregates[finishedAggregates]
            finishedAggregates += 1
            var number = 0
            for input in inputs where input.claim(as: StateWord.detaching) {
                walk(from: input)
                number += 1
            }
            // If other threads deliver to all the inputs, the last of them may have released the aggregate already.
            if number > 0 { aggregate.inputsGivenUp(number) }
        }
    }

    private mutating func walk(from start: FutureNode) {
        var current = start
        while let upstream = step(current, isHeld: current === start) { current = upstream }
    }

    /// Detaches one node from its upstream.
    ///
    /// - Parameter isHeld: True if the caller keeps the node alive.
    /// - Returns: The upstream, if nobody waits for it any more, so that it must be detached next.
    private mutating func step(_ node: FutureNode, isHeld: Bool) -> FutureNode? {
        node.dropWaits(into: &self)
        let upstream = node.retainUpstream()
        var (wasEnrolled, isWithoutInterest) = (false, false)
        if let upstream { (wasEnrolled, isWithoutInterest) = upstream.unlink(node, for: &self) }
        if wasEnrolled {
            // The upstream's list had a reference to the node. This reference now belongs to the list `detached`.
            node.next = detached
            detached = .passUnretained(node)
        } else if !isHeld {
            retained.append(node)
        }
        // The thread that settles or frees the upstream waits for this store, and then continues.
        //
        // The store is releasing, to match the load in `waitUntilDetached`: everything that this thread did to the
        // upstream, including changes of its retain count, happens before the other thread frees the upstream. If
        // `retainUpstream` fails, this thread doesn't take the upstream's lock. Then only this store orders this
        // thread's read of the upstream before the other thread's free (the litmus test `detached` in Tests/Model).
        //
        // The load is relaxed, because only this thread changes a word that is `detaching`.
        if node.word.load(ordering: .relaxed) == StateWord.detaching {
            node.word.store(StateWord.failure, ordering: .releasing)
        }
        if let upstream, !isWithoutInterest { retained.append(upstream) }
        return isWithoutInterest ? upstream : nil
    }

    /// Calls the producers' handlers, then releases everything that was noted.
    ///
    /// If the calls would nest too deep, they are deferred, and run before an outer delivery on this thread returns.
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
        // The handlers may hold the future, and are not called again, so they are released.
        handlers = []
        timers = []
    }
}

extension FutureNode {
    /// Removes this detaching node from its upstream's list.
    ///
    /// This node's interest in the upstream remains. Either the caller gives it up later, with ``giveUpInterest()``, or
    /// it lasts.
    ///
    /// - Parameter lasting: True if the interest lasts until the upstream settles.
    /// - Returns: The upstream, which may have settled; nil if the upstream is in its deinit. The caller has to release
    ///   the upstream. That release may be the last one, and run a deinit.
    final func detach(leavingInterest lasting: Bool = false) -> FutureNode? {
        let upstream = retainUpstream()
        var wasEnrolled = false
        if let upstream, upstream.lockIfPending() {
            wasEnrolled = isEnrolled
            if lasting { upstream.hasLastingInterest = true }
            if wasEnrolled { upstream.unlink(self) }
            upstream.unlock()
        }
        word.store(StateWord.failure, ordering: .releasing)
        // This releases the list's reference. The code that gives this node up has another reference.
        if wasEnrolled { Unmanaged.passUnretained(self).release() }
        return upstream
    }

    /// Removes a node from the list, if it is still in the list.
    fileprivate final func unlink(
        _ node: FutureNode, for cancellation: inout Cancellation
    ) -> (wasEnrolled: Bool, isWithoutInterest: Bool) {
        // If this future has settled, the thread that took the list finds the node in it, and waits until the node is
        // detached.
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
    /// If no node is left and the future can be cancelled, settles it with `CancellationError` instead.
    ///
    /// - Returns: True if the caller must detach this future now.
    fileprivate final func unlockWithoutInterest(_ cancellation: inout Cancellation) -> Bool {
        if hasInterest {
            unlock()
            return false
        }
        wasGivenUp = true
        // A producer without a handler goes on, and its promise stays pending, because a later observer may still want
        // the result.
        if isRoot, cancelHandlers == nil {
            unlock()
            return false
        }
        if let handlers = attach(.cancelled) { cancellation.call(handlers) }
        unlock(to: isRoot ? StateWord.failure : StateWord.detaching)
        return true
    }
}

// MARK: - Handlers

/// The cancel handlers of one producer, as a list in order of registration.
///
/// The list is built under the lock of its future. It is walked by the thread that cancels, or by a thread that
/// raises priorities.
@usableFromInline
class CancelHandlers: @unchecked Sendable {
    private let handler: @Sendable () -> Void
    private var next: CancelHandlers?
    /// The end of the list, kept only in the first element.
    private var last: CancelHandlers?

    init(_ handler: @escaping @Sendable () -> Void) {
        self.handler = handler
    }

    deinit {
        // A long list is freed in a loop, not by recursion.
        last = nil
        var rest = next
        next = nil
        while let handlers = rest {
            rest = handlers.next
            handlers.next = nil
        }
    }

    /// Appends one handler.
    ///
    /// Called on the first element.
    final func append(_ handlers: CancelHandlers) {
        if let last {
            last.next = handlers
        } else {
            next = handlers
        }
        last = handlers
    }

    /// Calls all handlers.
    final func call() {
        var current: CancelHandlers? = self
        while let handlers = current {
            handlers.handler()
            current = handlers.next
        }
    }

    /// Raises the priority of the producer's task, if it has one.
    ///
    /// - Parameter priority: The priority of a task that waits for this producer.
    /// - Returns: The futures that the producer waits for, which the caller raises in turn.
    func raise(to priority: TaskPriority) -> [FutureNode] { [] }

    /// The future that the producer waits for, if known.
    var awaited: FutureNode? { nil }

    /// The newest element of the list.
    ///
    /// Called on the first element, under the future's lock.
    final var newest: CancelHandlers { if let last { last } else { self } }

    /// Raises all elements from this one (the first) through `newest`.
    ///
    /// Called without the lock: only the link of the newest element may change meanwhile, and that link isn't read
    /// here.
    ///
    /// - Parameter budget: The number of elements that may be visited.
    /// - Returns: The same as for `raise(to:)`.
    final func raise(
        through newest: CancelHandlers, to priority: TaskPriority, _ budget: inout Int
    ) -> [FutureNode] {
        var (current, futures) = (self, raise(to: priority))
        while current !== newest, budget > 0, let next = current.next {
            budget -= 1
            futures += next.raise(to: priority)
            current = next
        }
        return futures
    }

    /// Calls `find` with the elements from this one (the first) through `newest`, until a result isn't nil.
    ///
    /// Called without the lock, for the reason given at `raise(through:to:_:)`.
    final func first<Found>(
        through newest: CancelHandlers, _ find: (CancelHandlers) -> Found?
    ) -> Found? {
        var (current, found) = (self, find(self))
        while found == nil, current !== newest, let next = current.next {
            (current, found) = (next, find(next))
        }
        return found
    }
}

internal import Dispatch
internal import PledgeFutures
internal import Synchronization

extension StoreCore {
    /// Puts an entry in the queue, and drains it, unless another thread does.
    ///
    /// - Parameter make: Makes the entry, if there is one, under the lock.
    func enter(_ make: (inout Values) -> Entry?) {
        let thread = threadIdentity()
        let (isMine, isLong) = values.withLock { values in
            guard let entry = make(&values) else { return (false, false) }
            let isMine = turn.take()
            if isMine { values.drainer = thread }
            return (isMine, values.enqueue(entry, by: thread))
        }
        if isLong { reportLongQueue() }
        if isMine { drain() }
    }

    /// Notifies the observers of all entries in the queue, until no more have arrived, or a dispatch would be held up for
    /// too long by what other threads dispatch: the rest is then the library's.
    ///
    /// Batches are swapped out. An observer that subscribes after that is newer than the whole batch.
    @usableFromInline
    func drain() {
        var patience = Patience()
        drain { isOfOthers in isOfOthers && patience.isOver }
    }

    /// - Parameter isToLeave: Whether the thread leaves before the next entry of a batch; called with whether the batch has
    ///   entries of other threads.
    private func drain(_ isToLeave: (Bool) -> Bool) {
        var batch: [Entry] = []
        var subscribers = Subscribers<State>()
        repeat {
            var isOfOthers = false
            // Assigned outside the lock: it may free an observer that has unsubscribed, and objects that the
            // observer captured may use the store when they are freed.
            subscribers = values.withLock { values in
                turn.goOn()
                if batch.capacity == 0 { swap(&batch, &values.spare) }
                swap(&batch, &values.pending)
                isOfOthers = values.hasOthersEntries
                values.hasOthersEntries = false
                return values.subscribers
            }
            for index in batch.indices {
                if isToLeave(isOfOthers) { return leave(batch[index...], subscribers) }
                tell(batch[index], subscribers)
            }
            batch.removeAll(keepingCapacity: true)
            // The large buffer after a burst is released.
            if batch.capacity > 1024 { batch = [] }
        } while !endTurn(&batch)
    }

    /// Leaves the rest of a batch, and what has arrived meanwhile, to a thread of the library, which keeps the turn.
    private func leave(_ rest: ArraySlice<Entry>, _ subscribers: Subscribers<State>) {
        let rest = Array(rest)
        values.withLock { $0.drainer = 0 }
        DispatchQueue.global(qos: .userInitiated).async {
            let thread = threadIdentity()
            self.values.withLock { $0.drainer = thread }
            for entry in rest { self.tell(entry, subscribers) }
            if !self.turn.end() { self.drain { _ in false } }
        }
    }

    /// Returns the buffer for reuse and ends the turn, if the queue is empty.
    private func endTurn(_ batch: inout [Entry]) -> Bool {
        values.withLock { values in
            guard turn.end() else { return false }
            swap(&batch, &values.spare)
            return true
        }
    }

    /// Notifies the observers of an entry, and frees its place in the queue.
    private func tell(_ entry: Entry, _ subscribers: Subscribers<State>) {
        switch entry {
        case .transition(let step):
            subscribers.notify(step.old, step.new, step.version, noting: observing)
            perform(step.commands)
        case .replay(let replay): replay()
        case .commands(let commands): perform(commands)
        }
        if queueLimit != nil { admit(after: 1) }
    }
}

/// How long a thread that dispatches may be held up by the entries of other threads.
private struct Patience {
    /// How many entries it delivers for others, and for how long.
    ///
    /// A thread of an app's screen has 8 ms for a frame.
    private static let (entries, time) = (1_000, Duration.milliseconds(2))

    private var delivered = 0
    private var end: ContinuousClock.Instant?

    /// Whether it is over; called once before each entry.
    var isOver: Bool {
        mutating get {
            let now = ContinuousClock.now
            let end = end ?? now.advanced(by: Self.time)
            self.end = end
            delivered += 1
            return delivered > Self.entries || now >= end
        }
    }
}

// MARK: - Long queues

extension StoreCore {
    /// How long a queue is of which a report is made.
    @usableFromInline static var reportedLength: Int { 10_000 }

    /// Says once that observers are slower than dispatches, and names the observer that is being called.
    @usableFromInline
    func reportLongQueue() {
        let place = values.withLock { values in
            values.subscribers.member(observing.load(ordering: .relaxed))?.place
        }
        let observer = place.map { " at \($0)" } ?? ""
        FutureDiagnostics.tell(
            """
            the observers of a Store of \(State.self) are slower than its events: \
            \(Self.reportedLength) changes wait while the observer\(observer) runs
            """)
    }

    /// Waits until the queue has a place, if it is limited, unless this is the thread that drains it.
    @usableFromInline
    func waitForPlace() {
        guard let queueLimit else { return }
        let thread = threadIdentity()
        let place = values.withLock { values -> QueuePlace? in
            let isFull = values.undelivered >= queueLimit || !values.waiting.isEmpty
            guard isFull, values.drainer != thread, !values.isClosed else { return nil }
            let place = QueuePlace()
            values.waiting.append(place)
            return place
        }
        guard let place else { return }
        place.wait()
        values.withLock { $0.admitted -= 1 }
    }

    /// Lets threads that wait for a place go on, as far as there are places.
    ///
    /// - Parameter delivered: How many entries were delivered.
    @usableFromInline
    func admit(after delivered: Int) {
        guard let queueLimit else { return }
        let next = values.withLock { values -> ArraySlice<QueuePlace> in
            values.undelivered -= delivered
            let free = queueLimit - values.undelivered - values.admitted
            let next = values.waiting.prefix(max(0, free))
            values.waiting.removeFirst(next.count)
            values.admitted += next.count
            return next
        }
        for place in next { place.give() }
    }
}

/// A thread's wait for a place in a limited queue.
@usableFromInline
final class QueuePlace: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }

    func give() { semaphore.signal() }
}

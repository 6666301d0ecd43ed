internal import Dispatch
internal import PledgeFutures
public import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension StoreCore {
    /// Enqueues an entry, and drains the queue unless that is already being done.
    ///
    /// - Parameter make: Makes the entry, under the lock; nil for none.
    func enqueue(_ make: (inout Values) -> Entry?) {
        let thread = threadIdentity()
        let (isMine, isLong) = values.withLock { values in
            guard let entry = make(&values) else { return (false, false) }
            let isMine = turn.takeTurn()
            if isMine { values.drainer = thread }
            return (isMine, values.enqueue(entry, by: thread))
        }
        if isLong { reportLongQueue() }
        if isMine { drain() }
    }

    /// Delivers entries until the queue is empty; if other threads' entries take too long, leaves the rest to a thread
    /// of the library.
    ///
    /// The whole queue is taken out as one batch. An observer that subscribes afterwards is newer than all its changes,
    /// and gets none of them.
    @usableFromInline
    func drain() {
        var patience = Patience()
        drain { isOfOthers in isOfOthers && patience.isOver }
    }

    /// Drains the queue until it's empty, or until `isToLeave` returns true.
    ///
    /// - Parameter isToLeave: Called before each entry, with true if the batch has other threads' entries.
    private func drain(_ isToLeave: (Bool) -> Bool) {
        var batch: [Entry] = []
        var subscribers = SubscriberList<State>()
        repeat {
            var isOfOthers = false
            // Assigned outside the lock: this may free an observer that has unsubscribed, whose captured objects may
            // use the store.
            subscribers = values.withLock { values in
                turn.goOn()
                if batch.capacity == 0 { swap(&batch, &values.spare) }
                swap(&batch, &values.pending)
                isOfOthers = values.hasOthersEntries
                values.hasOthersEntries = false
                return values.subscribers.list
            }
            for index in batch.indices {
                if isToLeave(isOfOthers) { return leave(batch[index...], subscribers) }
                tell(batch[index], subscribers)
            }
            batch.removeAll(keepingCapacity: true)
            // After a burst, the large buffer is released.
            if batch.capacity > 1024 { batch = [] }
        } while !endTurn(&batch)
    }

    /// Leaves the rest of a batch, and further draining, to a thread of the library.
    private func leave(_ rest: ArraySlice<Entry>, _ subscribers: SubscriberList<State>) {
        let rest = Array(rest)
        values.withLock { $0.drainer = 0 }
        DispatchQueue.global(qos: .userInitiated).async {
            let thread = threadIdentity()
            self.values.withLock { $0.drainer = thread }
            for entry in rest { self.tell(entry, subscribers) }
            if !self.turn.endTurn() { self.drain { _ in false } }
        }
    }

    /// If the queue is empty, ends the draining, keeps the buffer for reuse, and returns true.
    private func endTurn(_ batch: inout [Entry]) -> Bool {
        values.withLock { values in
            guard turn.endTurn() else { return false }
            swap(&batch, &values.spare)
            return true
        }
    }

    /// Delivers an entry, and then frees its place.
    private func tell(_ entry: Entry, _ subscribers: SubscriberList<State>) {
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

/// Limits how long a dispatching thread delivers other threads' entries.
private struct Patience {
    /// The most entries of other threads, and the longest time.
    ///
    /// A thread that draws an app's screen has only 8 ms for a frame.
    private static let (entries, time) = (1_000, Duration.milliseconds(2))

    private var delivered = 0
    private var end: ContinuousClock.Instant?

    /// True once a limit is reached.
    ///
    /// Each read counts an entry, so read it exactly once before each.
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

extension StoreCore {
    @usableFromInline static var reportedLength: Int { 10_000 }

    /// Reports that observers are slower than dispatches, and names the current observer.
    @usableFromInline
    func reportLongQueue() {
        let place = values.withLock { values in
            values.subscribers.list.member(observing.load(ordering: .relaxed))?.place
        }
        let observer = place.map { " at \($0)" } ?? ""
        FutureDiagnostics.tell(
            """
            the observers of a Store of \(State.self) are slower than its events: \
            \(Self.reportedLength) changes wait while the observer\(observer) runs
            """)
    }

    /// Waits for a place in a limited queue, except on the draining thread.
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

    /// Lets waiting threads go on, one for each free place.
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

@usableFromInline
final class QueuePlace: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() { semaphore.wait() }

    func give() { semaphore.signal() }
}

@usableFromInline
enum QueueEntry<State: Sendable>: Sendable {
    /// A change for the observers that had subscribed before, and the commands to carry out afterwards.
    case transition(Transition<State>)
    /// The state at the time of subscription, for a new subscriber.
    case replay(@Sendable () -> Void)
    /// Commands without a change of state.
    case commands([EffectCommand])
}

@usableFromInline
struct Transition<State: Sendable>: Sendable {
    @usableFromInline
    let old: State
    @usableFromInline
    let new: State
    @usableFromInline
    let version: UInt64
    @usableFromInline
    let commands: [EffectCommand]

    @inlinable
    init(old: State, new: State, version: UInt64, commands: [EffectCommand]) {
        self.old = old
        self.new = new
        self.version = version
        self.commands = commands
    }
}

/// The turn to drain a store's queue; at most one thread has it.
///
/// It's taken under the store's lock, but can end without. So a dispatch without contention takes the lock only once.
@usableFromInline
struct DrainToken: ~Copyable, Sendable {
    /// No thread drains.
    ///
    /// Next: taken.
    @usableFromInline static var idle: UInt8 { 0 }
    /// A thread drains, and nothing else waits.
    ///
    /// Next: idle, or more.
    @usableFromInline static var taken: UInt8 { 1 }
    /// A thread drains, and more entries wait for it.
    ///
    /// Next: taken.
    @usableFromInline static var more: UInt8 { 2 }

    @usableFromInline
    let word = Atomic<UInt8>(0)

    @inlinable
    init() {}

    /// Takes the turn, or else tells the thread that has it to go on.
    ///
    /// Call it under the queue's lock. If it returns false, enqueue the entry before you release the lock.
    @inlinable
    func takeTurn() -> Bool {
        // An idle turn is taken only under the lock, so a load and a store are enough.
        while word.load(ordering: .acquiring) != Self.idle {
            // The draining thread may end its turn just before this; then the loop tries again.
            let found = word.compareExchange(
                expected: Self.taken, desired: Self.more, ordering: .relaxed)
            if found.exchanged || found.original == Self.more { return false }
        }
        word.store(Self.taken, ordering: .relaxed)
        return true
    }

    /// Ends the turn; returns false if more entries wait, and the turn goes on.
    @inlinable
    func endTurn() -> Bool {
        word.compareExchange(
            expected: Self.taken, desired: Self.idle, ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Records that all waiting entries were taken; call it under the lock.
    @inlinable
    func goOn() { word.store(Self.taken, ordering: .relaxed) }
}

/// Identifies the current thread; never zero.
@usableFromInline
func threadIdentity() -> UInt {
    #if canImport(Glibc) || canImport(Android)
    UInt(truncatingIfNeeded: pthread_self())
    #else
    UInt(bitPattern: pthread_self())
    #endif
}

import PledgeFutures

/// The state of a load shedder: how many calls are in flight, and which wait, for how long at most.
///
/// How long a call may wait is decided when it begins to wait: for `target`, if the queue has not been empty for an
/// `interval`; otherwise for an `interval`. (Maurer, "Fail at Scale", ACM Queue 13:8, 2015, after Nichols and
/// Jacobson, "Controlling Queue Delay", ACM Queue 10:5, 2012.) So a burst may wait for as long as it takes to serve
/// it, while a queue that stays is kept short.
struct LoadShedderMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The admission of a call.
    enum Entry {
        /// It is made, and has a place until it ends.
        case admitted
        /// It waits, for a time at most; a call that waited before may have to be refused for it.
        case queued(Ticket, length: Int, patience: Duration, displaced: Waiter?)
        /// It is not made.
        case refused
    }

    /// How many calls are in flight.
    private(set) var inFlight = 0
    private let limits: LoadShedderLimits
    private var line = PriorityWaitQueue<Waiter>()
    /// Since when calls have waited without a break; nil if none waits.
    private var standingSince: SchedulerInstant?

    init(_ limits: LoadShedderLimits) { self.limits = limits }

    /// How many calls wait.
    var queued: Int { line.count }

    /// Whether calls have waited without a break for an interval.
    func isOverloaded(at instant: SchedulerInstant) -> Bool {
        standingSince.map { $0.duration(to: instant) >= limits.interval } ?? false
    }

    /// Admits a call if a place is free.
    mutating func enterIfFree() -> Bool {
        guard inFlight < limits.places else { return false }
        inFlight += 1
        return true
    }

    /// Whether a call of a priority could wait: the queue has room, or a call that would be served after it.
    func mayWait(_ priority: CallPriority, at instant: SchedulerInstant) -> Bool {
        if line.count < limits.queue { return true }
        guard let least = line.leastPriority, least <= priority else { return false }
        return least < priority || servesYoungestFirst(at: instant)
    }

    /// Admits a call, or queues it.
    mutating func enter(
        _ waiter: Waiter, _ priority: CallPriority, at instant: SchedulerInstant
    ) -> Entry {
        if enterIfFree() { return .admitted }
        guard mayWait(priority, at: instant) else { return .refused }
        let patience = isOverloaded(at: instant) ? limits.target : limits.interval
        if line.isEmpty { standingSince = instant }
        let isFull = line.count >= limits.queue
        let displaced =
            isFull ? line.removeLeast(oldest: servesYoungestFirst(at: instant)) : nil
        let ticket = line.append(waiter, priority)
        return .queued(ticket, length: line.count, patience: patience, displaced: displaced)
    }

    /// Makes a call that waits the youngest of a higher priority.
    mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        line.raise(ticket, to: priority)
    }

    /// Confirms that a call whose turn has come is made.
    ///
    /// - Returns: False if it has left meanwhile: it must not be made.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Frees a place, and gives it to the next in the queue.
    ///
    /// - Returns: The call that has got it, and has to be notified.
    mutating func leave(at instant: SchedulerInstant) -> Waiter? {
        guard let next = line.call(youngest: servesYoungestFirst(at: instant)) else {
            inFlight -= 1
            return nil
        }
        noteIfEmpty()
        return next
    }

    /// Removes a call that was given up, or has waited for too long; frees its place if its turn had come.
    ///
    /// Without effect after ``begin(_:)``, and after another call has displaced it.
    ///
    /// - Returns: The call that has got the place, and has to be notified; and the removed waiter.
    mutating func leave(
        _ ticket: Ticket, at instant: SchedulerInstant
    ) -> (next: Waiter?, left: Waiter?) {
        if let left = line.remove(ticket) {
            noteIfEmpty()
            return (nil, left)
        }
        return line.confirm(ticket) ? (leave(at: instant), nil) : (nil, nil)
    }

    private func servesYoungestFirst(at instant: SchedulerInstant) -> Bool {
        limits.order == .newestFirstInOverload && isOverloaded(at: instant)
    }

    private mutating func noteIfEmpty() {
        if line.isEmpty { standingSince = nil }
    }
}

/// What a load shedder allows.
struct LoadShedderLimits: Sendable {
    var places = 64
    var queue = 1_000
    var target = Duration.milliseconds(5)
    var interval = Duration.milliseconds(100)
    var order = LoadShedder.Order.oldestFirst
}

/// The state of a bulkhead: how many calls are in flight, and which wait.
///
/// Calls wait only while all places are taken: a freed place goes to the first in the queue at
/// once, so no later call can take it.
struct BulkheadMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The admission of a call.
    enum Entry: Equatable {
        /// It is made, and has a place until it ends.
        case admitted
        /// It waits, as the last of this number.
        case queued(ticket: Ticket, length: Int)
        /// It is not made.
        case refused
    }

    /// The consequences of the end of a call.
    struct LeaveResult {
        /// The waiter that has left the queue.
        var left: Waiter?
        /// The call that has got the place, and has to be notified.
        var next: Waiter?
    }

    /// How many calls are in flight.
    private(set) var inFlight = 0
    private let limit: Int
    private let queueLimit: Int
    private var line = PriorityWaitQueue<Waiter>()

    init(limit: Int, queue: Int) {
        self.limit = limit
        queueLimit = queue
    }

    /// How many calls wait.
    var queued: Int { line.count }

    /// Admits a call if a place is free.
    mutating func enterIfFree() -> Bool {
        guard inFlight < limit else { return false }
        inFlight += 1
        return true
    }

    /// Whether a call without a place could wait for one.
    var hasRoomToWait: Bool { line.count < queueLimit }

    /// Admits a call, or queues it.
    mutating func enter(_ waiter: Waiter) -> Entry {
        if enterIfFree() { return .admitted }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter, .critical)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Frees a place, and gives it to the first in the queue.
    ///
    /// - Returns: The call that has got it, and has to be notified.
    mutating func leave() -> Waiter? {
        if let next = line.call(youngest: false) { return next }
        inFlight -= 1
        return nil
    }

    /// Confirms that a call whose turn has come is made.
    ///
    /// - Returns: False if it has left meanwhile: it must not be made.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Removes a call from the queue, or frees its place if its turn has come; without effect once it has begun.
    mutating func leave(_ ticket: Ticket) -> LeaveResult {
        if let waiter = line.remove(ticket) { return LeaveResult(left: waiter) }
        return line.confirm(ticket) ? LeaveResult(next: leave()) : LeaveResult()
    }
}

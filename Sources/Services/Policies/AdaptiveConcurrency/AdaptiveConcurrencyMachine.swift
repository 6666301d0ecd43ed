import PledgeFutures

/// The state of an adaptive limit: how many calls are in flight, which wait, and what the algorithm knows.
///
/// Calls wait only while all places are taken: the end of a call, and a limit that has grown, let the first of the queue
/// in at once, so no later call can overtake them.
struct AdaptiveConcurrencyMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The admission of a call.
    enum Entry: Equatable {
        /// It is made, as one of this number in flight.
        case admitted(inFlight: Int)
        /// It waits, as the last of this number.
        case queued(ticket: Ticket, length: Int)
        /// It is not made.
        case refused
    }

    /// A call that waited, and is made now, as one of a number in flight.
    struct Admission: Sendable {
        let waiter: Waiter
        let inFlight: Int
    }

    /// The consequences of giving a queued call up.
    struct LeaveResult: Sendable {
        /// The waiter that has left the queue.
        var left: Waiter?
        /// The calls that are made now, and have to be notified.
        var admissions: [Admission] = []
    }

    /// How many calls are in flight.
    private(set) var inFlight = 0
    /// How many calls may be in flight; fewer than are, after the limit has shrunk.
    private(set) var limit: Int
    /// When the last call ended that said something; nil before the first.
    private(set) var lastSample: SchedulerInstant?
    private var algorithm: any ConcurrencyLimitMachine
    private let queueLimit: Int
    private var line = PriorityWaitQueue<Waiter>()

    init(_ algorithm: any ConcurrencyLimitMachine, queue: Int) {
        self.algorithm = algorithm
        limit = algorithm.limit
        queueLimit = queue
    }

    /// How many calls wait.
    var queued: Int { line.count }

    /// Admits a call if a place is free.
    ///
    /// - Returns: How many are in flight with it; nil if no place is free.
    mutating func enterIfFree() -> Int? {
        guard inFlight < limit else { return nil }
        inFlight += 1
        return inFlight
    }

    /// Whether a call without a place could wait for one.
    var hasRoomToWait: Bool { line.count < queueLimit }

    /// Admits a call, or queues it.
    mutating func enter(_ waiter: Waiter) -> Entry {
        if let inFlight = enterIfFree() { return .admitted(inFlight: inFlight) }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter, .critical)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Frees a place.
    ///
    /// - Parameter sample: The end of the call; nil if it says nothing.
    /// - Returns: The calls of the queue that are made now, in order, and have to be notified.
    mutating func leave(_ sample: ConcurrencySample?) -> [Admission] {
        if var sample {
            sample.isFull = inFlight >= limit
            algorithm.record(sample)
            limit = algorithm.limit
            lastSample = sample.end
        }
        inFlight -= 1
        var admissions: [Admission] = []
        while inFlight < limit, let waiter = line.call(youngest: false) {
            inFlight += 1
            admissions.append(Admission(waiter: waiter, inFlight: inFlight))
        }
        return admissions
    }

    /// Confirms that a call whose turn has come is made.
    ///
    /// - Returns: False if it has left meanwhile: it must not be made.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Removes a call from the queue, or frees its place if its turn has come; without effect once it has begun.
    mutating func leave(_ ticket: Ticket) -> LeaveResult {
        if let waiter = line.remove(ticket) { return LeaveResult(left: waiter) }
        return line.confirm(ticket) ? LeaveResult(admissions: leave(nil)) : LeaveResult()
    }

    /// Whether nothing is lost with the state.
    ///
    /// That is so if no call is in flight, and the limit is not below that of a new state or no call has ended for a
    /// minute.
    func isIdle(at now: SchedulerInstant, initial: Int) -> Bool {
        guard inFlight == 0 else { return false }
        guard limit < initial, let lastSample else { return true }
        return lastSample.duration(to: now) > .seconds(60)
    }
}

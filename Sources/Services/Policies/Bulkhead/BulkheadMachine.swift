/// What a bulkhead knows: how many calls are in flight, and who waits.
///
/// Calls wait only while all places are taken: a freed place goes to the first in the queue at
/// once, so no later call can take it.
struct BulkheadMachine<Waiter: Sendable>: Sendable {
    /// What becomes of a call.
    enum Entry: Equatable {
        /// It is made, and has a place until it ends.
        case admitted
        /// It waits, as the last of so many.
        case queued(ticket: Int, length: Int)
        /// It is not made.
        case refused
    }

    /// What a call that ends leaves behind.
    struct Departure {
        /// Who had waited, and has left the line.
        var left: Waiter?
        /// Who has got the place, and is to be told.
        var next: Waiter?
    }

    /// How many calls are in flight.
    private(set) var inFlight = 0
    private let limit: Int
    private let queueLimit: Int
    private var line = WaitingLine<Waiter>()

    init(limit: Int, queue: Int) {
        self.limit = limit
        queueLimit = queue
    }

    /// How many calls wait.
    var queued: Int { line.count }

    /// Lets a call in if there is a place.
    mutating func enterIfFree() -> Bool {
        guard inFlight < limit else { return false }
        inFlight += 1
        return true
    }

    /// Whether a call that finds no place could wait for one.
    var hasRoomToWait: Bool { line.count < queueLimit }

    /// Lets a call in, or lets it wait.
    mutating func enter(_ waiter: Waiter) -> Entry {
        if enterIfFree() { return .admitted }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Takes a place back, and gives it to the first in line.
    ///
    /// - Returns: Who has got it, and is to be told.
    mutating func leave() -> Waiter? {
        if let next = line.popFirst() { return next }
        inFlight -= 1
        return nil
    }

    /// Takes back what a call had that was queued: its place, or that in the line.
    mutating func leave(_ ticket: Int) -> Departure {
        if let waiter = line.remove(ticket) { return Departure(left: waiter) }
        return Departure(next: leave())
    }
}

import PledgeFutures

/// The state of a rate limiter: when the next call would be due at an even rate, and the waiting calls.
///
/// It is the generic cell rate algorithm (ITU-T I.371), which is a token bucket that needs no refilling:
/// a call is due one interval after the one before, and may come early by all intervals of the burst except
/// one. Times are counted in parts of a nanosecond. A nanosecond has as many parts as calls pass in a period,
/// so an interval is a whole number at any rate, and only answers are rounded, up to the next nanosecond.
///
/// While a call waits, all others go to the end of the queue. Its turn stands on a line of time on which the
/// calls are one interval apart, so a late timer delays nobody else: what is due passes at once.
struct RateLimiterMachine<Waiter: Sendable>: Sendable {
    /// The admission of a call.
    enum Entry: Equatable {
        /// It passes now.
        case passes
        /// It may wait, because it would pass in time.
        case mayWait
        /// It waits, as the last of this number.
        case queued(ticket: Int, length: Int)
        /// It would not pass before the instant.
        case refused(retryAt: SchedulerInstant)
    }

    private let partsOfNanosecond: Int128
    private let interval: Int128
    /// How early a call may come.
    private let tolerance: Int128
    /// How far the line may stay behind the clock while calls wait.
    private let lag: Int128
    /// When the next call is due; nil before the first one.
    private var due: Int128?
    private var line = WaitQueue<Waiter>()

    /// - Parameter lateness: How late a timer may be without delaying the calls behind; the burst bridges its
    ///   own intervals in any case. A later one begins the line anew, so that a process that was stopped does
    ///   not make all calls at once.
    init(rate: Int, per period: Duration, burst: Int, lateness: Duration) {
        partsOfNanosecond = Int128(rate)
        interval = Int128(period.nanoseconds)
        tolerance = interval * Int128(burst - 1)
        lag = max(0, Int128(lateness.nanoseconds) * partsOfNanosecond - tolerance)
    }

    /// How many calls wait.
    var queued: Int { line.count }

    /// Whether a whole burst may pass, and no call waits.
    func isIdle(at now: SchedulerInstant) -> Bool {
        line.isEmpty && (due.map { instant(of: $0) <= now } ?? true)
    }

    /// When the first in the queue passes; nil if no call waits.
    var next: SchedulerInstant? {
        line.isEmpty ? nil : due.map { instant(of: $0 - tolerance) }
    }

    /// Lets a call pass, or decides whether it may wait.
    mutating func enter(at now: SchedulerInstant, within bound: Duration) -> Entry {
        guard let due else { return pass(at: now) }
        // Each waiting call moves the due time by one interval; the first of them from now at the earliest.
        let ahead = Int128(line.count) * interval
        let instant = instant(of: start(at: now, due) + ahead - tolerance)
        if line.isEmpty, instant <= now { return pass(at: now) }
        return now.duration(to: instant) <= bound ? .mayWait : .refused(retryAt: instant)
    }

    /// Lets a call pass, or queues it.
    mutating func enter(
        _ waiter: Waiter, at now: SchedulerInstant, within bound: Duration
    ) -> Entry {
        let entry = enter(at: now, within: bound)
        guard entry == .mayWait else { return entry }
        let ticket = line.append(waiter)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Removes the calls that may pass from the queue, in order.
    mutating func popPassing(at now: SchedulerInstant) -> [Waiter] {
        var passing: [Waiter] = []
        while let next, next <= now {
            // While the call counts as waiting.
            _ = pass(at: now)
            if let waiter = line.popFirst() { passing.append(waiter) }
        }
        return passing
    }

    /// Removes a call that was given up from the queue; the others move up.
    mutating func leave(_ ticket: Int) -> Waiter? { line.remove(ticket) }

    private mutating func pass(at now: SchedulerInstant) -> Entry {
        due = start(at: now, due) + interval
        return .passes
    }

    /// The beginning of the interval of a call that passes now: its due time, or now if that has passed.
    ///
    /// Calls that wait keep their due time for as long as the line may stay behind. Less than a nanosecond late
    /// counts as on time, because the clock has no instants between. So rounding errors do not add up.
    private func start(at now: SchedulerInstant, _ due: Int128?) -> Int128 {
        let earliest = Int128(now.offset.nanoseconds) * partsOfNanosecond - (line.isEmpty ? 0 : lag)
        guard let due, earliest - due < partsOfNanosecond else { return earliest }
        return due
    }

    /// The first whole nanosecond that is not earlier.
    private func instant(of parts: Int128) -> SchedulerInstant {
        let (quotient, remainder) = parts.quotientAndRemainder(dividingBy: partsOfNanosecond)
        let nanoseconds = Int64(clamping: remainder > 0 ? quotient + 1 : quotient)
        return SchedulerInstant(offset: .nanoseconds(nanoseconds))
    }
}

import Futures

/// What a rate limiter knows: when the next call would be due at an even rate, and who waits.
///
/// It is the generic cell rate algorithm (ITU-T I.371), which is a token bucket that needs no refilling:
/// a call is due one interval after the one before, and may come early by all intervals of the burst but
/// one. Times are counted in parts of a nanosecond, as many as calls pass in a period, so that an interval
/// is a whole number whatever the rate, and only answers are rounded, up to the next nanosecond.
///
/// While a call waits, all others go to the end of the queue.
struct RateLimiterMachine<Waiter: Sendable>: Sendable {
    /// What becomes of a call.
    enum Entry: Equatable {
        /// It passes now.
        case passes
        /// It may wait, for it would pass in time.
        case mayWait
        /// It waits, as the last of so many.
        case queued(ticket: Int, length: Int)
        /// It would not pass before the instant.
        case refused(retryAt: SchedulerInstant)
    }

    private let partsOfNanosecond: Int128
    private let interval: Int128
    /// How much too early a call may come.
    private let tolerance: Int128
    /// When the next call is due; nil before the first one.
    private var due: Int128?
    private var line = WaitingLine<Waiter>()

    init(rate: Int, per period: Duration, burst: Int) {
        partsOfNanosecond = Int128(rate)
        interval = Int128(period.nanoseconds)
        tolerance = interval * Int128(burst - 1)
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

    /// Lets a call pass, or says whether it may wait.
    mutating func enter(at now: SchedulerInstant, within bound: Duration) -> Entry {
        guard let due else { return pass(at: now) }
        // Each of those in line moves what is due on by one interval; the first of them now at the
        // earliest.
        let ahead = Int128(line.count) * interval
        let instant = instant(of: start(at: now, due) + ahead - tolerance)
        if line.isEmpty, instant <= now { return pass(at: now) }
        return now.duration(to: instant) <= bound ? .mayWait : .refused(retryAt: instant)
    }

    /// Lets a call pass, or lets it wait.
    mutating func enter(
        _ waiter: Waiter, at now: SchedulerInstant, within bound: Duration
    ) -> Entry {
        let entry = enter(at: now, within: bound)
        guard entry == .mayWait else { return entry }
        let ticket = line.append(waiter)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Takes those out of the line who may pass, in order.
    mutating func popPassing(at now: SchedulerInstant) -> [Waiter] {
        var passing: [Waiter] = []
        while let next, next <= now, let waiter = line.popFirst() {
            _ = pass(at: now)
            passing.append(waiter)
        }
        return passing
    }

    /// Takes one out of the line who does not want to wait any more; the others move up.
    mutating func leave(_ ticket: Int) -> Waiter? { line.remove(ticket) }

    private mutating func pass(at now: SchedulerInstant) -> Entry {
        due = start(at: now, due) + interval
        return .passes
    }

    /// Where the interval of a call begins that passes now: when it was due, or now if that is over.
    ///
    /// Less than a nanosecond late is on time; the clock has no instants between. So what is lost by
    /// rounding up does not add up.
    private func start(at now: SchedulerInstant, _ due: Int128?) -> Int128 {
        let parts = Int128(now.offset.nanoseconds) * partsOfNanosecond
        guard let due, parts - due < partsOfNanosecond else { return parts }
        return due
    }

    /// The first whole nanosecond that is not earlier.
    private func instant(of parts: Int128) -> SchedulerInstant {
        let (quotient, remainder) = parts.quotientAndRemainder(dividingBy: partsOfNanosecond)
        let nanoseconds = Int64(clamping: remainder > 0 ? quotient + 1 : quotient)
        return SchedulerInstant(offset: .nanoseconds(nanoseconds))
    }
}

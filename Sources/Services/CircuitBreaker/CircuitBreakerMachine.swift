import Futures

/// What a circuit breaker knows, and decides when a call comes and when it ends.
///
/// Every call that is let through has a ticket, and only a ticket of the present time counts: what
/// was begun before the breaker opened or closed says nothing about the service as it is now.
/// (Finagle's FailureAccrualFactory, with a single probe as in Polly.)
struct CircuitBreakerMachine: Sendable {
    /// What becomes of a call.
    enum Entry: Equatable {
        /// The service is called, and its end is told with the ticket.
        case admitted(ticket: Int, isFirstProbe: Bool)
        /// The service is not called.
        case refused(retryAt: SchedulerInstant)
    }

    /// What the end of a call changes.
    enum Change: Equatable {
        /// The probe succeeded, and calls pass again.
        case closed
        /// No more calls pass; ``open(for:at:)`` is to be told for how long.
        ///
        /// The backoff is asked with the number of the opening, and with how long the last one was.
        case tripped(wasClosed: Bool, opening: Int, previous: Duration?)
    }

    enum State: Equatable {
        /// All calls pass. Next: `tripped`.
        case closed
        /// All calls are refused, until the backoff has said for how long. Next: `open`.
        case tripped(since: SchedulerInstant)
        /// All calls are refused. Next: `probing`, with the first call that comes at the instant or
        /// later.
        case open(until: SchedulerInstant)
        /// One call is under way, and all others are refused. Next: `closed`, `tripped`, or
        /// `halfOpen`.
        case probing(since: SchedulerInstant)
        /// The probe said nothing. Next: `probing`, with the next call.
        case halfOpen
    }

    private(set) var state = State.closed

    private let limits: CircuitBreakerLimits
    /// The ticket of the calls that count.
    private var ticket = 0
    private var failuresInARow = 0
    private var requests: SlicedSum
    private var successes: SlicedSum
    /// How often the breaker has opened since it was closed.
    private var openings = 0
    /// For how long it opened the last time since it was closed.
    private var previous: Duration?

    init(_ limits: CircuitBreakerLimits) {
        self.limits = limits
        requests = SlicedSum(over: limits.window, slices: 10)
        successes = requests
    }

    /// Lets a call pass if the breaker is closed, which needs no clock.
    ///
    /// - Returns: The call's ticket; nil if ``enter(at:)`` has to decide.
    func enterIfClosed() -> Int? { state == .closed ? ticket : nil }

    /// Decides whether a call passes.
    mutating func enter(at instant: SchedulerInstant) -> Entry {
        switch state {
        case .closed: return .admitted(ticket: ticket, isFirstProbe: false)
        case .tripped(let since), .probing(let since):
            return .refused(retryAt: estimate(from: since, at: instant))
        case .open(let end):
            guard instant >= end else { return .refused(retryAt: end) }
            return probe(at: instant, isFirst: true)
        case .halfOpen: return probe(at: instant, isFirst: false)
        }
    }

    /// Takes note of the end of a call.
    mutating func end(_ ticket: Int, with outcome: Outcome, at instant: SchedulerInstant) -> Change?
    {
        guard ticket == self.ticket else { return nil }
        switch (outcome, state) {
        case (.success, .closed):
            failuresInARow = 0
            requests.add(1, at: instant)
            successes.add(1, at: instant)
            return nil
        case (.success, _):
            close()
            return .closed
        case (.failure, .closed), (.retryable, .closed):
            failuresInARow += 1
            requests.add(1, at: instant)
            return hasFailedTooOften(at: instant) ? trip(at: instant) : nil
        case (.failure, _), (.retryable, _): return trip(at: instant)
        case (.ignorable, .closed): return nil
        case (.ignorable, _):
            state = .halfOpen
            return nil
        }
    }

    /// Says for how long the breaker is open that has just tripped.
    mutating func open(for duration: Duration, at instant: SchedulerInstant) {
        state = .open(until: instant.advanced(by: duration))
        openings += 1
        previous = duration
    }

    /// When a call could pass that is refused though no instant is known.
    ///
    /// It is taken to last as long again as the last time.
    func estimate(from since: SchedulerInstant, at instant: SchedulerInstant) -> SchedulerInstant {
        max(instant, since.advanced(by: previous ?? .zero))
    }

    private mutating func hasFailedTooOften(at instant: SchedulerInstant) -> Bool {
        if failuresInARow >= limits.failuresInARow { return true }
        let count = requests.sum(at: instant)
        // The nearest number to the true quotient, as the limit is to what was written in the
        // program; a product might be rounded to the wrong side of it.
        return count >= limits.minimumRequests
            && Double(successes.sum(at: instant)) / Double(count) < limits.successRate
    }

    private mutating func probe(at instant: SchedulerInstant, isFirst: Bool) -> Entry {
        state = .probing(since: instant)
        ticket += 1
        return .admitted(ticket: ticket, isFirstProbe: isFirst)
    }

    private mutating func trip(at instant: SchedulerInstant) -> Change {
        let wasClosed = state == .closed
        state = .tripped(since: instant)
        ticket += 1
        return .tripped(wasClosed: wasClosed, opening: openings, previous: previous)
    }

    private mutating func close() {
        let ticket = ticket + 1
        self = CircuitBreakerMachine(limits)
        self.ticket = ticket
    }
}

/// When a circuit breaker opens.
struct CircuitBreakerLimits: Sendable {
    var failuresInARow = 5
    var successRate = 0.8
    var window = Duration.seconds(30)
    var minimumRequests = 5
}

import PledgeFutures

/// The state of a circuit breaker, and its decisions at the beginning and the end of a call.
///
/// Every admitted call has a ticket, and only tickets since the last change of state count: a call that began
/// before says nothing about the service now. (Finagle's FailureAccrualFactory; slow calls and several probes
/// as in Resilience4j.)
struct CircuitBreakerMachine: Sendable {
    /// The admission of a call.
    enum Entry: Equatable {
        /// The service is called, and its end is recorded with the ticket.
        case admitted(ticket: Int, isFirstProbe: Bool)
        /// The service is not called; the instant is nil if it is not known when it will be.
        case refused(retryAt: SchedulerInstant?)
    }

    /// What the end of a call changes.
    enum Change: Equatable {
        /// The probe succeeded, and calls pass again.
        case closed
        /// No more calls pass; the caller passes the duration to ``open(for:at:)``.
        ///
        /// The backoff gets the number of the opening, and the last duration.
        case tripped(wasClosed: Bool, opening: Int, previous: Duration?)
    }

    enum State: Equatable {
        /// All calls pass. Next: `tripped`.
        case closed
        /// All calls are refused, until the backoff has chosen the duration. Next: `open`.
        case tripped(since: SchedulerInstant)
        /// All calls are refused. Next: `probing`, with the first call at the instant or later.
        case open(until: SchedulerInstant)
        /// All probes are admitted, and all other calls are refused, until as much time has passed as the breaker
        /// was open: then another call is a probe, since these may hang. Next: `closed`, `tripped`, or `halfOpen`.
        case probing(since: SchedulerInstant)
        /// Another probe is admitted, because the last one said nothing, or because several are needed. Next:
        /// `probing`, `closed` or `tripped`.
        case halfOpen
        /// All calls are refused, after `isolate()`. Next: `closed`, by `reset()`.
        case isolated
    }

    private(set) var state = State.closed

    private let limits: CircuitBreakerLimits
    /// The ticket of the calls that count.
    private var ticket = 0
    private var failuresInARow = 0
    /// When the first of the failures in a row ended.
    private var rowSince: SchedulerInstant?
    /// When the first failure ended since the window had none.
    private var failingSince: SchedulerInstant?
    private var requests: SlicedSum
    private var successes: SlicedSum
    private var slowCalls: SlicedSum
    /// Probes that are under way.
    private var probes = 0
    /// Probes that succeeded since the breaker was open.
    private var successfulProbes = 0
    /// How often the breaker has opened since it was closed.
    private var openings = 0
    /// The duration of the last opening since it was closed.
    private var previous: Duration?

    init(_ limits: CircuitBreakerLimits) {
        self.limits = limits
        requests = SlicedSum(over: limits.window, slices: 10)
        successes = requests
        slowCalls = requests
    }

    /// Lets a call pass if the breaker is closed, which needs no clock.
    ///
    /// - Returns: The call's ticket; nil if ``enter(at:)`` has to decide.
    func enterIfClosed() -> Int? { state == .closed ? ticket : nil }

    /// Decides whether a call passes.
    mutating func enter(at instant: SchedulerInstant) -> Entry {
        switch state {
        case .closed: return .admitted(ticket: ticket, isFirstProbe: false)
        case .tripped(let since):
            return .refused(retryAt: estimate(from: since, at: instant))
        case .probing(let since):
            let end = since.advanced(by: previous ?? .zero)
            return instant < end ? .refused(retryAt: end) : probe(at: instant, isFirst: false)
        case .open(let end):
            guard instant >= end else { return .refused(retryAt: end) }
            return probe(at: instant, isFirst: true)
        case .halfOpen: return probe(at: instant, isFirst: false)
        case .isolated: return .refused(retryAt: nil)
        }
    }

    /// Whether it would let a call pass, and counts no failure.
    mutating func isIdle(at instant: SchedulerInstant) -> Bool {
        switch state {
        case .closed: requests.sum(at: instant) == successes.sum(at: instant)
        case .open(let end): end <= instant
        case .probing, .halfOpen: true
        case .tripped, .isolated: false
        }
    }

    /// Records the end of a call.
    ///
    /// - Parameters:
    ///   - ticket: The call's ticket.
    ///   - health: The health that the end shows; an unknown one counts against the service if the call was
    ///     slow.
    ///   - isSlow: Whether the call took longer than allowed.
    ///   - instant: Now.
    mutating func end(
        _ ticket: Int, with health: Outcome.Health, isSlow: Bool = false,
        at instant: SchedulerInstant
    ) -> Change? {
        guard ticket == self.ticket else { return nil }
        switch (health, state) {
        case (.unknown, .closed) where !isSlow: return nil
        case (_, .closed):
            note(isSuccess: health == .healthy, isSlow: isSlow, at: instant)
            return hasFailedTooOften(at: instant) ? trip(at: instant) : nil
        case (.unknown, _) where !isSlow:
            probes -= 1
            state = .halfOpen
            return nil
        case (.healthy, _) where !isSlow:
            probes -= 1
            successfulProbes += 1
            guard successfulProbes == limits.probes else { return nil }
            close()
            return .closed
        default: return trip(at: instant)
        }
    }

    /// Refuses all calls, or lets them pass again with empty counts.
    ///
    /// - Returns: Whether the state changed.
    mutating func isolate(_ isIsolated: Bool) -> Bool {
        let old = state
        close()
        if isIsolated { state = .isolated }
        return state != old
    }

    /// Sets for how long the breaker that has just tripped is open.
    mutating func open(for duration: Duration, at instant: SchedulerInstant) {
        // The breaker may have been isolated or reset meanwhile.
        guard case .tripped = state else { return }
        state = .open(until: instant.advanced(by: duration))
        openings += 1
        previous = duration
    }

    /// An estimate of the instant at which a call could pass, while none is known.
    ///
    /// It assumes the duration of the last opening.
    func estimate(from since: SchedulerInstant, at instant: SchedulerInstant) -> SchedulerInstant {
        max(instant, since.advanced(by: previous ?? .zero))
    }

    private mutating func note(isSuccess: Bool, isSlow: Bool, at instant: SchedulerInstant) {
        if isSuccess {
            (failuresInARow, rowSince) = (0, nil)
        } else {
            failuresInARow += 1
            rowSince = rowSince ?? instant
            let isFirst = requests.sum(at: instant) == successes.sum(at: instant)
            failingSince = isFirst ? instant : failingSince ?? instant
        }
        requests.add(1, at: instant)
        if isSuccess { successes.add(1, at: instant) }
        if isSlow { slowCalls.add(1, at: instant) }
    }

    private mutating func hasFailedTooOften(at instant: SchedulerInstant) -> Bool {
        if failuresInARow >= limits.failuresInARow, lasts(since: rowSince, at: instant) {
            return true
        }
        // A success in time cannot open the breaker.
        let slow = Double(slowCalls.sum(at: instant))
        if failuresInARow == 0, slow == 0 { return false }
        let count = requests.sum(at: instant)
        guard count >= limits.minimumRequests else { return false }
        // A quotient is rounded to the nearest number, as the limit in the program is; a product might be
        // rounded to the wrong side of the limit.
        if failuresInARow > 0, lasts(since: failingSince, at: instant),
            Double(successes.sum(at: instant)) / Double(count) < limits.successRate
        {
            return true
        }
        return slow > 0 && slow / Double(count) >= limits.slowCallRate
    }

    /// Whether failures that began then are more than one event, such as the loss of a connection with many calls.
    private func lasts(since start: SchedulerInstant?, at instant: SchedulerInstant) -> Bool {
        start.map { $0.duration(to: instant) >= limits.failuresLasting } ?? false
    }

    private mutating func probe(at instant: SchedulerInstant, isFirst: Bool) -> Entry {
        if isFirst {
            (probes, successfulProbes) = (0, 0)
            ticket += 1
        }
        probes += 1
        let isLast = probes + successfulProbes >= limits.probes
        state = isLast ? .probing(since: instant) : .halfOpen
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
    var failuresInARow = 10
    var failuresLasting = Duration.zero
    var successRate = 0.5
    var window = Duration.seconds(30)
    var minimumRequests = 5
    var slowCallRate = 1.0
    var probes = 1
}

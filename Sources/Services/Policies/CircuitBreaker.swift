public import PledgeFutures
import Synchronization

extension Middleware {
    /// Refuses calls to a service that has failed too often, until it has had time to recover.
    ///
    /// ```swift
    /// let breaker = CircuitBreaker(named: "shop")
    /// let api = stack(.circuitBreaker(sharing: breaker), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// A refused call fails at once, on the caller's thread, with ``ServiceError/Code/circuitOpen``. The error's
    /// ``ServiceError/retryAt`` and ``ServiceError/retryAfter`` say when another call can be useful. All other calls
    /// pass, on the caller's thread, and their results are returned unchanged.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, shared by all stacks that call the service.
    ///   - classifier: Assesses the end of a call. An end that says nothing about the service's health doesn't count,
    ///     unless the call was slow.
    public static func circuitBreaker(
        sharing breaker: CircuitBreaker = CircuitBreaker(),
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: "circuitBreaker", isIdle: { breaker.isIdle }) { service in
            { input in breaker.call(service, input, classifier: classifier) }
        }
    }
}

/// Lets calls to a service pass, or refuses them if the last calls failed too often.
///
/// ```swift
/// let breaker = CircuitBreaker(named: "shop")
/// let products = stack(.circuitBreaker(sharing: breaker), over: loadProduct)
/// let prices = stack(.circuitBreaker(sharing: breaker), over: loadPrice)
/// ```
///
/// A closed breaker lets all calls pass. It opens after a number of failures in a row, when too few of the last calls
/// succeeded, or when too many of them were slow. Failures open it only if they have lasted for some time, because a
/// lost connection that fails twelve calls at once is one event and not an outage. A failure is an end that shows an
/// unhealthy service (``Outcome/health``). A caller's mistake, a refusal by another policy, and the end of the caller's
/// own time are not failures.
///
/// An open breaker refuses all calls, for a time that the backoff chooses. Then the next `probes` calls are probes. If
/// all of them succeed, the breaker closes and discards its counts. If one fails or is slow, the breaker opens again,
/// for longer. If a probe is cancelled, or its end says nothing about the service, another call becomes a probe.
/// Another call also becomes a probe if the probes take longer than the breaker was open. Calls that started before the
/// breaker opened don't count if they end later.
///
/// Create one for each host or service that fails on its own, and pass it to every stack that calls that host or
/// service. You can use it from any thread. A call takes a lock for constant time when it ends.
/// (Finagle's FailureAccrualFactory; Nygard, "Release It!".)
public final class CircuitBreaker: Sendable {
    /// The states of a circuit breaker.
    public enum State: Hashable, Sendable {
        /// All calls pass.
        case closed
        /// All calls are refused until an instant of the breaker's scheduler. The first call from then on is a probe,
        /// which shows whether the service has recovered.
        case open(until: SchedulerInstant)
        /// Some calls are in flight as probes, or the next ones will be probes. All other calls are refused.
        case halfOpen
        /// All calls are refused, because ``CircuitBreaker/isolate()`` was called.
        case isolated
    }

    /// The name in events and errors; nil for none.
    package let name: String?

    /// The present state.
    public var state: State {
        let now = scheduler.now
        return machine.withLock { machine in
            switch machine.state {
            case .closed: .closed
            case .tripped(let since): .open(until: machine.estimate(from: since, at: now))
            case .open(let end): .open(until: end)
            case .probing, .halfOpen: .halfOpen
            case .isolated: .isolated
            }
        }
    }

    /// Refuses all calls until ``reset()``, for example while the service is being repaired.
    public func isolate() { isolate(true) }

    /// Lets all calls pass again, and discards the counts.
    public func reset() { isolate(false) }

    /// Creates a closed breaker.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - failuresInARow: The number of failures in a row that opens the breaker; at least 1.
    ///   - failuresLasting: The shortest time from the first to the last of these failures; zero or more. A low share
    ///     of successes, too, opens the breaker only if the failures in the window span this time. With zero, the loss
    ///     of a single connection can open the breaker, if it makes `failuresInARow` calls fail at once. With more, a
    ///     first failure alone never opens it, even if `failuresInARow` is 1.
    ///   - successRate: The share of successes below which the breaker opens; 0…1. With zero, only failures in a row
    ///     count.
    ///   - window: The length of the window for both shares; more than zero. The window consists of ten slices of time,
    ///     which begin at multiples of their length from the scheduler's origin.
    ///   - minimumRequests: The number of ended calls in the window below which the shares don't count; at least 1.
    ///   - slowCallDuration: The duration from which a call is slow, whatever its result; more than zero. With nil, no
    ///     call is slow.
    ///   - slowCallRate: The share of slow calls from which the breaker opens; more than 0, at most 1.
    ///   - probes: The number of calls that must succeed before the breaker closes again; at least 1.
    ///   - backoff: Chooses how long the breaker stays open. It is asked once for each opening. Instead of the
    ///     retry's number, it gets the number of earlier openings since the breaker was last closed.
    ///   - scheduler: The clock. The breaker schedules no action on it.
    ///   - random: The source of the jitter.
    public convenience init(
        named name: String? = nil,
        failuresInARow: Int = 10, lasting failuresLasting: Duration = .milliseconds(500),
        successRate: Double = 0.5, over window: Duration = .seconds(30),
        minimumRequests: Int = 5, slowCallDuration: Duration? = nil, slowCallRate: Double = 1,
        probes: Int = 1,
        backoff: Backoff = .equalJitter(base: .seconds(1), cap: .seconds(10)),
        on scheduler: some FutureScheduler = .live, random: RandomSource = .system
    ) {
        precondition(
            failuresInARow >= 1,
            "a circuit breaker needs at least 1 of failuresInARow, not \(failuresInARow)")
        precondition(
            failuresLasting >= .zero,
            "a circuit breaker needs failures lasting zero or more, not \(failuresLasting)")
        precondition(
            (0...1).contains(successRate),
            "a circuit breaker needs a successRate in 0...1, not \(successRate)")
        precondition(
            window > .zero, "a circuit breaker needs a window of more than zero, not \(window)")
        precondition(
            minimumRequests >= 1,
            "a circuit breaker needs at least 1 of minimumRequests, not \(minimumRequests)")
        precondition(
            slowCallDuration ?? .seconds(1) > .zero,
            "a circuit breaker needs a slowCallDuration of more than zero")
        precondition(
            slowCallRate > 0 && slowCallRate <= 1,
            "a circuit breaker needs a slowCallRate above 0 and at most 1, not \(slowCallRate)")
        precondition(probes >= 1, "a circuit breaker needs at least 1 of probes, not \(probes)")
        self.init(
            name,
            CircuitBreakerLimits(
                failuresInARow: failuresInARow, failuresLasting: failuresLasting,
                successRate: successRate, window: window, minimumRequests: minimumRequests,
                slowCallRate: slowCallRate, probes: probes),
            slowCallDuration, backoff, scheduler, random)
    }

    private init(
        _ name: String?, _ limits: CircuitBreakerLimits, _ slowCallDuration: Duration?,
        _ backoff: Backoff, _ scheduler: any FutureScheduler, _ random: RandomSource
    ) {
        machine = Locked(CircuitBreakerMachine(limits))
        self.name = name
        self.limits = limits
        self.slowCallDuration = slowCallDuration
        self.backoff = backoff
        self.scheduler = scheduler
        self.random = random
    }

    private let machine: Locked<CircuitBreakerMachine>
    /// The machine's ticket while the breaker is closed, otherwise -1: calls read it without the lock, under which it is
    /// written.
    private let ticketIfClosed = Atomic(0)
    private let limits: CircuitBreakerLimits
    private let slowCallDuration: Duration?
    private let backoff: Backoff
    private let scheduler: any FutureScheduler
    private let random: RandomSource
}

extension CircuitBreaker {
    package func renewed(in place: PolicyPlace) -> CircuitBreaker {
        CircuitBreaker(
            name ?? place.name, limits, slowCallDuration, backoff, place.clock(or: scheduler),
            place.random(or: random))
    }

    /// True if the breaker can be discarded without loss: it would let a call pass, and counts no failure.
    package var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now) }
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, classifier: Classifier<Output>
    ) -> Future<Output> {
        let context = CallContext.current
        // Acquiring: the call sees what happened before the breaker closed.
        let ticket = ticketIfClosed.load(ordering: .acquiring)
        if ticket < 0 { return callIfTime(service, input, classifier, context) }
        return call(service, input, ticket, classifier, context)
    }

    /// Calls the service if the breaker has been open for long enough.
    private func callIfTime<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, _ classifier: Classifier<Output>,
        _ context: CallContext
    ) -> Future<Output> {
        let now = scheduler.now
        switch change({ $0.admitCall(at: now) }) {
        case .admitted(let ticket, let isFirstProbe):
            if isFirstProbe { tell(from: .open, to: .halfOpen, in: context) }
            return call(service, input, ticket, classifier, context)
        case .refused(let instant):
            return context.refuse(
                with: ServiceError(
                    .circuitOpen, policy: Self.policy, policyName: name, retryAt: instant,
                    retryAfter: instant.map { now.duration(to: $0) },
                    subject: loggedName(of: input)))
        }
    }

    /// Calls the service, and records the end of the call, even if the caller cancels it.
    @inline(__always)
    private func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, _ ticket: Int,
        _ classifier: Classifier<Output>, _ context: CallContext
    ) -> Future<Output> {
        // In the record, the transport notes the connection, because failures on one connection can count once.
        let context = context.record == nil ? context.with(record: CallRecord()) : context
        let call = Call(
            ticket: ticket, start: slowCallDuration == nil ? nil : scheduler.now,
            context: context)
        let future = context.call(service, input)
        if classifier.isPlainSuccess(future) {
            recordEnd(of: call, with: .healthy)
            return future
        }
        return followLater(future, call, classifier)
    }

    private struct Call {
        let ticket: Int
        /// Nil if the breaker has no `slowCallDuration`.
        let start: SchedulerInstant?
        let context: CallContext
    }

    /// Records the end of a call: at once if the call has ended, or else when it ends.
    ///
    /// This is a separate function because it looks up generic types at run time. If it were inlined, every call would
    /// do these lookups, even a call that has already succeeded.
    @inline(never)
    private func followLater<Output: Sendable>(
        _ future: Future<Output>, _ call: Call, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        future.atEnd(with: { result in
            let health = classifier(result).health
            let counts = health != .unhealthy || call.context.record?.countFailure() != false
            self.recordEnd(of: call, with: counts ? health : .unknown)
        })
    }

    private func recordEnd(of call: Call, with health: Outcome.Health) {
        let (now, context) = (scheduler.now, call.context)
        let isSlow = call.start.map { $0.duration(to: now) >= slowCallDuration ?? .zero } ?? false
        let change = change {
            $0.endCall(call.ticket, with: health, isSlow: isSlow, at: now)
        }
        switch change {
        case nil: return
        case .closed: tell(from: .halfOpen, to: .closed, in: context)
        case .tripped(let wasClosed, let opening, let previous):
            // The backoff may be the user's function, so it must not run under a lock.
            let duration = backoff.delay(before: opening, after: previous, bits: random.next())
            self.change { $0.open(for: min(duration, longest), at: now) }
            tell(from: wasClosed ? .closed : .halfOpen, to: .open, in: context)
        }
    }

    private func isolate(_ isIsolated: Bool) {
        let old = state
        guard change({ $0.isolate(isIsolated) }) else { return }
        tell(from: old.name, to: isIsolated ? .isolated : .closed, in: .current)
    }

    private func change<Output>(_ change: (inout CircuitBreakerMachine) -> Output) -> Output {
        machine.withLock { machine in
            defer { ticketIfClosed.store(machine.ticketIfClosed ?? -1, ordering: .releasing) }
            return change(&machine)
        }
    }

    private func tell(from old: StateName, to new: StateName, in context: CallContext) {
        context.report(
            .stateChanged(from: old.rawValue, to: new.rawValue), by: Self.policy,
            named: name)
    }
}

/// The names of the states in events.
private enum StateName: String {
    case closed
    case open
    case halfOpen = "half-open"
    case isolated
}

extension CircuitBreaker.State {
    fileprivate var name: StateName {
        switch self {
        case .closed: .closed
        case .open: .open
        case .halfOpen: .halfOpen
        case .isolated: .isolated
        }
    }
}

/// A duration longer than any wait, so that adding it to an instant can't overflow.
private let longest = Duration.seconds(1_000 * 365 * 24 * 3_600 as Int64)

/// The state of a circuit breaker, and its decisions at the start and the end of a call.
///
/// Every admitted call gets the current ticket, a number. The number rises when the breaker trips, begins to probe or
/// closes, and when it is isolated or reset. Only calls with the current ticket count, because an older call says
/// nothing about the service now. (Finagle's FailureAccrualFactory. Slow calls and several probes are as in
/// Resilience4j.)
struct CircuitBreakerMachine: Sendable {
    /// The breaker's decision about a call.
    enum Entry: Equatable {
        /// The service is called, and the end is recorded with the ticket.
        case admitted(ticket: Int, isFirstProbe: Bool)
        /// The service isn't called. The instant says when a call may pass; nil if that isn't known.
        case refused(retryAt: SchedulerInstant?)
    }

    /// A change of state at the end of a call.
    enum Change: Equatable {
        /// The last probe succeeded, and calls pass again.
        case closed
        /// No more calls pass. The code that called `endCall` must ask the backoff for a duration, and pass it to
        /// ``open(for:at:)``.
        ///
        /// The backoff gets the number of earlier openings, and the previous duration.
        case tripped(wasClosed: Bool, opening: Int, previous: Duration?)
    }

    enum State: Equatable {
        /// All calls pass. Next: `tripped`.
        case closed
        /// All calls are refused, until the backoff has chosen the duration. Next: `open`.
        case tripped(since: SchedulerInstant)
        /// All calls are refused. Next: `probing` or `halfOpen`, on the first call at `until` or later.
        case open(until: SchedulerInstant)
        /// All probes are in flight, and other calls are refused. The probes may hang, so another call becomes a probe
        /// after as much time as the breaker was open. Next: `closed`, `tripped` or `halfOpen`.
        case probing(since: SchedulerInstant)
        /// Another probe may pass.
        ///
        /// The last probe said nothing about the service, or several probes are needed. Next: `probing`, `closed` or
        /// `tripped`.
        case halfOpen
        /// All calls are refused, after `isolate()`. Next: `closed`, after `reset()`.
        case isolated
    }

    private(set) var state = State.closed

    private let limits: CircuitBreakerLimits
    /// The current ticket; calls with older tickets don't count.
    private var ticket = 0
    private var failuresInARow = 0
    /// The instant at which the first of the present failures in a row ended; nil if there is none.
    private var rowSince: SchedulerInstant?
    /// The instant since which the window has always contained a failure; nil before the first failure.
    private var failingSince: SchedulerInstant?
    private var requests: SlicedSum
    private var successes: SlicedSum
    private var slowCalls: SlicedSum
    /// The number of probes in flight.
    private var probes = 0
    /// The number of probes that have succeeded since the breaker began to probe.
    private var successfulProbes = 0
    /// The number of openings since the breaker was last closed.
    private var openings = 0
    /// The length of the last open time; nil if the breaker hasn't opened since it was last closed.
    private var previous: Duration?

    init(_ limits: CircuitBreakerLimits) {
        self.limits = limits
        requests = SlicedSum(over: limits.window, slices: 10)
        successes = requests
        slowCalls = requests
    }

    /// The ticket of the next call; nil if ``admitCall(at:)`` must decide.
    var ticketIfClosed: Int? { state == .closed ? ticket : nil }

    mutating func admitCall(at instant: SchedulerInstant) -> Entry {
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

    /// Returns whether the breaker would let a call pass and counts no failure.
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
    ///   - health: The service's health, as the call's end shows it. If it is unknown and the call was slow, the call
    ///     counts as a failure.
    ///   - isSlow: True if the call was slow.
    ///   - instant: The present instant.
    mutating func endCall(
        _ ticket: Int, with health: Outcome.Health, isSlow: Bool = false,
        at instant: SchedulerInstant
    ) -> Change? {
        guard ticket == self.ticket else { return nil }
        switch (health, state) {
        case (.unknown, .closed) where !isSlow: return nil
        case (_, .closed):
            countCall(isSuccess: health == .healthy, isSlow: isSlow, at: instant)
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
    /// - Returns: True if the state changed.
    mutating func isolate(_ isIsolated: Bool) -> Bool {
        let old = state
        close()
        if isIsolated { state = .isolated }
        return state != old
    }

    /// Sets the open time of a breaker that has just tripped.
    mutating func open(for duration: Duration, at instant: SchedulerInstant) {
        // Since the breaker tripped, another thread may have isolated or reset it.
        guard case .tripped = state else { return }
        state = .open(until: instant.advanced(by: duration))
        openings += 1
        previous = duration
    }

    /// Estimates when a call may pass, before the backoff has chosen the open time.
    ///
    /// The estimate assumes that the breaker stays open for as long as the last time.
    func estimate(from since: SchedulerInstant, at instant: SchedulerInstant) -> SchedulerInstant {
        max(instant, since.advanced(by: previous ?? .zero))
    }

    private mutating func countCall(isSuccess: Bool, isSlow: Bool, at instant: SchedulerInstant) {
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
        // Without failures in a row or slow calls, the breaker can't open.
        let slow = Double(slowCalls.sum(at: instant))
        if failuresInARow == 0, slow == 0 { return false }
        let count = requests.sum(at: instant)
        guard count >= limits.minimumRequests else { return false }
        // This divides instead of multiplying. A quotient is rounded to the nearest number, just like a limit that is
        // written in source code. A product might be rounded to the wrong side of the limit.
        if failuresInARow > 0, lasts(since: failingSince, at: instant),
            Double(successes.sum(at: instant)) / Double(count) < limits.successRate
        {
            return true
        }
        return slow > 0 && slow / Double(count) >= limits.slowCallRate
    }

    /// Returns whether failures since `start` have lasted long enough to be more than one event.
    ///
    /// One event is, for example, the loss of a connection with many calls.
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

struct CircuitBreakerLimits: Sendable {
    var failuresInARow: Int
    var failuresLasting: Duration
    var successRate: Double
    var window: Duration
    var minimumRequests: Int
    var slowCallRate: Double
    var probes: Int
}

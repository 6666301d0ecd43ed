public import PledgeFutures

extension Middleware {
    /// Refuses calls to a service that has failed too often, until it has had time to recover.
    ///
    /// ```swift
    /// let breaker = CircuitBreaker(named: "shop")
    /// let api = stack(.circuitBreaker(sharing: breaker), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// A refused call fails at once, on the caller's thread, with
    /// ``ServiceError/Code/circuitOpen``, whose ``ServiceError/retryAt`` and ``ServiceError/retryAfter`` give
    /// the time of the next useful call. All other calls pass, on the caller's thread, and their results are
    /// returned unchanged.
    ///
    /// - Parameters:
    ///   - breaker: The breaker, shared by all stacks that call the service.
    ///   - classifier: Assesses the end of a call. An end that says nothing about the service's health is not
    ///     counted, unless the call was slow.
    public static func circuitBreaker(
        sharing breaker: CircuitBreaker, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: "circuitBreaker", isIdle: { breaker.isIdle }) { service in
            { input in breaker.call(service, input, classifier: classifier) }
        }
    }

    /// Refuses calls to a service that has failed too often, by a new breaker with the default limits of
    /// ``CircuitBreaker``.
    ///
    /// Otherwise as ``circuitBreaker(sharing:classifier:)``.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - classifier: Assesses the end of a call.
    public static func circuitBreaker(
        named name: String? = nil, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        .circuitBreaker(sharing: CircuitBreaker(named: name), classifier: classifier)
    }
}

/// Decides by the results of the last calls whether a service is called.
///
/// ```swift
/// let breaker = CircuitBreaker(named: "shop")
/// let products = stack(.circuitBreaker(sharing: breaker), over: loadProduct)
/// let prices = stack(.circuitBreaker(sharing: breaker), over: loadPrice)
/// ```
///
/// Closed, it lets all calls pass. It opens after a number of failures in a row, when too small a
/// share of the last calls succeeded, or when too many of them were slow. Failures count once they have lasted for
/// some time: a connection that is lost with twelve calls is one event, and not an outage. A failure is an end that says that the
/// service is unhealthy (``Outcome/health``): a caller's mistake, a refusal by another policy, and the
/// end of the caller's own time are not failures. Open, it refuses all calls for a time that the backoff
/// chooses. Then the next `probes` calls are probes: if all succeed, the breaker closes and discards its
/// counts; the first that fails or is slow opens it again, for longer. If a probe is given up, or its end
/// says nothing, another call becomes a probe; and also if the probes have not ended after as much time as it was open.
/// Calls that began before the breaker opened do not count when
/// they end afterwards.
///
/// Make one for each host or service that fails by itself, and pass it to every stack that calls it.
/// It may be used from any thread; a call takes a lock for constant time when it begins and when it
/// ends. (Finagle's FailureAccrualFactory; Nygard, "Release It!".)
public final class CircuitBreaker {
    /// Whether calls pass.
    public enum State: Hashable, Sendable {
        /// All calls pass.
        case closed
        /// All calls are refused until the instant, on the breaker's scheduler; the first one after it
        /// is a probe.
        case open(until: SchedulerInstant)
        /// Some calls are probes, or will be, and all others are refused.
        case halfOpen
        /// All calls are refused, because ``CircuitBreaker/isolate()`` was called.
        case isolated
    }

    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// Whether calls pass now.
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

    /// Refuses all calls, until ``reset()``: for example while the service is being repaired.
    public func isolate() { isolate(true) }

    /// Lets all calls pass again, and discards the counts.
    public func reset() { isolate(false) }

    /// Makes a closed breaker, which opens after ten failures in a row that have lasted for half a second, or by the
    /// share of successes, if there have been failures for half a second.
    ///
    /// For the parameters see
    /// ``init(named:failuresInARow:lasting:successRate:over:minimumRequests:slowCallDuration:slowCallRate:probes:backoff:on:random:)``.
    public convenience init(
        named name: String? = nil, successRate: Double = 0.5, over window: Duration = .seconds(30),
        minimumRequests: Int = 5, slowCallDuration: Duration? = nil, slowCallRate: Double = 1,
        probes: Int = 1,
        backoff: Backoff = .equalJitter(base: .seconds(1), cap: .seconds(10)),
        on scheduler: some Scheduler = .live, random: RandomSource = .system
    ) {
        self.init(
            named: name, failuresInARow: 10, lasting: .milliseconds(500), successRate: successRate,
            over: window, minimumRequests: minimumRequests, slowCallDuration: slowCallDuration,
            slowCallRate: slowCallRate, probes: probes, backoff: backoff, on: scheduler,
            random: random)
    }

    /// Makes a closed breaker with a limit of its own for failures in a row.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - failuresInARow: After how many failures without a success between them it opens; at least 1.
    ///   - failuresLasting: The least time between the first and the last of these, and between the first and the
    ///     last failure in the window of the share; zero or more. With zero, the loss of a connection with as many
    ///     calls opens the breaker.
    ///   - successRate: The share of successes below which it opens; 0…1. With zero only failures
    ///     in a row count.
    ///   - window: The length of the window of the share: ten slices of time, at multiples of their length
    ///     from the scheduler's origin; more than zero.
    ///   - minimumRequests: How many calls have to have ended in the window for the shares to count; at
    ///     least 1.
    ///   - slowCallDuration: The duration from which a call is slow, whatever its end; more than zero. Nil:
    ///     no call is slow.
    ///   - slowCallRate: At which share of slow calls it opens; more than 0, at most 1.
    ///   - probes: How many calls have to succeed for it to close again; at least 1.
    ///   - backoff: For how long it opens; called once for each opening, with the number of the opening since
    ///     it was last closed, counted from zero.
    ///   - scheduler: The clock. Nothing is scheduled.
    ///   - random: The source of the jitter.
    public init(
        named name: String? = nil,
        failuresInARow: Int, lasting failuresLasting: Duration = .zero,
        successRate: Double = 0.5, over window: Duration = .seconds(30),
        minimumRequests: Int = 5, slowCallDuration: Duration? = nil, slowCallRate: Double = 1,
        probes: Int = 1,
        backoff: Backoff = .equalJitter(base: .seconds(1), cap: .seconds(10)),
        on scheduler: some Scheduler = .live, random: RandomSource = .system
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
        machine = Locked(
            CircuitBreakerMachine(
                CircuitBreakerLimits(
                    failuresInARow: failuresInARow, failuresLasting: failuresLasting,
                    successRate: successRate, window: window,
                    minimumRequests: minimumRequests, slowCallRate: slowCallRate,
                    probes: probes)))
        self.name = name
        self.slowCallDuration = slowCallDuration
        self.backoff = backoff
        self.scheduler = scheduler
        self.random = random
    }

    private let machine: Locked<CircuitBreakerMachine>
    private let slowCallDuration: Duration?
    private let backoff: Backoff
    private let scheduler: any Scheduler
    private let random: RandomSource
}

extension CircuitBreaker {
    /// Whether nothing is lost with its state: it would let a call pass, and counts no failure.
    package var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now) }
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, classifier: Classifier<Output>
    ) -> Future<Output> {
        let context = CallContext.current
        guard let ticket = machine.withLock({ $0.enterIfClosed() }) else {
            return callIfTime(service, input, classifier, context)
        }
        return call(service, input, ticket, classifier, context)
    }

    /// Calls the service if the breaker has been open for long enough.
    private func callIfTime<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, _ classifier: Classifier<Output>,
        _ context: CallContext
    ) -> Future<Output> {
        let now = scheduler.now
        switch machine.withLock({ $0.enter(at: now) }) {
        case .admitted(let ticket, let isFirstProbe):
            if isFirstProbe { tell(from: .open, to: .halfOpen, in: context) }
            return call(service, input, ticket, classifier, context)
        case .refused(let instant):
            let error = ServiceError(
                .circuitOpen, policy: Self.policy, policyName: name, retryAt: instant,
                retryAfter: instant.map { now.duration(to: $0) })
            context.report(.refused(error), by: Self.policy, named: name)
            return Future(error: error)
        }
    }

    /// Calls the service, and records the call's end, also if the caller gives it up.
    private func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, _ ticket: Int,
        _ classifier: Classifier<Output>, _ context: CallContext
    ) -> Future<Output> {
        let call = Call(
            ticket: ticket, start: slowCallDuration == nil ? nil : scheduler.now,
            context: context)
        let future = service(input)
        if classifier.isPlainSuccess(future) {
            end(call, with: .healthy)
            return future
        }
        return followLater(future, call, classifier)
    }

    /// An admitted call.
    private struct Call {
        let ticket: Int
        /// Nil if no call is slow.
        let start: SchedulerInstant?
        let context: CallContext
    }

    /// The path of calls that are pending, or have failed.
    ///
    /// A separate function: it looks up generic types at run time, and inlined, the compiler would do that
    /// for all calls.
    @inline(never)
    private func followLater<Output: Sendable>(
        _ future: Future<Output>, _ call: Call, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        future.atEnd(with: { result in self.end(call, with: classifier(result).health) })
    }

    private func end(_ call: Call, with health: Outcome.Health) {
        let (now, context) = (scheduler.now, call.context)
        let isSlow = call.start.map { $0.duration(to: now) >= slowCallDuration ?? .zero } ?? false
        let change = machine.withLock {
            $0.end(call.ticket, with: health, isSlow: isSlow, at: now)
        }
        switch change {
        case nil: return
        case .closed: tell(from: .halfOpen, to: .closed, in: context)
        case .tripped(let wasClosed, let opening, let previous):
            // The backoff may be a function of the user, which must not be called under a lock.
            let duration = backoff.delay(before: opening, after: previous, bits: random.next())
            machine.withLock { $0.open(for: min(duration, longest), at: now) }
            tell(from: wasClosed ? .closed : .halfOpen, to: .open, in: context)
        }
    }

    private func isolate(_ isIsolated: Bool) {
        let old = state
        guard machine.withLock({ $0.isolate(isIsolated) }) else { return }
        tell(from: old.name, to: isIsolated ? .isolated : .closed, in: .current)
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

/// Longer than any wait: sums of instants and durations do not overflow.
private let longest = Duration.seconds(1_000 * 365 * 24 * 3_600 as Int64)

extension CircuitBreaker: Sendable {}

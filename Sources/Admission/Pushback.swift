public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Holds all calls back while the service asks for a pause.
    ///
    /// ```swift
    /// let pushback = Pushback()
    /// let api = stack(.retry(), .pushback(sharing: pushback), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// A retry waits when its own call is told to come later, for example by HTTP's Retry-After. With this policy, all
    /// other calls wait too. Each waiting call starts after the pause, plus up to a tenth of it, so that the calls
    /// don't all come at once. If a call would have to wait longer than allowed, or past its deadline, it fails at once
    /// with `ServiceError.Code.heldBack`, and nothing is sent. The error's `ServiceError.retryAt` is the end of the
    /// pause. Put the pushback where you would put a rate limit: directly around the requests, above the timeout of an
    /// attempt.
    ///
    /// Waiting calls start on the scheduler's thread, with their callers' task-local values. A call that is cancelled
    /// while it waits isn't made.
    ///
    /// - Parameters:
    ///   - pushback: The pause, shared by all stacks that call the service.
    ///   - classifier: Assesses the end of a call. An `Outcome.Retry.after(_:)` with a delay begins a pause.
    public static func pushback(
        sharing pushback: Pushback, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: "pushback", isIdle: { pushback.isIdle }) { service in
            { input in pushback.call(service, input, waited: .zero, classifier) }
        }
    }
}

/// A pause that a service has asked for.
///
/// Create one for each service, and pass it to every stack that calls the service. You can use it from any thread. A
/// call takes a lock for constant time when it starts and when it ends. (gRPC calls this a server's pushback.)
public final class Pushback: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The end of the pause, on the scheduler's clock; nil if there is no pause.
    public var until: SchedulerInstant? {
        let now = scheduler.now
        return state.withLock { $0.pause }.flatMap { $0.end > now ? $0.end : nil }
    }

    /// The number of calls that wait now.
    public var queued: Int { state.withLock { $0.queued } }

    /// Creates a pushback without a pause.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - maxWait: The maximum wait of a call. Less than zero is a programming error and traps.
    ///   - maxPause: The maximum length of a pause; longer pauses are cut. Less than zero is a programming error and
    ///     traps.
    ///   - scheduler: The clock for the waits.
    ///   - random: The source of the random time added to each wait.
    public init(
        named name: String? = nil, maxWait: Duration = .seconds(10),
        maxPause: Duration = .seconds(60), on scheduler: some FutureScheduler = .live,
        random: RandomSource = .system
    ) {
        precondition(
            maxWait >= .zero, "a pushback needs a maxWait of zero or more, not \(maxWait)")
        precondition(
            maxPause >= .zero, "a pushback needs a maxPause of zero or more, not \(maxPause)")
        self.name = name
        self.maxWait = maxWait
        self.maxPause = maxPause
        self.scheduler = scheduler
        self.random = random
    }

    package func renewed(in place: PolicyPlace) -> Pushback {
        Pushback(
            named: name ?? place.name, maxWait: maxWait, maxPause: maxPause,
            on: place.clock(or: scheduler),
            random: place.random(or: random))
    }

    private struct Pause {
        let length: Duration
        let end: SchedulerInstant
    }

    private struct State {
        var pause: Pause?
        var queued = 0
    }

    private let state = Locked(State())
    private let maxWait: Duration
    private let maxPause: Duration
    private let scheduler: any FutureScheduler
    private let random: RandomSource
}

extension Pushback {
    /// True if there is no pause and no call waits, as in a new pushback.
    package var isIdle: Bool { until == nil && queued == 0 }

    /// - Parameter waited: The time that the call has already waited.
    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input, waited: Duration,
        _ classifier: Classifier<Output>
    ) -> Future<Output> {
        let context = CallContext.current
        if let pause = state.withLock({ $0.pause }) {
            let now = scheduler.now
            if pause.end > now {
                return hold(pause, from: now, service, input, waited: waited, classifier, context)
            }
        }
        let future = service(input)
        if classifier.isPlainSuccess(future) { return future }
        return future.atEnd(with: { self.beginPause(after: classifier($0)) })
    }

    /// Makes the call after the pause, or refuses it.
    private func hold<Input: Sendable, Output: Sendable>(
        _ pause: Pause, from now: SchedulerInstant, _ service: @escaping Service<Input, Output>,
        _ input: Input, waited: Duration, _ classifier: Classifier<Output>,
        _ context: CallContext
    ) -> Future<Output> {
        let left = now.duration(to: pause.end)
        let bound = min(maxWait - waited, context.remaining.map { $0 - .nanoseconds(1) } ?? maxWait)
        guard left <= bound else {
            return context.refuse(
                with: ServiceError(
                    .heldBack, policy: Self.policy, policyName: name, retryAt: pause.end,
                    retryAfter: left, subject: loggedName(of: input)))
        }
        let wait = min(
            bound, left + .uniform(upTo: min(pause.length, left) / 10, bits: random.next()))
        let length = state.withLock { state in
            state.queued += 1
            return state.queued
        }
        context.report(.queued(length: length), by: Self.policy, named: name)
        let caller = CallerContext(keeping: context)
        let end = Future<Void>(value: ()).delay(wait, on: scheduler)
            .onEnd { _ in self.state.withLock { $0.queued -= 1 } }
        return end.flatMap {
            // A late timer may end the wait after the deadline.
            if !context.hasTime(for: .zero) {
                return context.refuse(
                    with: ServiceError(
                        .deadlineExceeded, policy: Self.policy, policyName: self.name, limit: wait,
                        subject: loggedName(of: input)))
            }
            context.report(.dequeued(after: wait), by: Self.policy, named: self.name)
            // During the wait, the service may have asked for a longer pause. So the pause is checked again.
            return caller.run {
                self.call(service, input, waited: waited + wait, classifier)
            }
        }
    }

    private func beginPause(after outcome: Outcome) {
        guard case .after(let delay?) = outcome.retry, delay > .zero else { return }
        let length = min(delay, maxPause)
        let end = scheduler.now.advanced(by: length)
        state.withLock { state in
            if let known = state.pause, known.end >= end { return }
            state.pause = Pause(length: length, end: end)
        }
    }
}

extension Pushback: RenewablePolicy {}

extension Pushback: StateNumbers {
    /// The label `pushback`.
    package static var policy: String { "pushback" }

    /// The calls that wait.
    package var gauges: [StateGauge: Double] { [.queued: Double(queued)] }
}

public import PledgeFutures

extension Middleware {
    /// Limits the calls in flight to what the service can take, which it learns from their ends.
    ///
    /// ```swift
    /// let limit = AdaptiveConcurrency(named: "shop")
    /// let api = stack(
    ///     .retry(), .adaptiveConcurrency(sharing: limit), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// If a place is free, a call is made at once, on the caller's thread. Waiting calls are made in their order, each on
    /// the thread on which another call ended. A refused call fails at once with
    /// ``ServiceError/Code/concurrencyLimited``. A call that has waited for too long fails on the limit's scheduler with
    /// ``ServiceError/Code/queueTimedOut``. Cancelling a call frees its place, or its entry in the queue. Errors of the
    /// service pass unchanged.
    ///
    /// - Parameters:
    ///   - limit: The limit, shared by all stacks that load the same service.
    ///   - classifier: Assesses the end of a call. The time of a healthy end counts as the service's; an unhealthy end
    ///     counts as a drop, a sign of overload, if another call may succeed, and the call may have left this process.
    ///     All other ends say nothing.
    public static func adaptiveConcurrency(
        sharing limit: AdaptiveConcurrency, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: AdaptiveConcurrency.policy, isIdle: { limit.isIdle }) { service in
            let measured = MeasuredCall(limit: limit, classifier: classifier)
            return AdmittedService(service: service, gate: limit) { place, service, input in
                measured.call(place, service, input)
            }.call
        }
    }
}

/// A limit of the calls in flight that adapts to the service, and a queue for calls without a place.
///
/// ```swift
/// let limit = AdaptiveConcurrency(named: "shop", queueTimeout: .milliseconds(100))
/// let products = stack(.adaptiveConcurrency(sharing: limit), over: loadProduct)
/// let prices = stack(.adaptiveConcurrency(sharing: limit), over: loadPrice)
/// ```
///
/// What a ``Bulkhead`` gets as a number, this finds: from how long answers take, and from drops, which are timeouts,
/// refusals for overload such as the statuses 429 and 503, and other failures that may be temporary. A call has its place
/// from when the service is called until its future settles or is given up. When the limit shrinks below the calls in
/// flight, these go on, and no other begins until enough have ended. Waiting calls are served in order, and no later call
/// overtakes them.
///
/// Make one for each service that gets slow by itself, and pass it to every stack that loads it. It may be used from any
/// thread; a call takes a lock when it begins and when it ends, for constant time and what its
/// ``ConcurrencyLimitAlgorithm`` takes.
public final class AdaptiveConcurrency {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How many calls may be in flight now.
    public var limit: Int { machine.withLock { $0.limit } }

    /// How many calls are in flight now; more than the limit for a while after it has shrunk.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// How many calls wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// Makes a limit that has learnt nothing yet.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - algorithm: How the limit is found.
    ///   - queue: How many calls may wait; with zero, a call without a place is refused. A client that makes several calls
    ///     at once needs a queue: the gradient begins with three places, and measures with three now and then. Less than
    ///     zero is a programming error and traps.
    ///   - queueTimeout: How long a call may wait; nil: as long as its caller waits. Less than zero is a programming
    ///     error and traps.
    ///   - scheduler: The clock of the calls and of the waits.
    ///   - random: The source of the jitter of the algorithm. One number is drawn.
    public init(
        named name: String? = nil, algorithm: ConcurrencyLimitAlgorithm = .gradient(),
        queue: Int = 10, queueTimeout: Duration? = .seconds(1),
        on scheduler: some Scheduler = .live, random: RandomSource = .system
    ) {
        precondition(queue >= 0, "an adaptive limit needs a queue of zero or more, not \(queue)")
        precondition(
            queueTimeout ?? .zero >= .zero,
            "an adaptive limit needs a queueTimeout of zero or more, not \(queueTimeout ?? .zero)")
        let generator = SeededGenerator(seed: random.next())
        machine = Locked(
            AdaptiveConcurrencyMachine(algorithm.makeMachine(generator), queue: queue))
        self.name = name
        self.queueTimeout = queueTimeout
        self.scheduler = scheduler
        initial = algorithm.initial
    }

    private let machine: Locked<AdaptiveConcurrencyMachine<InternalPromise<Int>>>
    private let queueTimeout: Duration?
    let scheduler: any Scheduler
    private let initial: Int

    fileprivate var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now, initial: initial) }
    }
}

/// A place is the number of calls that are in flight with it.
extension AdaptiveConcurrency: AdmissionGate {
    /// `adaptiveConcurrency`.
    public static let policy = "adaptiveConcurrency"
    static let refusal = ServiceError.Code.concurrencyLimited

    func enterIfFree() -> Int? { machine.withLock { $0.enterIfFree() } }

    func mayWait(in context: CallContext) -> Bool { machine.withLock { $0.hasRoomToWait } }

    func enter(
        _ turn: InternalPromise<Int>, in context: CallContext
    ) -> Admission<Int, InternalPromise<Int>> {
        switch machine.withLock({ $0.enter(turn) }) {
        case .admitted(let inFlight): .admitted(inFlight)
        case .refused: .refused
        case .queued(let ticket, let length):
            .queued(ticket, length: length, patience: queueTimeout)
        }
    }

    func begin(_ ticket: PriorityWaitQueue<InternalPromise<Int>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    func leave(_ ticket: PriorityWaitQueue<InternalPromise<Int>>.Ticket) {
        letIn(machine.withLock { $0.leave(ticket) }.admissions)
    }

    /// Frees a place, and lets those in that have it now.
    func leave(_ sample: ConcurrencySample?) { letIn(machine.withLock { $0.leave(sample) }) }

    private func letIn(
        _ admissions: [AdaptiveConcurrencyMachine<InternalPromise<Int>>.Admission]
    ) {
        for admission in admissions { admission.waiter.resolve(with: admission.inFlight) }
    }
}

extension AdaptiveConcurrency: Sendable {}

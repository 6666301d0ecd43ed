public import PledgeAdmission
public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Limits the calls in flight to the number that the service can handle, learned from how calls end.
    ///
    /// ```swift
    /// let limit = AdaptiveConcurrency(named: "shop")
    /// let api = stack(
    ///     .retry(), .adaptiveConcurrency(sharing: limit), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// Each call in flight takes one of the places that the limit allows. If a place is free, a call starts at once, on
    /// the caller's thread. Waiting calls start in order, each on the thread on which another call ended. A refused
    /// call fails at once with `ServiceError.Code.concurrencyLimited`. A call that waits too long fails with
    /// `ServiceError.Code.queueTimedOut`, on the limit's scheduler. Cancelling a call frees its place, or removes it
    /// from the queue. Errors of the service pass through unchanged.
    ///
    /// - Parameters:
    ///   - limit: The limit, shared by all stacks that call the same service.
    ///   - classifier: Assesses the end of a call. The limit learns from the time that a healthy call took. It also
    ///     learns from drops, which are signs of overload. A drop is an unhealthy call that may have left the process,
    ///     and that may succeed if it is repeated. The limit learns nothing from any other call.
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

/// A limit on the calls in flight that adapts to the service, with a queue for calls without a place.
///
/// ```swift
/// let limit = AdaptiveConcurrency(named: "shop", queueTimeout: .milliseconds(100))
/// let products = stack(.adaptiveConcurrency(sharing: limit), over: loadProduct)
/// let prices = stack(.adaptiveConcurrency(sharing: limit), over: loadPrice)
/// ```
///
/// For a `Bulkhead`, you set the limit. An adaptive limit follows from the time that answers take, and from drops:
/// timeouts, refusals for overload (such as the statuses 429 and 503), and other failures that may be temporary. A call
/// holds its place from the moment the service is called until its future settles or is cancelled. If the limit shrinks
/// below the number of calls in flight, those calls continue, and no other call starts until enough of them have ended.
/// Waiting calls are served in order, and later calls can't overtake them.
///
/// Create one for each service that can become slow on its own, and pass it to every stack that calls the service. You
/// can use it from any thread. A call takes a lock when it starts and when it ends, for constant time plus the time of
/// its ``ConcurrencyLimitAlgorithm``.
public final class AdaptiveConcurrency: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The number of calls that may be in flight now.
    public var limit: Int { machine.withLock { $0.limit } }

    /// The number of calls in flight now; for a while after the limit has shrunk, it may exceed the limit.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// The number of calls that wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// Creates a limit that has learned nothing yet.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - algorithm: The algorithm that finds the limit.
    ///   - queue: The maximum number of waiting calls; with zero, a call without a place is refused. A client that
    ///     makes several calls at once needs a queue: the default algorithm starts with three places, and goes back to
    ///     three for each measurement. Less than zero is a programming error and traps.
    ///   - queueTimeout: The maximum wait of a call; with nil, a call waits as long as its caller does. Less than zero
    ///     is a programming error and traps.
    ///   - scheduler: The clock for calls and waits.
    ///   - random: The source of the algorithm's jitter. Only one number is drawn from it.
    public init(
        named name: String? = nil, algorithm: ConcurrencyLimitAlgorithm = .gradient(),
        queue: Int = 10, queueTimeout: Duration? = .seconds(1),
        on scheduler: some FutureScheduler = .live, random: RandomSource = .system
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
    package let scheduler: any FutureScheduler
    private let initial: Int

    fileprivate var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now, initial: initial) }
    }
}

/// The place of an admitted call is a number: how many calls are in flight at its admission, including itself.
extension AdaptiveConcurrency: AdmissionGate {
    /// `adaptiveConcurrency`.
    package static let policy = "adaptiveConcurrency"
    package static let refusal = ServiceError.Code.concurrencyLimited

    package func enterIfFree() -> Int? { machine.withLock { $0.enterIfFree() } }

    package func mayWait(in context: CallContext) -> Bool { machine.withLock { $0.hasRoomToWait } }

    package func admitOrQueue(
        _ turn: InternalPromise<Int>, in context: CallContext
    ) -> GateDecision<Int, InternalPromise<Int>> {
        switch machine.withLock({ $0.admitOrQueue(turn) }) {
        case .admitted(let inFlight): .admitted(inFlight)
        case .refused: .refused
        case .queued(let ticket, let length):
            .queued(ticket, length: length, patience: queueTimeout)
        }
    }

    package func begin(_ ticket: PriorityWaitQueue<InternalPromise<Int>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    package func leave(_ ticket: PriorityWaitQueue<InternalPromise<Int>>.Ticket) {
        letIn(machine.withLock { $0.leave(ticket) }.admissions)
    }

    /// Frees a place, and admits the waiting calls for which there is a place now.
    func leave(_ sample: ConcurrencySample?) { letIn(machine.withLock { $0.leave(sample) }) }

    private func letIn(
        _ admissions: [AdaptiveConcurrencyMachine<InternalPromise<Int>>.Admission]
    ) {
        for admission in admissions { admission.waiter.resolve(with: admission.inFlight) }
    }
}

/// A call through an adaptive limit, with a measurement of how long the call takes and how it ends.
struct MeasuredCall<Output: Sendable>: Sendable {
    let limit: AdaptiveConcurrency
    let classifier: Classifier<Output>

    /// Calls the service, and frees the place when the call has ended or is cancelled.
    ///
    /// - Parameter place: The number of calls in flight, including this one.
    func call<Input: Sendable>(
        _ place: Int, _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let start = limit.scheduler.now
        let future = service(input)
        if classifier.isPlainSuccess(future) {
            endCall(start, place, isDrop: false)
            return future
        }
        return followLater(future, start, place)
    }

    /// Records the end of a call: at once if the call has ended, or else when it ends.
    ///
    /// This is a separate function because it looks up generic types at run time. If it were inlined, every call would
    /// do these lookups, even a call that has already succeeded.
    @inline(never)
    private func followLater(
        _ future: Future<Output>, _ start: SchedulerInstant, _ place: Int
    ) -> Future<Output> {
        future.atEnd(with: { result in endCall(start, place, with: result) })
    }

    private func endCall(
        _ start: SchedulerInstant, _ place: Int, with result: Result<Output, any Error>
    ) {
        let outcome = classifier(result)
        switch (outcome.health, outcome.retry) {
        case (.healthy, _): endCall(start, place, isDrop: false)
        case (.unhealthy, .after) where !isCertainlyUnsent(result):
            endCall(start, place, isDrop: true)
        default: limit.leave(nil)
        }
    }

    private func endCall(_ start: SchedulerInstant, _ place: Int, isDrop: Bool) {
        limit.leave(
            ConcurrencySample(
                start: start, end: limit.scheduler.now, inFlight: place, isDrop: isDrop))
    }

    private func isCertainlyUnsent(_ result: Result<Output, any Error>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return (error as? any AdvisingError)?.isCertainlyUnsent ?? false
    }
}

/// The state of an adaptive limit: the calls in flight, the queue, and the algorithm's knowledge.
///
/// Calls wait only while all places are taken. When a call ends or the limit grows, the head of the queue is admitted
/// at once, so a later call can't overtake it.
struct AdaptiveConcurrencyMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The gate's decision about a call.
    enum Entry: Equatable {
        /// The call starts; `inFlight` includes this call.
        case admitted(inFlight: Int)
        /// The call waits in a queue; the `length` includes this call.
        case queued(ticket: Ticket, length: Int)
        /// The call is refused.
        case refused
    }

    /// A call that was waiting and starts now; `inFlight` includes this call.
    struct Admission: Sendable {
        let waiter: Waiter
        let inFlight: Int
    }

    struct LeaveResult: Sendable {
        /// The waiter that left the queue, if it was still there.
        var left: Waiter?
        /// The calls that start now; the code that called `leave` must notify them.
        var admissions: [Admission] = []
    }

    private(set) var inFlight = 0
    /// The number of calls that may be in flight; for a while after it has shrunk, it may be below `inFlight`.
    private(set) var limit: Int
    /// The end of the last call from which the algorithm learned; nil before the first such call.
    private(set) var lastSample: SchedulerInstant?
    private var algorithm: any ConcurrencyLimitMachine
    private let queueLimit: Int
    private var line = PriorityWaitQueue<Waiter>()

    init(_ algorithm: any ConcurrencyLimitMachine, queue: Int) {
        self.algorithm = algorithm
        limit = algorithm.limit
        queueLimit = queue
    }

    var queued: Int { line.count }

    /// Admits a call if a place is free.
    ///
    /// - Returns: The number of calls in flight, including this one; nil if no place is free.
    mutating func enterIfFree() -> Int? {
        guard inFlight < limit else { return nil }
        inFlight += 1
        return inFlight
    }

    var hasRoomToWait: Bool { line.count < queueLimit }

    mutating func admitOrQueue(_ waiter: Waiter) -> Entry {
        if let inFlight = enterIfFree() { return .admitted(inFlight: inFlight) }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter, .critical)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Frees a place.
    ///
    /// - Parameter sample: The measured end of the call; nil if the algorithm can't learn from it.
    /// - Returns: The waiting calls that start now, in order. The code that called `leave` must notify them.
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

    /// Confirms that a call that was admitted from the queue starts now.
    ///
    /// - Returns: False if the call has left since it was admitted, for example because its caller has cancelled. Such
    ///   a call must not start.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Removes a call from the queue, or frees the place of a call that was admitted but hasn't started.
    ///
    /// It has no effect on a call that has started.
    mutating func leave(_ ticket: Ticket) -> LeaveResult {
        if let waiter = line.remove(ticket) { return LeaveResult(left: waiter) }
        return line.confirm(ticket) ? LeaveResult(admissions: leave(nil)) : LeaveResult()
    }

    /// Returns whether the state can be discarded without losing anything.
    ///
    /// True when no call is in flight, and either the limit is at least `initial` or it has learned nothing for over a
    /// minute.
    func isIdle(at now: SchedulerInstant, initial: Int) -> Bool {
        guard inFlight == 0 else { return false }
        guard limit < initial, let lastSample else { return true }
        return lastSample.duration(to: now) > .seconds(60)
    }
}

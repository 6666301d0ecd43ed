public import PledgeAdmission
public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Limits the calls in flight; further calls wait for a short time, by priority, or are refused.
    ///
    /// ```swift
    /// let shedder = LoadShedder(limit: 32)
    /// let api = stack(.loadShedding(sharing: shedder), over: work)
    /// ```
    ///
    /// Each call in flight takes one of the shedder's places. If a place is free, a call starts at once, on the
    /// caller's thread. Waiting calls start in the order of their `CallContext.priority`, each on the thread on which
    /// another call ended. A call that waits too long fails with `ServiceError.Code.queueTimedOut`, on the shedder's
    /// scheduler. If the queue is full, the call that would be served last fails with `ServiceError.Code.shed`:
    /// either the new call, at once, or a waiting one, on the new call's thread. Cancelling a call frees its place, or
    /// removes it from the queue. Errors of the service pass through unchanged.
    ///
    /// - Parameter shedder: The shedder, shared by all stacks that use the same resource.
    public static func loadShedding(sharing shedder: LoadShedder) -> Middleware {
        Middleware(named: LoadShedder.policy) { service in
            AdmittedService(service: service, gate: shedder) { _, service, input in
                service(input).atEnd { shedder.leave() }
            }.call
        }
    }
}

/// A limited number of places for calls, with a queue by priority in which calls never wait long.
///
/// ```swift
/// let shedder = LoadShedder(limit: 32)
/// let products = stack(.loadShedding(sharing: shedder), over: loadProduct)
/// let prices = stack(.loadShedding(sharing: shedder), over: loadPrice)
/// ```
///
/// It works like a `Bulkhead`, but keeps its queue short during lasting overload. A call normally waits for at most
/// `interval`, which is enough for bursts. Once there have been waiting calls for that long without a break, new calls
/// wait for at most `target`. So callers of an overloaded service learn about it within milliseconds, and the calls
/// that start are recent ones, whose callers still wait. (Maurer, "Fail at Scale", ACM Queue 13:8, 2015. Both times
/// come from CoDel, RFC 8289; its schedule of drops isn't used.)
///
/// Waiting calls with the highest `CallContext.priority` start first, whatever their age. If the queue is full, the
/// call that would be served last is refused. If the priority of a waiting joined call rises, it becomes the youngest
/// call of its new priority.
///
/// Create one for each resource. For a client, that is the service it calls; for a server, something that its requests
/// share, such as the processors. You can use it from any thread. A call takes a lock for constant time when it starts,
/// when its turn comes, and when it ends.
public final class LoadShedder: Sendable {
    /// The order in which waiting calls of the same priority start.
    public enum Order: Hashable, Sendable {
        /// The call that has waited longest starts first.
        case oldestFirst
        /// The newest call starts first in overload, and the oldest call starts first at other times.
        ///
        /// In overload, the newest call comes first because its caller is still waiting. (Adaptive LIFO, "Fail at
        /// Scale".)
        case newestFirstInOverload
    }

    /// The name in events and errors; nil for none.
    package let name: String?

    /// The number of calls in flight now.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// The number of calls that wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// True if the shedder is in the same state as a new one.
    package var isIdle: Bool { machine.withLock { $0.inFlight == 0 && $0.queued == 0 } }

    /// True if there have been waiting calls for an `interval` without a break; new calls then wait at most `target`.
    public var isOverloaded: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isOverloaded(at: now) }
    }

    /// Creates a shedder whose places are all free.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - limit: The maximum number of calls in flight; at least 1.
    ///   - queue: The maximum number of waiting calls; zero or more.
    ///   - target: The maximum wait of a call that arrives in overload; more than zero.
    ///   - interval: The maximum wait of any other call. It is also the time after which a queue that doesn't become
    ///     empty counts as overload. At least the target.
    ///   - order: The order in which waiting calls of the same priority start.
    ///   - scheduler: The clock for the waits. Each waiting call schedules one action on it.
    public convenience init(
        named name: String? = nil, limit: Int = 64, queue: Int = 1_000,
        target: Duration = .milliseconds(5), interval: Duration = .milliseconds(100),
        order: Order = .oldestFirst, on scheduler: some FutureScheduler = .live
    ) {
        precondition(limit >= 1, "a load shedder needs a limit of at least 1, not \(limit)")
        precondition(queue >= 0, "a load shedder needs a queue of zero or more, not \(queue)")
        precondition(
            target > .zero, "a load shedder needs a target of more than zero, not \(target)")
        precondition(
            interval >= target,
            "a load shedder needs an interval of at least the target, not \(interval)")
        self.init(
            name,
            LoadShedderLimits(
                places: limit, queue: queue, target: target, interval: interval, order: order),
            scheduler)
    }

    private init(_ name: String?, _ limits: LoadShedderLimits, _ scheduler: any FutureScheduler) {
        machine = Locked(LoadShedderMachine(limits))
        self.name = name
        self.limits = limits
        self.scheduler = scheduler
    }

    package func renewed(in place: PolicyPlace) -> LoadShedder {
        LoadShedder(name ?? place.name, limits, place.clock(or: scheduler))
    }

    private typealias Machine = LoadShedderMachine<InternalPromise<Void>>

    private let machine: Locked<Machine>
    private let limits: LoadShedderLimits
    package let scheduler: any FutureScheduler
}

extension LoadShedder: RenewablePolicy {}

extension LoadShedder: AdmissionGate {
    /// `loadShedding`.
    package static let policy = "loadShedding"
    package static let refusal = ServiceError.Code.shed

    package func enterIfFree() -> Void? { machine.withLock { $0.enterIfFree() } ? () : nil }

    package func mayWait(in context: CallContext) -> Bool {
        let now = scheduler.now
        return machine.withLock { $0.mayWait(context.priority, at: now) }
    }

    package func admitOrQueue(
        _ turn: InternalPromise<Void>, in context: CallContext
    ) -> GateDecision<Void, InternalPromise<Void>> {
        let now = scheduler.now
        switch machine.withLock({ $0.admitOrQueue(turn, context.priority, at: now) }) {
        case .admitted: return .admitted(())
        case .refused: return .refused
        case .queued(let ticket, let length, let patience, let displaced):
            displaced?.reject(
                with: ServiceError(Self.refusal, policy: Self.policy, policyName: name))
            return .queued(ticket, length: length, patience: patience)
        }
    }

    package func begin(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    package func raise(
        _ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket, to priority: CallPriority
    ) {
        machine.withLock { $0.raise(ticket, to: priority) }
    }

    package func leave(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) {
        let now = scheduler.now
        machine.withLock { $0.leave(ticket, at: now) }.next?.resolve()
    }

    func leave() {
        let now = scheduler.now
        machine.withLock { $0.leave(at: now) }?.resolve()
    }
}

/// The state of a load shedder: the calls in flight, the queue, and the longest wait.
///
/// A call's longest wait is decided when it starts to wait. It is `target` if there have been waiting calls for an
/// `interval` without a break, or else `interval`. So the calls of a burst may wait for up to `interval`, but the calls
/// in a queue that never gets empty wait only for a short time. (Maurer, "Fail at Scale", ACM Queue 13:8, 2015, after
/// Nichols and Jacobson, "Controlling Queue Delay", ACM Queue 10:5, 2012.)
struct LoadShedderMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The shedder's decision about a call.
    enum Entry {
        /// The call starts, and holds a place until it ends.
        case admitted
        /// The call waits, for at most `patience`.
        ///
        /// The code that called `admitOrQueue` must refuse the displaced call, if there is one.
        case queued(Ticket, length: Int, patience: Duration, displaced: Waiter?)
        /// The call is refused.
        case refused
    }

    private(set) var inFlight = 0
    private let limits: LoadShedderLimits
    private var line = PriorityWaitQueue<Waiter>()
    /// The instant since which the queue hasn't been empty; nil if it is empty.
    private var standingSince: SchedulerInstant?

    init(_ limits: LoadShedderLimits) { self.limits = limits }

    var queued: Int { line.count }

    /// Returns whether there have been waiting calls for an interval without a break.
    func isOverloaded(at instant: SchedulerInstant) -> Bool {
        standingSince.map { $0.duration(to: instant) >= limits.interval } ?? false
    }

    mutating func enterIfFree() -> Bool {
        guard inFlight < limits.places else { return false }
        inFlight += 1
        return true
    }

    /// Returns whether a call could wait: the queue has room, or holds a call that would be served later.
    func mayWait(_ priority: CallPriority, at instant: SchedulerInstant) -> Bool {
        if line.count < limits.queue { return true }
        guard let least = line.leastPriority, least <= priority else { return false }
        return least < priority || servesYoungestFirst(at: instant)
    }

    mutating func admitOrQueue(
        _ waiter: Waiter, _ priority: CallPriority, at instant: SchedulerInstant
    ) -> Entry {
        if enterIfFree() { return .admitted }
        guard mayWait(priority, at: instant) else { return .refused }
        let patience = isOverloaded(at: instant) ? limits.target : limits.interval
        if line.isEmpty { standingSince = instant }
        let isFull = line.count >= limits.queue
        let displaced =
            isFull ? line.removeLeast(oldest: servesYoungestFirst(at: instant)) : nil
        let ticket = line.append(waiter, priority)
        return .queued(ticket, length: line.count, patience: patience, displaced: displaced)
    }

    /// Raises a waiting call to a higher priority, where it becomes the youngest call.
    mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        line.raise(ticket, to: priority)
    }

    /// Confirms that a call that was admitted from the queue starts now.
    ///
    /// - Returns: False if the call has left since it was admitted, for example because its caller has cancelled. Such
    ///   a call must not start.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Frees a place, and gives it to the next call in the queue.
    ///
    /// - Returns: The next call, which got the place; the code that called `leave` must notify it.
    mutating func leave(at instant: SchedulerInstant) -> Waiter? {
        guard let next = line.call(youngest: servesYoungestFirst(at: instant)) else {
            inFlight -= 1
            return nil
        }
        noteIfEmpty()
        return next
    }

    /// Removes a call that was cancelled or has waited too long, or frees its place if it was admitted.
    ///
    /// It has no effect after ``begin(_:)``, or after another call has displaced this one.
    ///
    /// - Returns: The next call, which got the freed place, and the waiter that left the queue. The code that called
    ///   `leave` must notify the next call.
    mutating func leave(
        _ ticket: Ticket, at instant: SchedulerInstant
    ) -> (next: Waiter?, left: Waiter?) {
        if let left = line.remove(ticket) {
            noteIfEmpty()
            return (nil, left)
        }
        return line.confirm(ticket) ? (leave(at: instant), nil) : (nil, nil)
    }

    private func servesYoungestFirst(at instant: SchedulerInstant) -> Bool {
        limits.order == .newestFirstInOverload && isOverloaded(at: instant)
    }

    private mutating func noteIfEmpty() {
        if line.isEmpty { standingSince = nil }
    }
}

struct LoadShedderLimits: Sendable {
    var places = 64
    var queue = 1_000
    var target = Duration.milliseconds(5)
    var interval = Duration.milliseconds(100)
    var order = LoadShedder.Order.oldestFirst
}

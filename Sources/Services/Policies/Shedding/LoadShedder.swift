public import PledgeFutures

/// A number of places for calls, and a queue by priority in which no call grows old.
///
/// ```swift
/// let shedder = LoadShedder(limit: 32)
/// let products = stack(.loadShedding(sharing: shedder), over: loadProduct)
/// let prices = stack(.loadShedding(sharing: shedder), over: loadPrice)
/// ```
///
/// It is a ``Bulkhead`` whose queue can stay short under a load that does not end. A call waits for `interval` at
/// most while bursts come and go; once the queue has not been empty for that long, calls that join it wait for
/// `target` at most. A caller of a service that is overloaded then learns it in milliseconds, and the calls that
/// are made are recent ones, whose callers still wait. (Maurer, "Fail at Scale", ACM Queue 13:8, 2015. The two
/// times are those of CoDel, RFC 8289; its schedule of drops is not used.)
///
/// Of the waiting calls, those of the greatest ``CallContext/priority`` are made first, whatever their age. If the
/// queue is full, the call that would be served last is refused. A shared call whose priority rises while it waits
/// becomes the youngest of the new one.
///
/// Make one for each resource: for a client, the service that it calls; for a server, what its requests share,
/// such as the processors. It may be used from any thread; a call takes a lock for constant time when it begins,
/// when its turn comes, and when it ends.
public final class LoadShedder {
    /// Which of the waiting calls of one priority is made first.
    public enum Order: Hashable, Sendable {
        /// The one that has waited longest.
        case oldestFirst
        /// The same, but in overload the one that came last: its caller will still be waiting. (Adaptive LIFO,
        /// "Fail at Scale".)
        case newestFirstInOverload
    }

    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How many calls are in flight now.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// How many calls wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// Whether calls have waited without a break for an interval, so that new ones wait for `target` at most.
    public var isOverloaded: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isOverloaded(at: now) }
    }

    /// Makes a shedder whose places are all free.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - limit: How many calls may be in flight; at least 1.
    ///   - queue: How many calls may wait; zero or more.
    ///   - target: How long a call may wait that comes in overload; more than zero.
    ///   - interval: How long any other call may wait, and after which time a queue that was never empty means
    ///     overload; at least the target.
    ///   - order: Which of the waiting calls of one priority is made first.
    ///   - scheduler: The clock of the waits. One action is scheduled for each waiting call.
    public init(
        named name: String? = nil, limit: Int = 64, queue: Int = 1_000,
        target: Duration = .milliseconds(5), interval: Duration = .milliseconds(100),
        order: Order = .oldestFirst, on scheduler: some Scheduler = .live
    ) {
        precondition(limit >= 1, "a load shedder needs a limit of at least 1, not \(limit)")
        precondition(queue >= 0, "a load shedder needs a queue of zero or more, not \(queue)")
        precondition(
            target > .zero, "a load shedder needs a target of more than zero, not \(target)")
        precondition(
            interval >= target,
            "a load shedder needs an interval of at least the target, not \(interval)")
        machine = Locked(
            LoadShedderMachine(
                LoadShedderLimits(
                    places: limit, queue: queue, target: target, interval: interval,
                    order: order)))
        self.name = name
        self.scheduler = scheduler
    }

    private typealias Machine = LoadShedderMachine<InternalPromise<Void>>

    private let machine: Locked<Machine>
    let scheduler: any Scheduler
}

extension LoadShedder: AdmissionGate {
    /// `shed`.
    public static let policy = "shed"
    static let refusal = ServiceError.Code.shed

    func enterIfFree() -> Void? { machine.withLock { $0.enterIfFree() } ? () : nil }

    func mayWait(in context: CallContext) -> Bool {
        let now = scheduler.now
        return machine.withLock { $0.mayWait(context.priority, at: now) }
    }

    func enter(
        _ turn: InternalPromise<Void>, in context: CallContext
    ) -> Admission<Void, InternalPromise<Void>> {
        let now = scheduler.now
        switch machine.withLock({ $0.enter(turn, context.priority, at: now) }) {
        case .admitted: return .admitted(())
        case .refused: return .refused
        case .queued(let ticket, let length, let patience, let displaced):
            displaced?.reject(
                with: ServiceError(Self.refusal, policy: Self.policy, policyName: name))
            return .queued(ticket, length: length, patience: patience)
        }
    }

    func begin(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    func raise(
        _ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket, to priority: CallPriority
    ) {
        machine.withLock { $0.raise(ticket, to: priority) }
    }

    func leave(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) {
        let now = scheduler.now
        machine.withLock { $0.leave(ticket, at: now) }.next?.resolve()
    }

    func leave() {
        let now = scheduler.now
        machine.withLock { $0.leave(at: now) }?.resolve()
    }
}

extension LoadShedder: Sendable {}

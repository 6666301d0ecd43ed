public import PledgeFutures
public import PledgeServices

extension Middleware {
    /// Limits the calls in flight, queues a limited number of further calls, and refuses the rest.
    ///
    /// ```swift
    /// let bulkhead = Bulkhead(limit: 8, queue: 100, queueTimeout: .seconds(2))
    /// let api = stack(.bulkhead(sharing: bulkhead), .retry(), over: transport)
    /// ```
    ///
    /// Each call in flight takes one of the bulkhead's places. If a place is free, a call starts at once, on the
    /// caller's thread. Waiting calls start in the order of their `CallContext.priority`, and in order of arrival
    /// within one priority. Each starts on the thread on which another call ended, but with the task-local values of
    /// its own caller. If the queue is full, the call that would be served last fails with
    /// `ServiceError.Code.bulkheadFull`: either the new call, at once, or a less important waiting one, on the new
    /// call's thread. A call that waits too long fails with `ServiceError.Code.queueTimedOut`, on the bulkhead's
    /// scheduler. A call whose deadline has passed when its turn comes fails with
    /// `ServiceError.Code.deadlineExceeded`. Cancelling a call frees its place, or removes it from the queue. Errors
    /// of the service pass through unchanged.
    ///
    /// - Parameter bulkhead: The bulkhead, shared by all stacks that call the same service.
    public static func bulkhead(sharing bulkhead: Bulkhead) -> Middleware {
        Middleware(named: Bulkhead.policy) { service in
            AdmittedService(service: service, gate: bulkhead) { lease, service, input in
                let answer = service(input)
                if answer.isSettled {
                    bulkhead.leave(lease)
                    return answer
                }
                return answer.onEnd { _ in bulkhead.leave(lease) }
            }.call
        }
    }
}

/// A limited number of places for calls, with a queue for calls without a place.
///
/// ```swift
/// let bulkhead = Bulkhead(limit: 8, leaseTime: nil)
/// let products = stack(.bulkhead(sharing: bulkhead), over: loadProduct)
/// let prices = stack(.bulkhead(sharing: bulkhead), over: loadPrice)
/// ```
///
/// Calls through the bulkhead can't use more than its places. A call holds its place from the moment the service is
/// called until its future settles or is cancelled. Waiting calls are served in order, and only a more important call
/// can overtake them. If the priority of a waiting joined call rises, it becomes the youngest call of its new priority.
///
/// By default, a call that takes longer than a second goes on, but gives its place back (``leaseTime``). So hanging
/// calls, and calls that wait for a retry, don't use up the places of healthy ones: the bulkhead limits how many calls
/// begin in a second. Pass `leaseTime: nil` if there must never be more calls in flight than places.
///
/// Create one for each resource, so that calls to that resource can't use up everything. You can use it from any
/// thread. A call takes a lock for constant time when it starts, when its turn comes, and when it ends. (Nygard,
/// "Release It!"; Polly; resilience4j.)
public final class Bulkhead: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// The longest time that a call holds a place; nil if each call holds its place until it ends.
    public let leaseTime: Duration?

    /// The number of calls in flight now, including calls whose lease has ended.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// The number of calls that wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// True if the bulkhead is in the same state as a new one.
    package var isIdle: Bool { machine.withLock { $0.inFlight == 0 && $0.queued == 0 } }

    /// Creates a bulkhead whose places are all free.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - limit: The maximum number of calls in flight. Less than one is a programming error and traps.
    ///   - queue: The maximum number of waiting calls; with zero, a call without a place is refused. Less than zero is
    ///     a programming error and traps.
    ///   - queueTimeout: The maximum wait of a call; with nil, a call waits as long as its caller does. Less than zero
    ///     is a programming error and traps.
    ///   - leaseTime: The longest time that a call holds a place, rounded up by at most an eighth; with nil, a call holds
    ///     its place until it ends. Zero or less is a programming error and traps.
    ///   - scheduler: The clock for the waits and leases.
    public init(
        named name: String? = nil, limit: Int = 256, queue: Int = 1_000,
        queueTimeout: Duration? = nil, leaseTime: Duration? = .seconds(1),
        on scheduler: some FutureScheduler = .live
    ) {
        Self.check(limit: limit, queue: queue)
        precondition(
            queueTimeout.map { $0 >= .zero } ?? true,
            "a bulkhead needs a queueTimeout of zero or more, not \(queueTimeout ?? .zero)")
        precondition(
            leaseTime.map { $0 > .zero } ?? true,
            "a bulkhead needs a leaseTime above zero, not \(leaseTime ?? .zero)")
        machine = Locked(BulkheadMachine(limit: limit, queue: queue, leaseTime: leaseTime))
        self.name = name
        self.queueTimeout = queueTimeout
        self.leaseTime = leaseTime
        self.scheduler = scheduler
    }

    /// Changes the number of places and the length of the queue.
    ///
    /// A lower limit holds from the next call on: calls in flight and calls in the queue stay, and no call starts until
    /// enough places are free. With a higher limit, waiting calls start at once, on this thread.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of calls in flight. Less than one is a programming error and traps.
    ///   - queue: The maximum number of waiting calls. Less than zero is a programming error and traps.
    public func resize(limit: Int, queue: Int) {
        Self.check(limit: limit, queue: queue)
        let now = now
        machine.withLock { $0.resize(limit: limit, queue: queue, at: now) }.forEach { $0.start() }
    }

    /// Takes over the limits of another bulkhead, if their times are the same.
    ///
    /// Waiting calls that get a place start on the scheduler.
    ///
    /// - Returns: False if their times differ.
    package func takeLimits(of other: Bulkhead) -> Bool {
        guard queueTimeout == other.queueTimeout, leaseTime == other.leaseTime else { return false }
        let (limit, queue) = other.machine.withLock { ($0.limit, $0.queueLimit) }
        let now = now
        let next = machine.withLock { $0.resize(limit: limit, queue: queue, at: now) }
        if !next.isEmpty {
            _ = scheduler.schedule(after: .zero) { next.forEach { $0.start() } }
        }
        return true
    }

    package func renewed(in place: PolicyPlace) -> Bulkhead {
        let (limit, queue) = machine.withLock { ($0.limit, $0.queueLimit) }
        return Bulkhead(
            named: name ?? place.name, limit: limit, queue: queue, queueTimeout: queueTimeout,
            leaseTime: leaseTime, on: place.clock(or: scheduler))
    }

    private static func check(limit: Int, queue: Int) {
        precondition(limit >= 1, "a bulkhead needs a limit of at least 1, not \(limit)")
        precondition(queue >= 0, "a bulkhead needs a queue of zero or more, not \(queue)")
    }

    private let machine: Locked<BulkheadMachine<InternalPromise<BulkheadLease>>>
    private let queueTimeout: Duration?
    package let scheduler: any FutureScheduler
}

extension Bulkhead: AdmissionGate {
    /// `bulkhead`.
    package static let policy = "bulkhead"
    package static let refusal = ServiceError.Code.bulkheadFull

    package func enterIfFree() -> BulkheadLease? {
        let now = now
        return machine.withLock { $0.enterIfFree(at: now) }
    }

    package func mayWait(in context: CallContext) -> Bool {
        let priority = context.priority
        return machine.withLock { $0.mayWait(priority) }
    }

    package func admitOrQueue(
        _ turn: InternalPromise<BulkheadLease>, in context: CallContext
    ) -> GateDecision<BulkheadLease, InternalPromise<BulkheadLease>> {
        let (now, priority) = (now, context.priority)
        let (displaced, entry, wait) = machine.withLock {
            (
                $0.makeRoom(for: priority), $0.admitOrQueue(turn, priority, at: now),
                $0.waitForLease(at: now)
            )
        }
        wake(after: wait)
        displaced?.reject(with: ServiceError(Self.refusal, policy: Self.policy, policyName: name))
        switch entry {
        case .admitted(let lease): return .admitted(lease)
        case .refused: return .refused
        case .queued(let ticket, let length):
            return .queued(ticket, length: length, patience: queueTimeout)
        }
    }

    package func begin(_ ticket: PriorityWaitQueue<InternalPromise<BulkheadLease>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    package func raise(
        _ ticket: PriorityWaitQueue<InternalPromise<BulkheadLease>>.Ticket,
        to priority: CallPriority
    ) {
        machine.withLock { $0.raise(ticket, to: priority) }
    }

    package func leave(_ ticket: PriorityWaitQueue<InternalPromise<BulkheadLease>>.Ticket) {
        let now = now
        machine.withLock { $0.leave(ticket, at: now) }.next?.start()
    }

    fileprivate func leave(_ lease: BulkheadLease) {
        let now = now
        machine.withLock { $0.leave(lease, at: now) }?.start()
    }

    /// The present, if leases end; otherwise the clock isn't read.
    private var now: SchedulerInstant? { leaseTime == nil ? nil : scheduler.now }

    /// Starts waiting calls once a lease has ended, and waits for the next lease while calls wait.
    private func wake(after wait: Duration?) {
        guard let wait else { return }
        _ = scheduler.schedule(after: wait) { [weak self] in
            guard let self else { return }
            let now = now
            let (next, wait) = machine.withLock {
                ($0.endLeases(at: now), $0.waitForLease(at: now))
            }
            wake(after: wait)
            next.forEach { $0.start() }
        }
    }
}

extension BulkheadTurn<InternalPromise<BulkheadLease>> {
    fileprivate func start() { waiter.resolve(with: lease) }
}

/// A call's place, with the number of the eighth of a lease time in which the call got it.
package struct BulkheadLease: Equatable, Sendable {
    fileprivate(set) var number: Int64 = 0
}

/// A waiting call that has got a place.
struct BulkheadTurn<Waiter: Sendable>: Sendable {
    let waiter: Waiter
    let lease: BulkheadLease
}

/// The state of a bulkhead: the calls in flight, and the queue.
///
/// Calls wait only while all places are taken. A freed place goes to the head of the queue at once, so a later call
/// can't take it. The head is the oldest call of the highest priority.
struct BulkheadMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The bulkhead's decision about a call.
    enum Entry: Equatable {
        /// The call starts, and holds a place until it ends.
        case admitted(BulkheadLease)
        /// The call waits in a queue; the `length` includes this call.
        case queued(ticket: Ticket, length: Int)
        /// The call is refused.
        case refused
    }

    struct LeaveResult {
        /// The waiter that left the queue, if it was still there.
        var left: Waiter?
        /// The next call, which got the place; the code that called `leave` must notify it.
        var next: BulkheadTurn<Waiter>?
    }

    /// The calls that got a place in the same eighth of a lease time.
    private struct Group {
        let number: Int64
        var count: Int
    }

    private(set) var inFlight = 0
    private(set) var limit: Int
    private(set) var queueLimit: Int
    /// An eighth of the lease time; nil if leases don't end.
    private let stretch: Duration?
    /// The calls with a place, oldest first: at most nine groups, or one if leases don't end.
    private var groups: [Group] = []
    /// The number of calls with a place: the sum of the groups.
    private var holders = 0
    /// True while the bulkhead waits for the end of a lease.
    private var isAwaitingLease = false
    private var line = PriorityWaitQueue<Waiter>()

    init(limit: Int, queue: Int, leaseTime: Duration? = nil) {
        self.limit = limit
        queueLimit = queue
        stretch = leaseTime.map { max($0 / 8, .nanoseconds(1)) }
    }

    var queued: Int { line.count }

    /// Admits a call if a place is free.
    ///
    /// - Parameter now: The present; not needed if leases don't end.
    mutating func enterIfFree(at now: SchedulerInstant? = nil) -> BulkheadLease? {
        forgetOldGroups(at: now)
        guard holders < limit, line.isEmpty else { return nil }
        return takePlace(at: now)
    }

    var hasRoomToWait: Bool { line.count < queueLimit }

    /// Returns whether a call could wait: the queue has room, or a less important call can leave it.
    func mayWait(_ priority: CallPriority) -> Bool { hasRoomToWait || displaces(priority) }

    /// Removes the youngest of the least important calls from a full queue, if a new call is more important.
    ///
    /// - Returns: The removed call; the code that called `makeRoom` must refuse it.
    mutating func makeRoom(for priority: CallPriority) -> Waiter? {
        displaces(priority) ? line.removeLeast(oldest: false) : nil
    }

    /// Returns whether a new call takes the place of a less important one in the queue.
    ///
    /// If the queue is longer than a lowered limit, removing one call makes no room.
    private func displaces(_ priority: CallPriority) -> Bool {
        guard line.count == queueLimit, let least = line.leastPriority else { return false }
        return least < priority
    }

    mutating func admitOrQueue(
        _ waiter: Waiter, _ priority: CallPriority = .critical, at now: SchedulerInstant? = nil
    ) -> Entry {
        if let lease = enterIfFree(at: now) { return .admitted(lease) }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter, priority)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Raises a waiting call to a higher priority, where it becomes the youngest call.
    mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        line.raise(ticket, to: priority)
    }

    /// Changes the limits; calls in flight and in the queue stay.
    ///
    /// - Returns: The calls that got a place; the code that called `resize` must notify them.
    mutating func resize(
        limit: Int, queue: Int, at now: SchedulerInstant? = nil
    ) -> [BulkheadTurn<Waiter>] {
        (self.limit, queueLimit) = (limit, queue)
        return startAll(at: now)
    }

    /// Ends a call, and gives its place to the head of the queue.
    ///
    /// - Returns: The next call, which got the place; the code that called `leave` must notify it.
    mutating func leave(
        _ lease: BulkheadLease, at now: SchedulerInstant? = nil
    ) -> BulkheadTurn<Waiter>? {
        inFlight -= 1
        if let group = groups.lastIndex(where: { $0.number == lease.number }) {
            groups[group].count -= 1
            holders -= 1
        }
        return startNext(at: now)
    }

    /// Confirms that a call that was admitted from the queue starts now.
    ///
    /// - Returns: False if the call has left since it was admitted, for example because its caller has cancelled. Such
    ///   a call must not start.
    mutating func begin(_ ticket: Ticket) -> Bool { line.confirm(ticket) }

    /// Removes a call from the queue, or frees the place of a call that was admitted but hasn't started.
    ///
    /// It has no effect on a call that has started.
    mutating func leave(_ ticket: Ticket, at now: SchedulerInstant? = nil) -> LeaveResult {
        if let waiter = line.remove(ticket) { return LeaveResult(left: waiter) }
        // The call got its place just now, so its lease is one of the youngest.
        guard line.confirm(ticket) else { return LeaveResult() }
        let youngest = BulkheadLease(number: groups.last?.number ?? 0)
        return LeaveResult(next: leave(youngest, at: now))
    }

    /// Gives the places of calls whose lease has ended to waiting calls.
    ///
    /// - Returns: The calls that got a place; the code that called `endLeases` must notify them.
    mutating func endLeases(at now: SchedulerInstant?) -> [BulkheadTurn<Waiter>] {
        isAwaitingLease = false
        return startAll(at: now)
    }

    /// Gives all free places to waiting calls.
    private mutating func startAll(at now: SchedulerInstant?) -> [BulkheadTurn<Waiter>] {
        forgetOldGroups(at: now)
        var started: [BulkheadTurn<Waiter>] = []
        while let next = startNext(at: now) { started.append(next) }
        return started
    }

    /// Returns the time until the next lease ends, for the one timer that a bulkhead has while calls wait.
    ///
    /// - Returns: Nil if no call waits, or if a timer is set already.
    mutating func waitForLease(at now: SchedulerInstant?) -> Duration? {
        guard let stretch, let now, !line.isEmpty, !isAwaitingLease,
            let oldest = groups.first(where: { $0.count > 0 })
        else { return nil }
        isAwaitingLease = true
        let end = stretch * Int(oldest.number + 9)
        return max(end - now.offset, .nanoseconds(1))
    }

    private mutating func startNext(at now: SchedulerInstant?) -> BulkheadTurn<Waiter>? {
        guard holders < limit, let next = line.call(youngest: false) else { return nil }
        return BulkheadTurn(waiter: next, lease: takePlace(at: now))
    }

    private mutating func takePlace(at now: SchedulerInstant?) -> BulkheadLease {
        let number = number(at: now)
        if groups.last?.number != number { groups.append(Group(number: number, count: 0)) }
        groups[groups.count - 1].count += 1
        holders += 1
        inFlight += 1
        return BulkheadLease(number: number)
    }

    /// Ends the leases that are older than the lease time.
    private mutating func forgetOldGroups(at now: SchedulerInstant?) {
        guard let first = groups.first, number(at: now) - first.number > 8 else { return }
        let oldest = number(at: now) - 8
        let old = groups.prefix { $0.number < oldest }
        holders -= old.reduce(0) { $0 + $1.count }
        groups.removeFirst(old.count)
    }

    /// The number of the eighth of a lease time in which an instant lies; zero if leases don't end.
    private func number(at now: SchedulerInstant?) -> Int64 {
        guard let stretch, let now else { return 0 }
        return Int64(now.offset / stretch)
    }
}

extension Bulkhead: RenewablePolicy {}

extension Bulkhead: StateNumbers {
    /// The calls in flight, and the calls that wait.
    package var gauges: [StateGauge: Double] {
        [.inFlight: Double(inFlight), .queued: Double(queued)]
    }
}

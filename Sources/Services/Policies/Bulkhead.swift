public import PledgeFutures

extension Middleware {
    /// Limits the calls in flight, queues a limited number of further calls, and refuses the rest.
    ///
    /// ```swift
    /// let bulkhead = Bulkhead(limit: 8, queue: 100, queueTimeout: .seconds(2))
    /// let api = stack(.bulkhead(sharing: bulkhead), .retry(), over: transport)
    /// ```
    ///
    /// Each call in flight takes one of the bulkhead's places. If a place is free, a call starts at once, on the
    /// caller's thread. Waiting calls start in order, each on the thread on which another call ended, but with the
    /// task-local values of its own caller. A refused call fails at once with ``ServiceError/Code/bulkheadFull``. A
    /// call that waits too long fails with ``ServiceError/Code/queueTimedOut``, on the bulkhead's scheduler. A call
    /// whose deadline has passed when its turn comes fails with ``ServiceError/Code/deadlineExceeded``. Cancelling a
    /// call frees its place, or removes it from the queue. Errors of the service pass through unchanged.
    ///
    /// - Parameter bulkhead: The bulkhead, shared by all stacks that call the same service.
    public static func bulkhead(sharing bulkhead: Bulkhead) -> Middleware {
        Middleware(named: Bulkhead.policy) { service in
            AdmittedService(service: service, gate: bulkhead) { _, service, input in
                service(input).atEnd { bulkhead.leave() }
            }.call
        }
    }
}

/// A limited number of places for calls, with a queue for calls without a place.
///
/// ```swift
/// let bulkhead = Bulkhead(limit: 8)
/// let products = stack(.bulkhead(sharing: bulkhead), over: loadProduct)
/// let prices = stack(.bulkhead(sharing: bulkhead), over: loadPrice)
/// ```
///
/// Calls through the bulkhead can't use more than its places. A call holds its place from the moment the service is
/// called until its future settles or is cancelled. Waiting calls are served in order, and later calls can't overtake
/// them.
///
/// Create one for each resource, so that calls to that resource can't use up everything. You can use it from any
/// thread. A call takes a lock for constant time when it starts and when it ends. (Nygard, "Release It!"; Polly;
/// resilience4j.)
public final class Bulkhead: Sendable {
    /// The name in events and errors; nil for none.
    public let name: String?

    /// The number of calls in flight now.
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
    ///   - scheduler: The clock for the waits.
    public init(
        named name: String? = nil, limit: Int = 64, queue: Int = 0,
        queueTimeout: Duration? = nil, on scheduler: some FutureScheduler = .live
    ) {
        precondition(limit >= 1, "a bulkhead needs a limit of at least 1, not \(limit)")
        precondition(queue >= 0, "a bulkhead needs a queue of zero or more, not \(queue)")
        precondition(
            queueTimeout.map { $0 >= .zero } ?? true,
            "a bulkhead needs a queueTimeout of zero or more, not \(queueTimeout ?? .zero)")
        machine = Locked(BulkheadMachine(limit: limit, queue: queue))
        self.name = name
        self.queueTimeout = queueTimeout
        self.scheduler = scheduler
    }

    private let machine: Locked<BulkheadMachine<InternalPromise<Void>>>
    private let queueTimeout: Duration?
    let scheduler: any FutureScheduler
}

extension Bulkhead: AdmissionGate {
    /// `bulkhead`.
    public static let policy = "bulkhead"
    static let refusal = ServiceError.Code.bulkheadFull

    func enterIfFree() -> Void? { machine.withLock { $0.enterIfFree() } ? () : nil }

    func mayWait(in context: CallContext) -> Bool { machine.withLock { $0.hasRoomToWait } }

    func enter(
        _ turn: InternalPromise<Void>, in context: CallContext
    ) -> Admission<Void, InternalPromise<Void>> {
        switch machine.withLock({ $0.enter(turn) }) {
        case .admitted: .admitted(())
        case .refused: .refused
        case .queued(let ticket, let length):
            .queued(ticket, length: length, patience: queueTimeout)
        }
    }

    func begin(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) -> Bool {
        machine.withLock { $0.begin(ticket) }
    }

    func leave(_ ticket: PriorityWaitQueue<InternalPromise<Void>>.Ticket) {
        machine.withLock { $0.leave(ticket) }.next?.resolve()
    }

    fileprivate func leave() { machine.withLock { $0.leave() }?.resolve() }
}

/// The state of a bulkhead: the calls in flight, and the queue.
///
/// Calls wait only while all places are taken. A freed place goes to the head of the queue at once, so a later call
/// can't take it.
struct BulkheadMachine<Waiter: Sendable>: Sendable {
    typealias Ticket = PriorityWaitQueue<Waiter>.Ticket

    /// The bulkhead's decision about a call.
    enum Entry: Equatable {
        /// The call starts, and holds a place until it ends.
        case admitted
        /// The call waits in a queue; the `length` includes this call.
        case queued(ticket: Ticket, length: Int)
        /// The call is refused.
        case refused
    }

    /// The result of removing a queued call.
    struct LeaveResult {
        /// The waiter that left the queue, if it was still there.
        var left: Waiter?
        /// The next call, which got the place; the code that called `leave` must notify it.
        var next: Waiter?
    }

    /// The number of calls in flight.
    private(set) var inFlight = 0
    private let limit: Int
    private let queueLimit: Int
    private var line = PriorityWaitQueue<Waiter>()

    init(limit: Int, queue: Int) {
        self.limit = limit
        queueLimit = queue
    }

    /// The number of waiting calls.
    var queued: Int { line.count }

    /// Admits a call if a place is free.
    mutating func enterIfFree() -> Bool {
        guard inFlight < limit else { return false }
        inFlight += 1
        return true
    }

    /// True if the queue has room for another call.
    var hasRoomToWait: Bool { line.count < queueLimit }

    /// Admits a call, or queues it.
    mutating func enter(_ waiter: Waiter) -> Entry {
        if enterIfFree() { return .admitted }
        guard hasRoomToWait else { return .refused }
        let ticket = line.append(waiter, .critical)
        return .queued(ticket: ticket, length: line.count)
    }

    /// Frees a place, and gives it to the head of the queue.
    ///
    /// - Returns: The next call, which got the place; the code that called `leave` must notify it.
    mutating func leave() -> Waiter? {
        if let next = line.call(youngest: false) { return next }
        inFlight -= 1
        return nil
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
        return line.confirm(ticket) ? LeaveResult(next: leave()) : LeaveResult()
    }
}

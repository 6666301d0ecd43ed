public import PledgeFutures

extension Middleware {
    /// Limits the calls in flight, queues a limited number of further calls, and refuses the rest.
    ///
    /// ```swift
    /// let bulkhead = Bulkhead(limit: 8, queue: 100, queueTimeout: .seconds(2))
    /// let api = stack(.bulkhead(sharing: bulkhead), .retry(), over: transport)
    /// ```
    ///
    /// If a place is free, a call is made at once, on the caller's thread. Waiting calls are made in their
    /// order, each on the thread on which another call ended, with the task-local values of its own caller. A refused
    /// call fails at once with ``ServiceError/Code/bulkheadFull``. A call that has waited for too long fails on the
    /// bulkhead's scheduler with ``ServiceError/Code/queueTimedOut``; one whose deadline is over when its turn comes,
    /// with ``ServiceError/Code/deadlineExceeded``. Cancelling a call frees its place, or its entry in
    /// the queue. Errors of the service pass unchanged.
    ///
    /// - Parameter bulkhead: The places, shared by all stacks that load the same service.
    public static func bulkhead(sharing bulkhead: Bulkhead) -> Middleware {
        Middleware(named: Bulkhead.policy) { service in
            AdmittedService(service: service, gate: bulkhead) { _, service, input in
                service(input).atEnd { bulkhead.leave() }
            }.call
        }
    }
}

/// A number of places for calls, and a queue for calls without a place.
///
/// ```swift
/// let bulkhead = Bulkhead(limit: 8)
/// let products = stack(.bulkhead(sharing: bulkhead), over: loadProduct)
/// let prices = stack(.bulkhead(sharing: bulkhead), over: loadPrice)
/// ```
///
/// Calls through it can use up only its places. A call has its place from when the
/// service is called until its future settles or is given up. Waiting calls are served in order,
/// and no later call overtakes them.
///
/// Make one for each resource whose calls must not use up everything. It may be used from any
/// thread; a call takes a lock for constant time when it begins and when it ends. (Nygard, "Release
/// It!"; Polly; resilience4j.)
public final class Bulkhead {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How many calls are in flight now.
    public var inFlight: Int { machine.withLock { $0.inFlight } }

    /// How many calls wait now.
    public var queued: Int { machine.withLock { $0.queued } }

    /// Whether it is in the same state as a new one.
    package var isIdle: Bool { machine.withLock { $0.inFlight == 0 && $0.queued == 0 } }

    /// Makes a bulkhead whose places are all free.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - limit: How many calls may be in flight. Less than one is a programming error and traps.
    ///   - queue: How many calls may wait; with zero, a call without a place is refused. Less than
    ///     zero is a programming error and traps.
    ///   - queueTimeout: How long a call may wait; nil: as long as its caller waits. Less than zero
    ///     is a programming error and traps.
    ///   - scheduler: The clock of the waits.
    public init(
        named name: String? = nil, limit: Int = 64, queue: Int = 0,
        queueTimeout: Duration? = nil, on scheduler: some Scheduler = .live
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
    let scheduler: any Scheduler
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

extension Bulkhead: Sendable {}

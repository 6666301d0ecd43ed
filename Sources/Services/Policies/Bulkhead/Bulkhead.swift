public import Futures

extension Middleware {
    /// Limits the calls in flight, queues a limited number of further calls, and refuses the rest.
    ///
    /// ```swift
    /// let bulkhead = Bulkhead(limit: 8, queue: 100, queueTimeout: .seconds(2))
    /// let api = stack(.bulkhead(sharing: bulkhead), .retry(), over: transport)
    /// ```
    ///
    /// If a place is free, a call is made at once, on the caller's thread. Waiting calls are made in their
    /// order, each on the thread on which another call ended. A refused call fails at once with
    /// ``ServiceError/Code/bulkheadFull``. A call that has waited for too long fails on the bulkhead's
    /// scheduler with ``ServiceError/Code/queueTimedOut``. Cancelling a call frees its place, or its entry in
    /// the queue. Errors of the service pass unchanged.
    ///
    /// - Parameter bulkhead: The places, shared by all stacks that load the same service.
    public static func bulkhead(sharing bulkhead: Bulkhead) -> Middleware {
        Middleware(named: "bulkhead") { service in { input in bulkhead.call(service, input) } }
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
    private let scheduler: any Scheduler
}

extension Bulkhead {
    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let (isIn, mayWait) = machine.withLock { ($0.enterIfFree(), $0.hasRoomToWait) }
        if isIn { return callInPlace(service, input) }
        guard mayWait else { return refuse(.bulkheadFull, in: .current) }
        // Meanwhile a place may have become free, or the last entry of the queue may have been taken.
        let turn = InternalPromise<Void>()
        switch machine.withLock({ $0.enter(turn) }) {
        case .admitted: return callInPlace(service, input)
        case .refused: return refuse(.bulkheadFull, in: .current)
        case .queued(let ticket, let length):
            return wait(for: turn, ticket, length, service, input)
        }
    }

    /// Calls the service, and frees the place when the call has ended or was given up.
    private func callInPlace<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        service(input).atEnd { self.leave() }
    }

    /// Calls the service when the call's turn has come.
    ///
    /// The service's future frees the place, as soon as it exists: giving the call up while the service is
    /// being called must not admit another call beside it. If the service is not called, the last step
    /// removes the call from the queue or frees its place, also if the call is given up just when its turn
    /// comes.
    private func wait<Input: Sendable, Output: Sendable>(
        for turn: InternalPromise<Void>, _ ticket: Int, _ length: Int,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let start = scheduler.now
        let decision = PlaceDecision()
        // Reported before the turn has an observer, so that it is reported before the turn comes.
        context.report(.queued(length: length), by: bulkheadPolicy, named: name)
        return inTime(turn, of: input, in: context)
            .flatMap {
                guard decision.take() else { return Future(error: CancellationError()) }
                context.report(
                    .dequeued(after: start.duration(to: self.scheduler.now)), by: bulkheadPolicy,
                    named: self.name)
                return self.callInPlace({ context.call(service, $0) }, input)
            }
            .onEnd { _ in if decision.take() { self.leave(ticket) } }
    }

    private func inTime(
        _ turn: InternalPromise<Void>, of input: some Sendable, in context: CallContext
    ) -> Future<Void> {
        guard let queueTimeout else { return turn }
        let error = ServiceError(
            .queueTimedOut, policy: bulkheadPolicy, policyName: name, limit: queueTimeout,
            subject: loggedName(of: input))
        let turn = turn.timeout(queueTimeout, on: scheduler) { error }
        guard context.isObserved else { return turn }
        return turn.onFailure { [name] _ in
            context.report(.refused(error), by: bulkheadPolicy, named: name)
        }
    }

    private func refuse<Output: Sendable>(
        _ code: ServiceError.Code, in context: CallContext
    ) -> Future<Output> {
        let error = ServiceError(code, policy: bulkheadPolicy, policyName: name)
        context.report(.refused(error), by: bulkheadPolicy, named: name)
        return Future(error: error)
    }

    private func leave() {
        machine.withLock { $0.leave() }?.resolve()
    }

    private func leave(_ ticket: Int) {
        machine.withLock { $0.leave(ticket) }.next?.resolve()
    }
}

private let bulkheadPolicy = "bulkhead"

extension Bulkhead: Sendable {}

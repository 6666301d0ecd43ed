public import Futures
import Synchronization

extension Middleware {
    /// Lets so many calls be in flight, lets some more wait for their turn, and refuses the rest.
    ///
    /// ```swift
    /// let bulkhead = Bulkhead(limit: 8, queue: 100, queueTimeout: .seconds(2))
    /// let api = stack(.bulkhead(sharing: bulkhead), .retry(), over: transport)
    /// ```
    ///
    /// A call that finds a place is made at once, on the caller's thread. One that waits is made on the
    /// thread on which another ended, in the order in which they came. A refused call fails at once
    /// with ``ServiceError/Code/bulkheadFull``; one that has waited for too long, on the bulkhead's
    /// scheduler with ``ServiceError/Code/queueTimedOut``. Cancelling a call gives back its place, or
    /// that in the queue. Errors of the service pass unchanged.
    ///
    /// - Parameter bulkhead: The places, shared by all stacks that load the same service.
    public static func bulkhead(sharing bulkhead: Bulkhead) -> Middleware {
        Middleware(named: "bulkhead") { service in { input in bulkhead.call(service, input) } }
    }
}

/// A number of places for calls, and a queue for the calls that find none.
///
/// ```swift
/// let bulkhead = Bulkhead(limit: 8)
/// let products = stack(.bulkhead(sharing: bulkhead), over: loadProduct)
/// let prices = stack(.bulkhead(sharing: bulkhead), over: loadPrice)
/// ```
///
/// Calls through it can use up its places, but nothing else. A call has its place from when the
/// service is called until its future settles or is given up. Waiting calls are served in order,
/// and no later call overtakes them.
///
/// Make one for each thing that is to be kept from using up all. It may be used from any thread; a call
/// takes a lock for constant time when it begins and when it ends. (Nygard, "Release It!"; Polly;
/// resilience4j.)
public final class Bulkhead {
    /// The name in its events and errors; nil where it has none.
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
    ///   - queue: How many calls may wait; of none, a call that finds no place is refused. Less than
    ///     zero is a programming error and traps.
    ///   - queueTimeout: How long a call may wait, nil for as long as its caller does. Less than zero
    ///     is a programming error and traps.
    ///   - scheduler: Where the waits pass.
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
        // A place may have become free, or the last one in the queue been taken, in the meantime.
        let turn = InternalPromise<Void>()
        switch machine.withLock({ $0.enter(turn) }) {
        case .admitted: return callInPlace(service, input)
        case .refused: return refuse(.bulkheadFull, in: .current)
        case .queued(let ticket, let length):
            return wait(for: turn, ticket, length, service, input)
        }
    }

    /// Calls the service, and gives the place back when the call has ended or was given up.
    private func callInPlace<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let future = service(input)
        if future.isSettled {
            leave()
            return future
        }
        return future.onEnd { _ in self.leave() }
    }

    /// Calls the service when the call's turn has come.
    ///
    /// The service's future gives the place back, once there is one: who gives the call up while the
    /// service is being called must not let another in beside it. If the service is not called, the last
    /// step takes the call out of the queue or gives its place back: also if it is given up just when
    /// its turn comes.
    private func wait<Input: Sendable, Output: Sendable>(
        for turn: InternalPromise<Void>, _ ticket: Int, _ length: Int,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let start = scheduler.now
        let decision = Decision()
        // Told before anybody listens to the turn, so that it cannot be told after the turn has come.
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

/// Who gives back what a queued call has: the service's future, or the call's last step if it comes
/// before the service is called.
private final class Decision: Sendable {
    /// Decides, the first time.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }

    private let isTaken = Atomic(false)
}

private let bulkheadPolicy = "bulkhead"

extension Bulkhead: Sendable {}

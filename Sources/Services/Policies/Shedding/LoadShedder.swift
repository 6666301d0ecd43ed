public import Futures

/// A number of places for calls, and a queue by priority in which no call grows old.
///
/// ```swift
/// let shedder = LoadShedder(limit: 32)
/// let products = stack(.shed(sharing: shedder), over: loadProduct)
/// let prices = stack(.shed(sharing: shedder), over: loadPrice)
/// ```
///
/// It is a ``Bulkhead`` whose queue can stay short under a load that does not end. A call waits for `interval` at
/// most while bursts come and go; once the queue has not been empty for that long, calls that join it wait for
/// `target` at most. A caller of a service that is overloaded then learns it in milliseconds, and the calls that
/// are made are recent ones, whose callers still wait. (Maurer, "Fail at Scale", ACM Queue 13:8, 2015. The two
/// times are those of CoDel, RFC 8289; its schedule of drops is not used.)
///
/// Of the waiting calls, those of the greatest ``CallContext/priority`` are made first, whatever their age. If the
/// queue is full, the call that would be served last is refused.
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
    private let scheduler: any Scheduler
}

extension LoadShedder {
    func call<Input: Sendable, Output: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if machine.withLock({ $0.enterIfFree() }) { return callInPlace(service, input) }
        let context = CallContext.current
        let (now, priority) = (scheduler.now, context.priority)
        guard machine.withLock({ $0.mayWait(priority, at: now) }) else {
            return refuse(in: context)
        }
        // Meanwhile a place may have become free, or the last entry of the queue may have been taken.
        let turn = InternalPromise<Void>()
        switch machine.withLock({ $0.enter(turn, priority, at: now) }) {
        case .admitted: return callInPlace(service, input)
        case .refused: return refuse(in: context)
        case .queued(let ticket, let length, let patience, let displaced):
            context.report(.queued(length: length), by: shedPolicy, named: name)
            displaced?.reject(with: ServiceError(.shed, policy: shedPolicy, policyName: name))
            let wait = Wait(ticket: ticket, start: now, patience: patience, context: context)
            return self.wait(for: turn, wait, service, input)
        }
    }

    /// A call that waits.
    private struct Wait {
        let ticket: Machine.Ticket
        let start: SchedulerInstant
        let patience: Duration
        let context: CallContext
    }

    /// Calls the service, and frees the place when the call has ended or was given up.
    private func callInPlace<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        service(input).atEnd { self.leave() }
    }

    /// Calls the service when the call's turn has come.
    ///
    /// Until the service is called, the last step frees what the call has; afterwards the service's future does,
    /// as soon as it exists.
    private func wait<Input: Sendable, Output: Sendable>(
        for turn: InternalPromise<Void>, _ wait: Wait,
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        inTime(turn, wait, of: input)
            .flatMap {
                guard self.machine.withLock({ $0.begin(wait.ticket) }) else {
                    return Future(error: CancellationError())
                }
                wait.context.report(
                    .dequeued(after: wait.start.duration(to: self.scheduler.now)),
                    by: shedPolicy, named: self.name)
                return self.callInPlace({ wait.context.call(service, $0) }, input)
            }
            .onEnd { _ in self.leave(wait.ticket) }
    }

    private func inTime(
        _ turn: InternalPromise<Void>, _ wait: Wait, of input: some Sendable
    ) -> Future<Void> {
        let error = ServiceError(
            .queueTimedOut, policy: shedPolicy, policyName: name, limit: wait.patience,
            subject: loggedName(of: input))
        let turn = turn.timeout(wait.patience, on: scheduler) { error }
        guard wait.context.isObserved else { return turn }
        return turn.onFailure { [name] error in
            // Otherwise the caller has given up.
            guard let error = error as? ServiceError else { return }
            wait.context.report(.refused(error), by: shedPolicy, named: name)
        }
    }

    private func refuse<Output: Sendable>(in context: CallContext) -> Future<Output> {
        let error = ServiceError(.shed, policy: shedPolicy, policyName: name)
        context.report(.refused(error), by: shedPolicy, named: name)
        return Future(error: error)
    }

    private func leave() {
        let now = scheduler.now
        machine.withLock { $0.leave(at: now) }?.resolve()
    }

    private func leave(_ ticket: Machine.Ticket) {
        let now = scheduler.now
        machine.withLock { $0.leave(ticket, at: now) }.next?.resolve()
    }
}

private let shedPolicy = "shed"

extension LoadShedder: Sendable {}

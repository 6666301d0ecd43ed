package import PledgeFutures
package import PledgeServices

/// A policy that admits calls: at once, after a wait, or not at all.
package protocol AdmissionGate: AnyObject, Sendable {
    /// A value that an admitted call holds until it ends.
    associatedtype Place: Sendable
    associatedtype Waiter: Sendable

    typealias Turn = InternalPromise<Place>

    /// The policy's name in events and errors.
    static var policy: String { get }

    /// The error code of a refused call.
    static var refusal: ServiceError.Code { get }

    /// The gate's own name in events and errors; nil for none.
    var name: String? { get }

    /// The clock for the waits.
    var scheduler: any FutureScheduler { get }

    /// Admits a call, or returns nil if no place is free.
    func enterIfFree() -> Place?

    /// Returns whether a call could wait if no place is free.
    ///
    /// If the call couldn't wait, it is refused before a promise for its turn is allocated.
    func mayWait(in context: CallContext) -> Bool

    /// Admits a call, or queues it.
    ///
    /// - Parameter turn: The waiting call's promise. It resolves with the call's place when the call's turn comes, and
    ///   rejects if another call displaces this call from the queue.
    func admitOrQueue(_ turn: Turn, in context: CallContext) -> GateDecision<Place, Waiter>

    /// Confirms that a call that was admitted from the queue starts now.
    ///
    /// - Returns: False if the call has left since it was admitted, for example because its caller has cancelled. Such
    ///   a call must not start.
    func begin(_ ticket: PriorityWaitQueue<Waiter>.Ticket) -> Bool

    /// Raises a waiting call to a priority that is higher than its own; has no effect once the call is admitted.
    func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority)

    /// Removes a call from the queue, or frees the place of a call that was admitted but hasn't started.
    ///
    /// It has no effect on a call that has started.
    func leave(_ ticket: PriorityWaitQueue<Waiter>.Ticket)
}

/// A gate's decision about a call.
package enum GateDecision<Place, Waiter> {
    /// The call starts, and holds a place until it ends.
    case admitted(Place)
    /// The call waits in a queue; the `length` includes this call.
    ///
    /// After `patience`, the call fails. If `patience` is nil, the call waits for as long as its caller does.
    case queued(PriorityWaitQueue<Waiter>.Ticket, length: Int, patience: Duration?)
    /// The call is refused.
    case refused
}

extension AdmissionGate {
    /// Does nothing, for gates that treat all calls alike.
    package func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority) {}

    func report(_ kind: PolicyEvent.Kind, in context: CallContext) {
        context.report(kind, by: Self.policy, named: name)
    }

    func error(
        _ code: ServiceError.Code, of input: some Sendable, limit: Duration? = nil
    ) -> ServiceError {
        ServiceError(
            code, policy: Self.policy, policyName: name, limit: limit,
            subject: loggedName(of: input))
    }
}

/// A service behind a gate: a bulkhead, a load shedder or an adaptive limit.
package struct AdmittedService<Gate: AdmissionGate, Input: Sendable, Output: Sendable>: Sendable {
    private let service: Service<Input, Output>
    private let gate: Gate
    private let callInPlace: @Sendable (Gate.Place, Service<Input, Output>, Input) -> Future<Output>

    /// - Parameter callInPlace: Calls the service, and frees the place when the call has ended or is cancelled.
    package init(
        service: @escaping Service<Input, Output>, gate: Gate,
        callInPlace:
            @escaping @Sendable (Gate.Place, Service<Input, Output>, Input) -> Future<Output>
    ) {
        self.service = service
        self.gate = gate
        self.callInPlace = callInPlace
    }

    @Sendable package func call(_ input: Input) -> Future<Output> {
        if let place = gate.enterIfFree() { return callInPlace(place, service, input) }
        let context = CallContext.current
        guard gate.mayWait(in: context) else { return refuse(input, in: context) }
        // Since the checks above, a place may have become free, or the queue may have filled up. So the gate decides
        // again.
        let turn = Gate.Turn()
        switch gate.admitOrQueue(turn, in: context) {
        case .admitted(let place): return callInPlace(place, service, input)
        case .refused: return refuse(input, in: context)
        case .queued(let ticket, let length, let patience):
            // The call can start only when the code below observes its turn. So `queued` is reported before the call's
            // start, even if another thread gives the call its turn now.
            gate.report(.queued(length: length), in: context)
            let inTime = inTime(turn, patience, input, in: context)
            return wait(raised(inTime, ticket, in: context), ticket, input, in: context)
        }
    }

    private func refuse(_ input: Input, in context: CallContext) -> Future<Output> {
        context.refuse(with: gate.error(Gate.refusal, of: input))
    }

    /// Calls the service when it is the call's turn, with the task-local values of this call's caller.
    ///
    /// Once the call has begun, only the end of the service's future frees the place. So if the caller cancels before
    /// the service has returned its future, the place stays taken, and no other call can start in it.
    ///
    /// If the call never begins, the last step removes it from the queue or frees its place. This is also the case if
    /// its caller cancels just when its turn comes.
    private func wait(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        _ input: Input, in context: CallContext
    ) -> Future<Output> {
        let start = gate.scheduler.now
        let caller = CallerContext(keeping: context)
        let begin: @Sendable (Gate.Place) -> Future<Output> = { place in
            guard gate.begin(ticket) else { return Future(error: CancellationError()) }
            let waited = start.duration(to: gate.scheduler.now)
            if !context.hasTime(for: .zero) {
                let late = gate.error(.deadlineExceeded, of: input, limit: waited)
                return callInPlace(place, { _ in context.refuse(with: late) }, input)
            }
            gate.report(.dequeued(after: waited), in: context)
            return caller.run { callInPlace(place, service, input) }
        }
        return turn.flatMap { place in
            // The place may be free because another call of the same hedge has just won. The gate learns of that
            // before the hedge does. So the call begins a moment later, unless the hedge cancels it first.
            guard context.record?.hasRivals ?? false else { return begin(place) }
            return Future(value: place).delay(.zero, on: gate.scheduler).flatMap(begin)
        }
        .onEnd { _ in gate.leave(ticket) }
    }

    /// Raises a waiting joined call when more important callers join it.
    private func raised(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        in context: CallContext
    ) -> Future<Gate.Place> {
        guard let joined = context.joinedPriority else { return turn }
        let listener = joined.listen { [gate] in gate.raise(ticket, to: $0) }
        return turn.onEnd { _ in joined.stopListening(listener) }
    }

    /// Limits the wait for a turn to `patience`.
    ///
    /// If another call displaces this one, the error names this call's input.
    private func inTime(
        _ turn: Gate.Turn, _ patience: Duration?, _ input: Input, in context: CallContext
    ) -> Future<Gate.Place> {
        var future: Future<Gate.Place> = turn
        if let patience {
            let error = gate.error(.queueTimedOut, of: input, limit: patience)
            future = turn.timeout(patience, on: gate.scheduler) { error }
        }
        return future.mapError { error in
            // Any other error means that the caller has cancelled.
            guard let known = error as? ServiceError else { return error }
            let error = known.code == Gate.refusal ? gate.error(known.code, of: input) : known
            gate.report(.refused(error), in: context)
            return error
        }
    }
}

import PledgeFutures

/// A service behind a gate: a bulkhead, a load shedder or an adaptive limit.
struct AdmittedService<Gate: AdmissionGate, Input: Sendable, Output: Sendable>: Sendable {
    let service: Service<Input, Output>
    let gate: Gate
    /// Calls the service, and frees the place when the call has ended or was given up.
    let callInPlace: @Sendable (Gate.Place, Service<Input, Output>, Input) -> Future<Output>

    @Sendable func call(_ input: Input) -> Future<Output> {
        if let place = gate.enterIfFree() { return callInPlace(place, service, input) }
        let context = CallContext.current
        guard gate.mayWait(in: context) else { return refuse(input, in: context) }
        // Meanwhile a place may have become free, or the last entry of the queue may have been taken.
        let turn = Gate.Turn()
        switch gate.enter(turn, in: context) {
        case .admitted(let place): return callInPlace(place, service, input)
        case .refused: return refuse(input, in: context)
        case .queued(let ticket, let length, let patience):
            // Reported before the turn has an observer, so that it is reported before the turn comes.
            gate.report(.queued(length: length), in: context)
            let inTime = inTime(turn, patience, input, in: context)
            return wait(raised(inTime, ticket, in: context), ticket, input, in: context)
        }
    }

    private func refuse(_ input: Input, in context: CallContext) -> Future<Output> {
        let error = gate.error(Gate.refusal, of: input)
        gate.report(.refused(error), in: context)
        return Future(error: error)
    }

    /// Calls the service when the call's turn has come, with its own caller's task-local values.
    ///
    /// The service's future frees the place, as soon as it exists: giving the call up while the service is being
    /// called must not let another in beside it. If the service is not called, the last step removes the call from
    /// the queue or frees its place, also if the call is given up just when its turn comes.
    private func wait(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        _ input: Input, in context: CallContext
    ) -> Future<Output> {
        let start = gate.scheduler.now
        let caller = KeptCaller(context)
        return turn.flatMap { place in
            guard gate.begin(ticket) else { return Future(error: CancellationError()) }
            let waited = start.duration(to: gate.scheduler.now)
            if let remaining = context.remaining, remaining <= .zero {
                let error = gate.error(.deadlineExceeded, of: input, limit: waited)
                gate.report(.refused(error), in: context)
                return callInPlace(place, { _ in Future(error: error) }, input)
            }
            gate.report(.dequeued(after: waited), in: context)
            return caller.run { callInPlace(place, service, input) }
        }
        .onEnd { _ in gate.leave(ticket) }
    }

    /// Raises a shared call that waits for its turn, while more important callers join it.
    private func raised(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        in context: CallContext
    ) -> Future<Gate.Place> {
        guard let shared = context.sharedPriority else { return turn }
        let listener = shared.listen { [gate] in gate.raise(ticket, to: $0) }
        return turn.onEnd { _ in shared.stopListening(listener) }
    }

    /// Ends the wait for a turn after some time, and names the call in the error if another displaces it.
    private func inTime(
        _ turn: Gate.Turn, _ patience: Duration?, _ input: Input, in context: CallContext
    ) -> Future<Gate.Place> {
        var future: Future<Gate.Place> = turn
        if let patience {
            let error = gate.error(.queueTimedOut, of: input, limit: patience)
            future = turn.timeout(patience, on: gate.scheduler) { error }
        }
        return future.mapError { error in
            // Otherwise the caller has given up.
            guard let known = error as? ServiceError else { return error }
            let error = known.code == Gate.refusal ? gate.error(known.code, of: input) : known
            gate.report(.refused(error), in: context)
            return error
        }
    }
}

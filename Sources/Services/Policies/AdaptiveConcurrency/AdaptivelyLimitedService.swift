import Futures

/// A service within an adaptive limit.
struct AdaptivelyLimitedService<Input: Sendable, Output: Sendable>: Sendable {
    let service: Service<Input, Output>
    let limit: AdaptiveConcurrency
    let classifier: Classifier<Output>

    @Sendable func call(_ input: Input) -> Future<Output> {
        let (place, mayWait) = limit.machine.withLock { ($0.enterIfFree(), $0.hasRoomToWait) }
        if let place { return callInPlace(place, service, input) }
        guard mayWait else { return refuse(input) }
        // Meanwhile a place may have become free, or the last entry of the queue may have been taken.
        let turn = AdaptiveConcurrency.AdmissionPromise()
        switch limit.machine.withLock({ $0.enter(turn) }) {
        case .admitted(let place): return callInPlace(place, service, input)
        case .refused: return refuse(input)
        case .queued(let ticket, let length): return wait(for: turn, ticket, length, input)
        }
    }

    private func refuse(_ input: Input) -> Future<Output> {
        let error = limit.error(.concurrencyLimited, of: input)
        limit.report(.refused(error), in: .current)
        return Future(error: error)
    }

    /// Calls the service, and frees the place when the call has ended or was given up.
    ///
    /// - Parameter place: How many calls are in flight with this one.
    private func callInPlace(
        _ place: Int, _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        let start = limit.scheduler.now
        let future = service(input)
        if classifier.isPlainSuccess(future) {
            end(start, place, isDrop: false)
            return future
        }
        return followLater(future, start, place)
    }

    /// The path of calls that are pending, or have failed.
    ///
    /// A separate function: it looks up generic types at run time, and inlined, the compiler would do that for all calls.
    @inline(never)
    private func followLater(
        _ future: Future<Output>, _ start: SchedulerInstant, _ place: Int
    ) -> Future<Output> {
        future.atEnd(with: { result in end(start, place, with: result) })
    }

    private func end(
        _ start: SchedulerInstant, _ place: Int, with result: Result<Output, any Error>
    ) {
        let assessment = classifier.assess(result)
        switch (assessment.health, assessment.retry) {
        case (.healthy, _): end(start, place, isDrop: false)
        case (.unhealthy, .after) where !isCertainlyUnsent(result):
            end(start, place, isDrop: true)
        default: limit.leave(nil)
        }
    }

    private func end(_ start: SchedulerInstant, _ place: Int, isDrop: Bool) {
        limit.leave(
            ConcurrencySample(
                start: start, end: limit.scheduler.now, inFlight: place, isDrop: isDrop))
    }

    private func isCertainlyUnsent(_ result: Result<Output, any Error>) -> Bool {
        guard case .failure(let error) = result else { return false }
        return (error as? any OutcomeAdvising)?.isCertainlyUnsent ?? false
    }
}

extension AdaptivelyLimitedService {
    /// Calls the service when the call's turn has come.
    ///
    /// The service's future frees the place, as soon as it exists: giving the call up while the service is being called
    /// must not admit another call beside it. If the service is not called, the last step removes the call from the queue
    /// or frees its place, also if the call is given up just when its turn comes.
    private func wait(
        for turn: AdaptiveConcurrency.AdmissionPromise, _ ticket: Int, _ length: Int, _ input: Input
    ) -> Future<Output> {
        let context = CallContext.current
        let start = limit.scheduler.now
        let decision = PlaceDecision()
        // Reported before the turn has an observer, so that it is reported before the turn comes.
        limit.report(.queued(length: length), in: context)
        return inTime(turn, of: input, in: context)
            .flatMap { place in
                guard decision.take() else { return Future(error: CancellationError()) }
                let waited = start.duration(to: limit.scheduler.now)
                limit.report(.dequeued(after: waited), in: context)
                return callInPlace(place, { context.call(service, $0) }, input)
            }
            .onEnd { _ in if decision.take() { limit.leave(ticket) } }
    }

    private func inTime(
        _ turn: AdaptiveConcurrency.AdmissionPromise, of input: Input, in context: CallContext
    ) -> Future<Int> {
        guard let queueTimeout = limit.queueTimeout else { return turn }
        let error = limit.error(.queueTimedOut, of: input)
        let turn = turn.timeout(queueTimeout, on: limit.scheduler) { error }
        guard context.isObserved else { return turn }
        return turn.onFailure { [limit] _ in limit.report(.refused(error), in: context) }
    }
}

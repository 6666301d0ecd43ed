import PledgeFutures

/// What an adaptive limit learns from the calls that it has let in.
struct MeasuredCall<Output: Sendable>: Sendable {
    let limit: AdaptiveConcurrency
    let classifier: Classifier<Output>

    /// Calls the service, and frees the place when the call has ended or was given up.
    ///
    /// - Parameter place: How many calls are in flight with this one.
    func call<Input: Sendable>(
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
        let outcome = classifier(result)
        switch (outcome.health, outcome.retry) {
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

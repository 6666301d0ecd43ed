import PledgeFutures
import PledgeServices

/// Makes the calls of a run, and records their ends.
final class Caller<Output: Sendable>: Sendable {
    let recorder: RunRecorder
    private let service: Service<SimulatedRequest, Output>

    init(_ service: @escaping Service<SimulatedRequest, Output>, on scheduler: SimulationScheduler)
    {
        self.service = service
        recorder = RunRecorder(on: scheduler)
    }

    /// Makes the next call.
    func call() { _ = begin() }

    /// Makes the next call, and calls a function when it has ended.
    func call(then next: @escaping @Sendable () -> Void) { begin().always(next) }

    private func begin() -> Future<Output> {
        let number = recorder.begin()
        let future = service(SimulatedRequest(number: number))
        future.observe { [recorder] result in
            if case .success = result {
                recorder.end(number, with: nil)
            } else if case .failure(let error) = result {
                recorder.end(number, with: error)
            }
        }
        return future
    }
}

/// One client of a closed loop, who waits for the answer before the next call.
final class ClosedLoopClient<Output: Sendable>: SimulatedEvent, @unchecked Sendable {
    // Unchecked: belongs to the scheduler's thread, which `think` checks: a call may end on another one.
    private let caller: Caller<Output>
    private let thinkTime: Distribution
    private var generator: SeededGenerator
    private let end: Nanoseconds
    private let scheduler: SimulationScheduler

    init(
        _ caller: Caller<Output>, _ thinkTime: Distribution, _ generator: SeededGenerator,
        until end: Nanoseconds, on scheduler: SimulationScheduler
    ) {
        self.caller = caller
        self.thinkTime = thinkTime
        self.generator = generator
        self.end = end
        self.scheduler = scheduler
    }

    /// Waits, and then calls.
    func think() {
        // Otherwise the recorder has noted it.
        guard scheduler.isOnItsThread else { return }
        let time = thinkTime.sample(&generator)
        if scheduler.time.adding(time) < end { scheduler.add(self, after: time) }
    }

    override func happen() { caller.call { [self] in think() } }
}

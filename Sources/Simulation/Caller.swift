import PledgeFutures
import PledgeServices

/// Makes a run's calls and records how they end.
final class Caller<Output: Sendable>: Sendable {
    let recorder: RunRecorder
    private let service: Service<SimulatedRequest, Output>

    init(_ service: @escaping Service<SimulatedRequest, Output>, on scheduler: SimulationScheduler)
    {
        self.service = service
        recorder = RunRecorder(on: scheduler)
    }

    func call() { _ = begin() }

    /// Makes the next call, and runs a closure when it ends.
    func call(then next: @escaping @Sendable () -> Void) { begin().always(next) }

    private func begin() -> Future<Output> {
        let number = recorder.begin()
        let future = service(SimulatedRequest(number: number))
        future.observe { [recorder] result in
            if case .success = result {
                recorder.endCall(number, with: nil)
            } else if case .failure(let error) = result {
                recorder.endCall(number, with: error)
            }
        }
        return future
    }
}

/// A closed loop's client: each call waits for the answer to the one before.
final class ClosedLoopClient<Output: Sendable>: SimulatedEvent, @unchecked Sendable {
    // Unchecked: only the scheduler's thread uses this state. A call may end on another thread and run `think` there,
    // so `think` checks the thread first.
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

    /// Waits for the think time, then calls.
    func think() {
        // Off the scheduler's thread, this client stops. The recorder has noted that as an error before.
        guard scheduler.isOnItsThread else { return }
        let time = thinkTime.sample(&generator)
        if scheduler.time.adding(time) < end { scheduler.add(self, after: time) }
    }

    override func happen() { caller.call { [self] in think() } }
}

/// When each call began and ended, and how.
final class RunRecorder: @unchecked Sendable {
    // Unchecked: only the scheduler's thread uses this state. Calls begin in the simulation's events, on that thread.
    // `endCall` may be called on another thread, where it only notes an error.
    private let scheduler: SimulationScheduler
    @exclusivity(unchecked) private(set) var begins: ContiguousArray<Nanoseconds> = []
    /// −1 for a call that hasn't ended.
    @exclusivity(unchecked) private(set) var ends: ContiguousArray<Nanoseconds> = []
    /// Indexes of ``kinds``; 0 is success.
    @exclusivity(unchecked) private(set) var outcomes: ContiguousArray<UInt16> = []
    private(set) var kinds = ["success"]
    private var numbers: [String: UInt16] = ["success": 0]
    private(set) var callsInFlight = 0

    init(on scheduler: SimulationScheduler) { self.scheduler = scheduler }

    func begin() -> Int {
        begins.append(scheduler.time)
        ends.append(-1)
        outcomes.append(0)
        callsInFlight += 1
        return begins.count - 1
    }

    func endCall(_ number: Int, with error: (any Error)?) {
        // A call that ends on another thread counts as unfinished, and the run's error says why.
        guard scheduler.isOnItsThread else {
            return scheduler.noteError(SimulationError(.endOnAnotherThread, call: number))
        }
        ends[number] = scheduler.time
        callsInFlight -= 1
        if let error { outcomes[number] = kind(of: error) }
    }

    /// The error to report for a call that never ends.
    var errorOfWaiting: SimulationError? {
        if callsInFlight == 0 { return nil }
        return ends.firstIndex(of: -1).map { SimulationError(.neverEnds, call: $0) }
    }

    private func kind(of error: any Error) -> UInt16 {
        let code = (error as? any CodedError)?.loggedCode
        let name = "\(type(of: error))\(code.map { ".\($0)" } ?? "")"
        if let number = numbers[name] { return number }
        let number = UInt16(min(kinds.count, Int(UInt16.max)))
        kinds.append(name)
        numbers[name] = number
        return number
    }
}

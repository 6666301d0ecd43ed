import PledgeServices

/// When each call of a run began and ended, and how.
final class RunRecorder: @unchecked Sendable {
    // Unchecked: belongs to the scheduler's thread. Calls begin in events; `end`, which may run anywhere, checks.
    private let scheduler: SimulationScheduler
    @exclusivity(unchecked) private(set) var begins: ContiguousArray<Nanoseconds> = []
    /// −1 for a call that has not ended.
    @exclusivity(unchecked) private(set) var ends: ContiguousArray<Nanoseconds> = []
    /// The number of the end's kind in ``kinds``; 0 is success.
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

    func end(_ number: Int, with error: (any Error)?) {
        // On another thread: the call is left as not ended, and the run's error says why.
        guard scheduler.isOnItsThread else {
            return scheduler.note(SimulationError(.endOnAnotherThread, call: number))
        }
        ends[number] = scheduler.time
        callsInFlight -= 1
        if let error { outcomes[number] = kind(of: error) }
    }

    /// The error of a run in which a call waits for something that does not happen.
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

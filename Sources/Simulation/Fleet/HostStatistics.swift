struct HostStatistics {
    /// Including calls that were refused or lost.
    var received = 0
    var refused = 0
    var lost = 0
    private(set) var finished = 0
    /// Finished calls that had been cancelled.
    private(set) var wasted = 0
    /// The seconds that finished calls spent in the queue and with a worker.
    private(set) var timeInHost = 0.0

    /// The integral over time of the number of calls in the host, in call-seconds.
    private(set) var area = 0.0
    private var present = 0
    private var lastChange: Nanoseconds = 0

    /// Records that calls have entered or left the host.
    mutating func noteChange(_ change: Int, at time: Nanoseconds) {
        area += Double(present) * Double(time - lastChange) * 1e-9
        lastChange = time
        present += change
    }

    mutating func finish(_ call: SimulatedCall, at time: Nanoseconds) {
        finished += 1
        if call.isAbandoned { wasted += 1 }
        timeInHost += Double(time - call.arrived) * 1e-9
    }
}

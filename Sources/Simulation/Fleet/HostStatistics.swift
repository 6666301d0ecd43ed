/// What a host has done so far.
struct HostStatistics {
    /// Calls that came, with those that were refused and lost.
    var received = 0
    /// Calls for which there was no place in the queue.
    var refused = 0
    /// Calls of which a message was lost.
    var lost = 0
    /// Calls that a worker has finished.
    private(set) var finished = 0
    /// Of these, those whose callers had given them up.
    private(set) var wasted = 0
    /// The time that the finished calls spent in the queue and with a worker, in seconds.
    private(set) var timeInHost = 0.0

    /// How many calls are in the host, times how long, in seconds.
    private(set) var area = 0.0
    private var present = 0
    private var lastChange: Nanoseconds = 0

    /// Notes that calls have come into the host, or have left it.
    mutating func note(_ change: Int, at time: Nanoseconds) {
        area += Double(present) * Double(time - lastChange) * 1e-9
        lastChange = time
        present += change
    }

    /// Notes that a worker has finished a call.
    mutating func finish(_ call: SimulatedCall, at time: Nanoseconds) {
        finished += 1
        if call.isAbandoned { wasted += 1 }
        timeInHost += Double(time - call.arrived) * 1e-9
    }
}

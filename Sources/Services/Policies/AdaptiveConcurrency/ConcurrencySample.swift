import PledgeFutures

/// The end of a call, as far as it says something about how many calls its service can work on.
struct ConcurrencySample: Sendable {
    /// When the service was called.
    let start: SchedulerInstant
    /// When the call ended.
    let end: SchedulerInstant
    /// How many calls were in flight when it began, itself included.
    let inFlight: Int
    /// Whether the end is a sign of overload, and no answer.
    let isDrop: Bool
    /// Whether as many calls as allowed were in flight when it ended, itself included.
    var isFull = false

    /// How long the call took, in nanoseconds; at least 1, so that it may be divided by.
    var roundTrip: Int64 { max(1, start.duration(to: end).nanoseconds) }
}

/// What an algorithm knows, from which it computes the limit.
protocol ConcurrencyLimitMachine: Sendable {
    /// How many calls may be in flight; at least 1.
    var limit: Int { get }

    /// Learns from the end of a call.
    mutating func record(_ sample: ConcurrencySample)
}

/// The whole part of the decimal logarithm of a limit, but at least 1: the step of limits that follow TCP Vegas.
///
/// It is 1 below 100, 2 below 1,000, and so on.
func wholeLogarithm(of limit: Int) -> Int {
    var (logarithm, rest) = (1, limit / 100)
    while rest > 0 {
        logarithm += 1
        rest /= 10
    }
    return logarithm
}

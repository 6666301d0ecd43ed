/// How a simulated host works.
///
/// ```swift
/// var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
/// database.workers = 3
/// database.queueLimit = 1_000
/// ```
public struct HostSettings {
    /// In which order calls that wait are begun.
    public enum QueueOrder: Sendable, Hashable {
        /// The one that has waited longest is next.
        case firstInFirstOut
        /// The one that came last is next.
        case lastInFirstOut
    }

    /// How many calls are worked on at once.
    ///
    /// Less than 1 traps when a scenario runs.
    public var workers = 1

    /// How many calls may wait for a worker; one more is refused.
    ///
    /// Less than 0 traps when a scenario runs.
    public var queueLimit = Int.max

    /// Which of the waiting calls is next.
    public var queueOrder = QueueOrder.firstInFirstOut

    /// How long a worker takes for a call.
    public var serviceTime: Distribution

    /// How long a message takes from the client to the host, and another one back.
    public var latency = Distribution.constant(.zero)

    /// Which share of calls fails after its service time, from 0 to 1.
    public var failureRate = 0.0

    /// Which share of messages is lost, from 0 to 1; a call of which one is lost gets no answer.
    public var lossRate = 0.0

    /// Whether a call is worked on after its caller has given it up, as most servers do.
    public var finishesAbandonedCalls = true

    /// How long a host that has restarted is slower, and how many times at first; it then gets faster evenly.
    public var warmUp: (time: Duration, factor: Double) = (.zero, 1)

    /// Makes the settings of a host with one worker.
    ///
    /// - Parameter serviceTime: How long a worker takes for a call.
    public init(serviceTime: Distribution) { self.serviceTime = serviceTime }
}

extension HostSettings: Sendable {}

import PledgeFutures

/// A rate limiter's bucket in a store.
///
/// A call's turn is when the bucket would hold its token. A call that may wait takes its token before, so the bucket
/// then holds less than zero, and the store gives each waiting call, of any machine, another turn.
final class SharedRate: Sendable {
    /// The store's answer to a call.
    struct Turn {
        let isTaken: Bool
        /// The time until the call's turn; if it isn't taken, until a call that comes now would pass.
        let wait: Duration
        /// The time until the next call's turn.
        let next: Duration
    }

    private struct Local {
        var queued = 0
        /// No call gets a turn before this instant; nil if unknown.
        var earliest: SchedulerInstant?
    }

    /// What rounding errors may add up to, in tokens.
    private let tolerance: Double
    private let state: SharedState
    private let key: String
    private let tokensPerSecond: Double
    private let burst: Double
    /// How long the store must remember the bucket: until it's full again, however long calls may wait.
    ///
    /// It doesn't depend on a call's own deadline, because other calls may have overdrawn the bucket further.
    private let lifetime: Duration
    private let local = Locked(Local())

    init(
        _ state: SharedState, rate: Int, per period: Duration, burst: Int, maxWait: Duration
    ) {
        self.state = state
        key = state.key + ":rateLimit"
        tokensPerSecond = Double(rate) / period.inSeconds
        self.burst = Double(burst)
        tolerance = 1e-9 + Double(burst) * 1e-14
        let tenYears = 3650 * 86_400.0
        let untilFull = self.burst / tokensPerSecond + maxWait.inSeconds
        lifetime = .seconds(min(tenYears, untilFull + 1))
    }

    /// The number of calls that wait for their turns.
    var queued: Int { local.withLock { $0.queued } }

    func changeQueued(by change: Int) -> Int {
        local.withLock {
            $0.queued += change
            return $0.queued
        }
    }

    /// An instant before which no call gets a turn; nil if unknown.
    var earliest: SchedulerInstant? { local.withLock { $0.earliest } }

    func note(_ earliest: SchedulerInstant) {
        local.withLock { $0.earliest = max($0.earliest ?? earliest, earliest) }
    }

    /// Takes a turn that comes within a bound.
    func take(within bound: Duration, for asker: SharedState.Asker) -> Future<Turn?> {
        let overdraft = max(0, bound.inSeconds) * tokensPerSecond + tolerance
        let request = BucketRequest(
            1, from: key, capacity: burst, tokensPerSecond: tokensPerSecond, overdraft: overdraft,
            lifetime: lifetime)
        return state.ask(for: asker) { $0.take(request) }.map { grant in
            grant.map { grant in
                Turn(
                    isTaken: grant.isGranted,
                    wait: self.time(until: grant.isGranted ? 0 : 1, from: grant.level),
                    next: self.time(until: 1, from: grant.level))
            }
        }
    }

    /// Returns the time until the bucket holds a number of tokens, rounded up to a whole nanosecond.
    private func time(until tokens: Double, from level: Double) -> Duration {
        let missing = tokens - level
        guard missing > 2 * tolerance, missing.isFinite else { return .zero }
        let nanoseconds = missing / tokensPerSecond * 1e9
        // Without the small subtrahend, rounding errors would add a nanosecond.
        return .nanoseconds(Int64(min((nanoseconds - 1e-3).rounded(.up), 0x1p62)))
    }
}

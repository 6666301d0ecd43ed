import Futures

/// The tokens of a retry budget.
///
/// Whole numbers avoid rounding: a request deposits 1,000, a retry withdraws 1,000 ÷
/// percentCanRetry, rounded down. (Finagle's RetryBudget.)
struct RetryBudgetBucket: Sendable {
    private var tokens: SlicedSum
    private let deposit: Int64
    private let withdrawal: Int64
    /// The tokens in each window besides the deposits.
    private let reserve: Int64

    init(ttl: Duration, minRetries: Int, percentCanRetry: Double) {
        tokens = SlicedSum(over: ttl, slices: 10)
        deposit = percentCanRetry == 0 ? 0 : 1_000
        // A share below one in a million counts as none.
        withdrawal = percentCanRetry == 0 ? 1 : Int64(min(1_000 / percentCanRetry, 1e9))
        reserve = Int64(minRetries) * withdrawal
    }

    /// Notes a request.
    mutating func deposit(at instant: SchedulerInstant) {
        tokens.add(deposit, at: instant)
    }

    /// Takes one retry out, if there is one.
    mutating func withdraw(at instant: SchedulerInstant) -> Bool {
        guard available(at: instant) >= withdrawal else { return false }
        tokens.add(-withdrawal, at: instant)
        return true
    }

    /// How many retries there are.
    mutating func balance(at instant: SchedulerInstant) -> Int {
        Int(clamping: max(0, available(at: instant) / withdrawal))
    }

    private mutating func available(at instant: SchedulerInstant) -> Int64 {
        tokens.sum(at: instant) + reserve
    }
}

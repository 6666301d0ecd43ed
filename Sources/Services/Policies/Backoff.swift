import PledgeFutures

/// A rule for the wait before an attempt is repeated.
///
/// ```swift
/// let api = stack(.retry(Retry(backoff: .fullJitter(base: .milliseconds(50)))), over: transport)
/// ```
///
/// The retries of a call are counted from zero. The first retry has the number zero, and waits about `base`. Delays are
/// whole nanoseconds, and each delay takes at most one random number. The three kinds of jitter come from "Exponential
/// backoff and jitter" (Brooker, AWS Architecture Blog, 2015).
public struct Backoff: Sendable {
    /// Returns the delay before a retry.
    ///
    /// - Parameters:
    ///   - retry: The number of the retry, counted from zero.
    ///   - previous: The delay before the previous retry; nil if there was none.
    ///   - bits: 64 random bits; not evaluated by a backoff without randomness.
    /// - Returns: The delay; zero or more.
    package func delay(
        before retry: Int, after previous: Duration?, bits: @autoclosure () -> UInt64
    ) -> Duration {
        switch kind {
        case .constant(let duration): return duration
        case .full(let base, let cap):
            return .uniform(upTo: Self.ceiling(base, cap, retry), bits: bits())
        case .equal(let base, let cap):
            let ceiling = Self.ceiling(base, cap, retry)
            let half = Duration.nanoseconds(ceiling.nanoseconds / 2)
            return half + .uniform(upTo: ceiling - half, bits: bits())
        case .decorrelated(let base, let cap):
            let floor = base.nanoseconds
            let (triple, overflow) = (previous ?? base).nanoseconds
                .multipliedReportingOverflow(by: 3)
            let span = max(0, (overflow ? Int64.max : triple) - floor)
            let chosen = Duration.uniform(upTo: .nanoseconds(span), bits: bits())
            return min(cap, .nanoseconds(floor) + chosen)
        case .custom(let delay): return max(.zero, delay(retry, previous))
        }
    }

    /// The delay before the first retry; for a backoff with jitter, the smaller of `base` and `cap`.
    var firstStep: Duration {
        switch kind {
        case .constant(let duration): duration
        case .full(let base, let cap), .equal(let base, let cap),
            .decorrelated(let base, let cap):
            min(base, cap)
        case .custom(let delay): max(.zero, delay(0, nil))
        }
    }

    /// Returns min(cap, base × 2ⁿ) for the retry with the number n, without overflow.
    package static func ceiling(_ base: Duration, _ cap: Duration, _ retry: Int) -> Duration {
        let (base, cap) = (base.nanoseconds, cap.nanoseconds)
        // base × 2ⁿ > cap if and only if base > ⌊cap / 2ⁿ⌋.
        return .nanoseconds(base > cap >> Int64(max(0, retry)) ? cap : base << Int64(max(0, retry)))
    }

    private enum Kind: Sendable {
        case constant(Duration)
        case full(base: Duration, cap: Duration)
        case equal(base: Duration, cap: Duration)
        case decorrelated(base: Duration, cap: Duration)
        case custom(@Sendable (_ retry: Int, _ previous: Duration?) -> Duration)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }
}

extension Backoff {
    /// Creates a backoff with random delays from zero to min(cap, base × 2ⁿ).
    ///
    /// Here, n is the number of the retry, counted from zero. Full jitter is the default for retries, because it
    /// spreads the retries best.
    ///
    /// - Parameters:
    ///   - base: The upper bound of the first delay. Less than zero is a programming error and traps.
    ///   - cap: The upper bound of all delays. Less than zero is a programming error and traps.
    public static func fullJitter(
        base: Duration = .milliseconds(100), cap: Duration = .seconds(20)
    ) -> Backoff {
        check(base, cap)
        return Backoff(.full(base: base, cap: cap))
    }

    /// Creates a backoff with random delays from half of min(cap, base × 2ⁿ) to all of it.
    ///
    /// Here, n is the number of the retry, counted from zero.
    ///
    /// - Parameters:
    ///   - base: The upper bound of the first delay. Less than zero is a programming error and traps.
    ///   - cap: The upper bound of all delays. Less than zero is a programming error and traps.
    public static func equalJitter(
        base: Duration = .milliseconds(100), cap: Duration = .seconds(20)
    ) -> Backoff {
        check(base, cap)
        return Backoff(.equal(base: base, cap: cap))
    }

    /// Creates a backoff with random delays from `base` to three times the previous delay, but at most `cap`.
    ///
    /// The first delay is at most three times `base`.
    ///
    /// - Parameters:
    ///   - base: The lower bound of the delays. Less than zero is a programming error and traps.
    ///   - cap: The upper bound of all delays. Less than zero is a programming error and traps.
    public static func decorrelatedJitter(
        base: Duration = .milliseconds(100), cap: Duration = .seconds(20)
    ) -> Backoff {
        check(base, cap)
        return Backoff(.decorrelated(base: base, cap: cap))
    }

    /// Creates a backoff that always waits for the same time.
    ///
    /// - Parameter delay: The delay. With zero, the retry starts at once, on the same thread. Less than zero is a
    ///   programming error and traps.
    public static func constant(_ delay: Duration) -> Backoff {
        precondition(delay >= .zero, "a backoff needs a delay of zero or more, not \(delay)")
        return Backoff(.constant(delay))
    }

    /// Creates a backoff that asks a function for each delay.
    ///
    /// - Parameter delay: Returns a delay. It gets the number of the retry, counted from zero, and the delay before the
    ///   previous retry, which is nil for the first. A result less than zero counts as zero. Called on the thread that
    ///   settled the attempt.
    public static func custom(
        _ delay: @escaping @Sendable (_ retry: Int, _ previous: Duration?) -> Duration
    ) -> Backoff {
        Backoff(.custom(delay))
    }

    private static func check(_ base: Duration, _ cap: Duration) {
        precondition(base >= .zero, "a backoff needs a base of zero or more, not \(base)")
        precondition(cap >= .zero, "a backoff needs a cap of zero or more, not \(cap)")
    }
}

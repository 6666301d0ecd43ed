package import PledgeFutures
import PledgeHTTPMessages
package import PledgeHTTPNetworking
public import PledgeServices

/// The rules for resuming a transfer after a lost connection.
///
/// The requests are sent with `skipsRetry` in their context, so that a client's own retries don't multiply them. If a
/// wait wouldn't end before the call's deadline, the transfer fails at once.
public struct Resumption: Sendable {
    /// How many requests in a row may fail, and the waits between them.
    ///
    /// If bytes have arrived before a request fails, the count starts over at one. With one attempt, the first failure
    /// ends the call. The attempts also limit how often a call may start over, because an answer doesn't fit or because
    /// the server has forgotten the upload. If a server asks for a longer wait than `Retry.maxServerDelay`, the
    /// transfer fails.
    public var retry: Retry

    /// Decides whether an error is temporary.
    package var outcome: @Sendable (any Error) -> Outcome = { Outcome(of: $0) }

    /// The rules for URLs that a server or a record names.
    package var redirects = Redirects()

    /// Creates the rules.
    ///
    /// - Parameter retry: The attempts and the waits. A value outside their bounds is a programming error and traps.
    public init(_ retry: Retry = Retry()) {
        precondition(
            retry.attempts >= 1, "a transfer needs one attempt or more, not \(retry.attempts)")
        precondition(
            retry.maxServerDelay >= .zero,
            "a transfer needs a longest wait of zero or more, not \(retry.maxServerDelay)")
        self.retry = retry
    }

    /// How long to wait before the next request, and how much of that is backoff; nil to give up.
    ///
    /// Call it in the call's context, whose deadline limits the wait.
    ///
    /// - Parameters:
    ///   - error: The last request's error.
    ///   - isTemporary: True if another request may help, whatever the error says.
    ///   - failures: How many requests have failed in a row.
    ///   - last: The backoff before the last request.
    ///   - random: Draws the backoff's jitter.
    package func wait(
        after error: any Error, isTemporary: Bool = false, failures: Int, last: Duration?,
        random: RandomSource
    ) -> (time: Duration, backoff: Duration)? {
        var asked = Duration.zero
        switch outcome(error).retry {
        case .after(let delay): asked = delay ?? .zero
        case .never: guard isTemporary else { return nil }
        }
        guard failures < retry.attempts, asked <= retry.maxServerDelay else { return nil }
        let pause = retry.backoff.delay(before: failures - 1, after: last, bits: random.next())
        let time = max(pause, asked)
        return CallContext.current.hasTime(for: time) ? (time, pause) : nil
    }
}

package import PledgeHTTPNetworking
public import PledgeServices

/// The rules for resuming a transfer after a lost connection.
///
/// The requests are sent with `skipsRetry` in their context, so that a client's own retries don't multiply them. If a
/// wait would last until the deadline of the call around the transfer, or longer, the transfer fails at once.
public struct Resumption: Sendable {
    /// The number of failed requests in a row after which the transfer fails.
    ///
    /// When a failed request has brought the transfer further, the count starts over at one. With 1, the first failed
    /// request ends the call. It's also how many times a call may start over because an answer doesn't fit, or because
    /// the server has forgotten the upload.
    public var attempts: Int

    /// The waits before a request that follows a failed one.
    public var backoff: Backoff

    /// The longest wait that a server may ask for; if it asks for a longer one, the transfer fails.
    public var maxServerDelay: Duration

    /// Says whether an error is temporary.
    package var outcome: @Sendable (any Error) -> Outcome = { Outcome(of: $0) }

    /// The rules for an address that a server or a record names.
    package var redirects = RedirectRules()

    /// Creates the rules.
    ///
    /// A value outside the bounds below is a programming error and traps.
    ///
    /// - Parameters:
    ///   - attempts: The number of failed requests in a row after which the transfer fails; one or more.
    ///   - backoff: The waits before a request that follows a failed one.
    ///   - maxServerDelay: The longest wait that a server may ask for; zero or more.
    public init(
        attempts: Int = 3, backoff: Backoff = .fullJitter(),
        maxServerDelay: Duration = .seconds(10)
    ) {
        precondition(attempts >= 1, "a transfer needs one attempt or more, not \(attempts)")
        precondition(
            maxServerDelay >= .zero,
            "a transfer needs a longest wait of zero or more, not \(maxServerDelay)")
        self.attempts = attempts
        self.backoff = backoff
        self.maxServerDelay = maxServerDelay
    }

    /// Returns whether another request would end with the same error.
    func isFinal(_ error: any Error) -> Bool {
        error is HTTPError && outcome(error).retry == .never
    }

    /// Returns the wait before the next request, and the backoff's part in it; nil if the transfer fails.
    ///
    /// It is called in the context of the call, whose deadline bounds the wait.
    ///
    /// - Parameters:
    ///   - error: The error of the last request.
    ///   - isTemporary: True if another request may help, whatever the error says of itself.
    ///   - failures: The number of failed requests in a row.
    ///   - last: The backoff before the last request; nil for none.
    ///   - random: The source of the backoff's jitter.
    func wait(
        after error: any Error, isTemporary: Bool = false, failures: Int, last: Duration?,
        random: RandomSource
    ) -> (time: Duration, backoff: Duration)? {
        var asked = Duration.zero
        switch outcome(error).retry {
        case .after(let delay): asked = delay ?? .zero
        case .never: guard isTemporary else { return nil }
        }
        guard failures < attempts, asked <= maxServerDelay else { return nil }
        let pause = backoff.delay(before: failures - 1, after: last, bits: random.next())
        let time = max(pause, asked)
        return CallContext.current.hasTime(for: time) ? (time, pause) : nil
    }
}

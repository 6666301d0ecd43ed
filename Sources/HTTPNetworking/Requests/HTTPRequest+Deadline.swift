package import Futures
import Services

extension HTTPRequest {
    /// The remaining time until the request's deadline; nil if it has none.
    package var timeLeft: Duration? { context.deadline?.remaining }

    /// Runs an action when the request's deadline has passed.
    ///
    /// - Parameter action: Runs once, as the deadline's scheduler runs actions.
    /// - Returns: The token that cancels the action; nil without a deadline.
    package func atDeadline(_ action: @escaping @Sendable () -> Void) -> (any ScheduledAction)? {
        guard let deadline = context.deadline else { return nil }
        return deadline.scheduler.schedule(after: deadline.timeForTransports, action)
    }
}

extension CallDeadline {
    /// The time after which a transport ends a call: a millisecond after the deadline.
    ///
    /// So a policy that ends the call at the same deadline comes first, and the caller gets its error.
    package var timeForTransports: Duration { remaining + .milliseconds(1) }
}
